"""A machine's network card: a veth pair to the bridge, with a token bucket (tbf) on each end, one for each direction."""

import json
import subprocess
import urllib.request

from lab import units

BRIDGE = "lab0"
NETWORK = "10.66.0"
HEAD_ADDRESS = f"{NETWORK}.1"


def address(index):
    """Of machine `index`, from 1 on."""
    return f"{NETWORK}.{10 + index}"


def ask_head(port, path):
    """The JSON that a daemon of the head answers, past any proxy of this computer. Raises OSError or ValueError."""
    direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with direct.open(f"http://{HEAD_ADDRESS}:{port}/{path}", timeout=2) as answer:
        return json.load(answer)


def create_bridge():
    _ip("link", "set", "lo", "up")
    _ip("link", "add", BRIDGE, "type", "bridge")
    _ip("address", "add", f"{HEAD_ADDRESS}/24", "dev", BRIDGE)
    _ip("link", "set", BRIDGE, "up")


def create(machine, index, pid, enter):
    """The pair `machine` (on the bridge) and `eth0` (in the network namespace of `pid`); `enter` prefixes a command there."""
    _ip("link", "add", machine, "type", "veth", "peer", "name", "eth0", "netns", str(pid))
    _ip("link", "set", machine, "master", BRIDGE, "up")
    for command in (["link", "set", "lo", "up"], ["address", "add", f"{address(index)}/24", "dev", "eth0"],
                    ["link", "set", "eth0", "up"]):  # fmt: skip
        subprocess.run([*enter, "ip", *command], check=True)


def limit_command(device, rate):
    """The `tc` command that limits what `device` sends to `rate` bits per second, while it runs."""
    if rate == units.UNLIMITED:
        return ["tc", "qdisc", "replace", "dev", device, "root", "pfifo", "limit", "1000"]
    burst = max(rate / 8 * 0.004, 6000, 128 << 10 if rate >= 200e6 else 0)
    return ["tc", "qdisc", "replace", "dev", device, "root", "tbf", "rate", f"{int(rate)}bit", "burst", str(int(burst)),
            "latency", "100ms"]  # fmt: skip


def counters(pid):
    """{device: (bytes received, bytes sent)} in the network namespace of process `pid`."""
    with open(f"/proc/{pid}/net/dev") as lines:
        rows = [line.replace(":", " ").split() for line in list(lines)[2:]]
    return {row[0]: (int(row[1]), int(row[9])) for row in rows}


def _ip(*arguments):
    subprocess.run(["ip", *arguments], check=True)
