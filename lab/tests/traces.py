"""What a lab leaves on a computer while it is up, and must not leave when it is down."""

import os
from pathlib import Path

from lab import cgroup, disk, state
from lab.machine import group_name


def traces(name):
    """{kind: what there is} of the kinds of which there is something."""
    folder = str(state.folder(name))
    found = {
        "processes": [pid for pid, line in commands() if f"{folder}/" in line or f"\0lab.holder\0{name}\0" in line],
        "mounts": [line for line in Path("/proc/mounts").read_text().splitlines() if f"{folder}/" in line],
        "loop devices": disk.left_over(folder),
        "control groups": cgroup.controllers().left_over(group_name(name, "")),
        "throttle rules": throttle_rules(),
        "network devices": [device for device in os.listdir("/sys/class/net") if device == "lab0"],
        "files": [folder] if os.path.exists(folder) else [],
    }
    return {kind: things for kind, things in found.items() if things}


def commands():
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            yield path.parent.name, path.read_text(errors="replace")
        except OSError:  # it ended
            pass


def throttle_rules():
    """Of loop devices that no longer have a file (control groups version 1: the rules stand in the root group)."""
    rules = []
    for path in Path("/sys/fs/cgroup/blkio").glob("blkio.throttle.*_device"):
        for line in path.read_text().splitlines():
            number = line.split()[0]
            if number.startswith("7:") and not os.path.exists(f"/sys/block/loop{number[2:]}/loop/backing_file"):
                rules.append(f"{path.name} {line}")
    return rules
