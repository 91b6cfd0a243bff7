"""What is known of a lab that is up: one JSON file, written by its holder until it is ready and by the commands after that.

    {"phase": "ready", "holder": [pid, start time], "machines": {"m1": {"pid": ..., "address": ..., "limits": {...},
     "disks": [{"device": "7:1", "limited": "7:0", "mount": ..., "use": [...], "limits": {...}}]}}}  (or "head": a file, not "limited")

`holder` is a process of this computer; the other pids are those inside the lab.
"""

import contextlib
import fcntl
import json
import os
from pathlib import Path

from lab.config import lab_name

ROOT = Path("/run/pellucid-lab")


def folder(name):
    return ROOT / lab_name(name)


def read(name):
    """None if there is no lab of this name."""
    try:
        return json.loads((folder(name) / "state.json").read_text())
    except FileNotFoundError:
        return None


@contextlib.contextmanager
def replaced(path):
    """A file to write, which takes the place of the one at `path` once all of it is written."""
    new = path.with_name(f".{path.name}")
    try:
        with open(new, "w", newline="") as file:
            yield file
        new.replace(path)
    except BaseException:
        new.unlink(missing_ok=True)
        raise


def write(name, state):
    with replaced(folder(name) / "state.json") as file:
        json.dump(state, file, indent=1)


@contextlib.contextmanager
def lock(name):
    """One command at a time changes a lab. Raises BlockingIOError while another one does."""
    ROOT.mkdir(parents=True, exist_ok=True)
    with open(folder(name).with_suffix(".lock"), "w") as file:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield


def identity(pid):
    """[pid, start time]: tells a process from a later one of the same number; None if there is no such process, or a zombie."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return None
    return None if fields[0] == "Z" else [pid, int(fields[19])]


def alive(process):
    return process is not None and identity(process[0]) == list(process)


def holders(name):
    """Processes that hold a lab of this name up, found by their command lines: also those that no state file knows of."""
    end = f"-m\0lab.holder\0{name}\0".encode()
    found = []
    for entry in os.scandir("/proc"):
        if entry.name.isdigit():
            with contextlib.suppress(FileNotFoundError, ProcessLookupError):
                if Path(f"/proc/{entry.name}/cmdline").read_bytes().endswith(end) and (process := identity(int(entry.name))):
                    found.append(process)
    return found
