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


def inhabitants(name):
    """Every process in a lab's namespaces: while none lives, the kernel keeps none of them. (Their numbers tell nothing: the next
    namespace of this computer gets the same ones.) A lab's machines and all that is run on them share its mount namespace."""
    homes = {os.readlink(f"/proc/{pid}/ns/mnt") for pid, _ in state.holders(name)} - {os.readlink("/proc/self/ns/mnt")}
    found = []
    for path in Path("/proc").glob("[0-9]*/ns/mnt"):
        try:
            if os.readlink(path) in homes:
                found.append(state.identity(int(path.parts[2])))
        except OSError:  # it ended
            pass
    return [process for process in found if process]


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
            if number.startswith("7:") and not disk.in_use(number):
                rules.append(f"{path.name} {line}")
    return rules
