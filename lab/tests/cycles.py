"""Ten times: an `up` killed half way, `up`, `down`; prints how long they took. `python3 -m lab.tests.cycles [preset] [times]`."""

import random
import signal
import subprocess
import sys
import time

from lab import config, software
from lab.cluster import down, up
from lab.tests.traces import traces


def main(preset="hdd", times="10"):
    name, rows = config.load(preset).name, []
    for number in range(1, int(times) + 1):
        after = random.uniform(0.2, 15)
        half = subprocess.Popen([str(software.REPOSITORY / "pellucid-lab"), "up", preset], stderr=subprocess.DEVNULL)
        time.sleep(after)
        half.send_signal(signal.SIGKILL)
        half.wait()
        started = time.monotonic()
        up(preset)
        is_up = time.monotonic()
        down(name)
        is_down = time.monotonic()
        left = traces(name)
        rows.append((is_up - started, is_down - is_up))
        print(f"{number:2}  killed after {after:4.1f} s, then up {rows[-1][0]:.1f} s, down {rows[-1][1]:.1f} s, left: {left or 'nothing'}", flush=True)
        if left:
            return 1
    print(f"worst: up {max(r[0] for r in rows):.1f} s, down {max(r[1] for r in rows):.1f} s")


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
