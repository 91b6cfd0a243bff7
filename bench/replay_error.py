#!/usr/bin/env python3
"""The replay's error against the recorded job times, for each log given, as a Markdown table.

    bench/replay_error.py LOG...
"""

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def report(log):
    return json.loads(subprocess.run([ROOT / "pellucid", "report", log, "--json"], check=True, capture_output=True).stdout)


def main():
    errors = []
    print("| log | jobs > 1 s | median | 95th percentile | worst | application, recorded | replayed |")
    print("|---|---|---|---|---|---|---|")
    for log in sys.argv[1:]:
        r = report(log)
        e, c = r["replay"], r["completion"]
        errors += [
            abs(j["completion"]["simulatedSeconds"] - j["seconds"]) / j["seconds"] for j in r["jobs"] if j["ended"] and j["seconds"] > 1
        ]
        shown = f"{e['median']:.1%} | {e['p95']:.1%} | {e['worst']:.1%}" if e["jobs"] else "- | - | -"
        print(f"| {Path(log).name} | {e['jobs']} | {shown} | {c['recordedSeconds']:.1f} s | {c['simulatedSeconds']:.1f} s |")
    errors.sort()
    if errors:
        p95 = errors[min(len(errors) - 1, -(-95 * len(errors) // 100) - 1)]
        print(f"| **all** | {len(errors)} | {errors[(len(errors) - 1) // 2]:.1%} | {p95:.1%} | {errors[-1]:.1%} | | |")


if __name__ == "__main__":
    main()
