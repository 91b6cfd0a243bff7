"""A machine's disk: a loop device over a sparse file, with an ext4 of its own, mounted where only the lab sees it.

The file system is on a second loop device over the first, which has the limits. The kernel's limits count what a file system asks for
one by one, and a file system leaves it to the device's queue to make one request of what lies side by side: 300 blocks of 4 KB
for 192 small files are 16 requests to a disk, and would take 0.6 s of one with 500 per second instead of 0.03.

The limits of a disk with one head are kept by a process (`one_head.py`), whose file the file system's loop device is over."""

import contextlib
import json
import os
import subprocess
import sys
import time
from pathlib import Path

from lab import config, software, state

SERVED_SECONDS = 10  # in which the process of a disk with one head is to be there
QUEUE_OF_ONE_HEAD = 8  # requests: they take a disk of a tenth of the speed as long as a whole one the 64 that Linux lets wait for it


def create(image, size, mount_point, one_head):
    """Makes and mounts it; returns what `set_limits` wants to know and `device`, `major:minor` of its file system's. All frees itself, and
    the file's space, with the last mount and the process."""
    with open(image, "wb") as file:
        file.truncate(size)
    subprocess.run(["mkfs.ext4", "-q", "-m", "0", "-O", "^has_journal", "-E", "lazy_itable_init=0,nodiscard", str(image)], check=True)
    if one_head:
        head = image.with_suffix(".json")
        record = {"device": mounted(serve(image, head), mount_point, QUEUE_OF_ONE_HEAD), "head": str(head)}
    else:
        limited = attach(image)
        try:
            record = {"device": mounted(limited, mount_point), "limited": number(limited)}
        finally:
            subprocess.run(["losetup", "--detach", limited], check=True)
    os.unlink(image)
    return record


def mounted(file, mount_point, queue=None):
    """The device of the file system in `file`, which goes with the last mount."""
    device = attach(file)
    try:
        settings = Path(f"/sys/block/{Path(device).name}/queue")
        (settings / "scheduler").write_text("mq-deadline")
        if queue:
            (settings / "nr_requests").write_text(str(queue))
        mount_point.mkdir(parents=True)
        subprocess.run(["mount", "-o", "noatime", device, str(mount_point)], check=True)
        return number(device)
    finally:
        subprocess.run(["losetup", "--detach", device], check=True)


def serve(image, head):
    """Starts the process of a disk with one head and returns the file that it serves; `head` will have its limits."""
    write_limits(head, config.Disk.NO_LIMITS)
    folder = image.with_suffix("")
    folder.mkdir()
    environment = os.environ | {"PYTHONPATH": f"{software.REPOSITORY}:{software.fuse()}"}
    serving = subprocess.Popen([sys.executable, "-m", "lab.one_head", image, folder, head], env=environment)
    deadline = time.monotonic() + SERVED_SECONDS
    while not (folder / "disk").exists():
        if serving.poll() is not None or time.monotonic() > deadline:
            raise RuntimeError("the process of a disk with one head did not come up; see holder.log")
        time.sleep(0.02)
    return folder / "disk"


def set_limits(groups, group, record, limits):
    """Of the disk that `create` returned `record` of, in a machine's control group."""
    if "head" in record:
        write_limits(record["head"], limits)
    else:
        groups.set_disk(group, record["limited"], limits)


def write_limits(head, limits):
    with state.replaced(Path(head)) as file:
        json.dump(limits, file)


def attach(file):
    """The loop device over `file`, which it reads past the page cache where it can: else a block would be cached twice, once outside
    all limits."""
    command = ["losetup", "--find", "--show"]
    done = subprocess.run([*command, "--direct-io=on", str(file)], capture_output=True, text=True)
    if done.returncode:
        done = subprocess.run([*command, str(file)], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def number(device):
    at = os.stat(device).st_rdev
    return f"{os.major(at)}:{os.minor(at)}"


def tell_rotational(device, rotational):
    """What the kernel says of it."""
    Path(f"/sys/dev/block/{device}/queue/rotational").write_text(str(int(rotational)))


def tune(device, read_ahead, dirty):
    """`read_ahead`; and at most `dirty` bytes written but not yet on the device, so that one disk's writers wait for that disk."""
    bdi = Path("/sys/class/bdi") / device
    (bdi / "read_ahead_kb").write_text(str(read_ahead >> 10))
    if (bdi / "max_bytes").exists():  # Linux 6.2
        (bdi / "strict_limit").write_text("1")
        (bdi / "max_bytes").write_text(str(dirty))


VM = Path("/proc/sys/vm")
WRITE_BACK = {"dirty_writeback_centisecs": 20, "dirty_bytes": 4 << 30, "dirty_background_bytes": 2 << 30}
RATIOS = ("dirty_ratio", "dirty_background_ratio")  # which the kernel has instead of bytes: of both, one is 0
BEFORE = "write-back.json"  # what was set before the first lab


def separate_write_back(folder):
    """The kernel looks for something to write every 0.2 s, not every 5: those whom a device's own limit stops wait for that look (a
    sort of 160 MB took 26.5 s instead of 23.3). And all devices together have a limit in bytes: a device's own is kept as a part of
    it, and would shrink with the memory that is free. It is this large because a device that has written nothing for 10 s is given
    no more than a hundredth of it. Both are the whole computer's: `folder` keeps what was set."""
    before = folder / BEFORE
    if not before.exists():
        before.write_text(json.dumps({name: (VM / name).read_text().strip() for name in (*WRITE_BACK, *RATIOS)}))
    for name, value in WRITE_BACK.items():
        (VM / name).write_text(str(value))


def write_back_as_before(folder):
    before = folder / BEFORE
    if before.exists():
        for name, value in json.loads(before.read_text()).items():
            if value != "0" or name == "dirty_writeback_centisecs":
                (VM / name).write_text(value)
        before.unlink()


def counters(device):
    """Bytes and requests read and written since this computer started. (The kernel's busy time leaves out what a limit delays.)"""
    fields = [int(x) for x in Path(f"/sys/dev/block/{device}/stat").read_text().split()]
    return {"reads": fields[0], "read_bytes": fields[2] * 512, "writes": fields[4], "write_bytes": fields[6] * 512}


def since(before, now):
    """What `counters` moved by."""
    return {key: value - before[key] for key, value in now.items()}


def in_use(device):
    """Whether the loop device `major:minor` has a file."""
    return Path(f"/sys/dev/block/{device}/loop/backing_file").exists()


def left_over(folder):
    """Loop devices over files in `folder`, deleted or not; before each the one over itself."""
    files = {}
    for backing in Path("/sys/block").glob("loop*/loop/backing_file"):
        with contextlib.suppress(OSError):  # it went away
            files[f"/dev/{backing.parts[3]}"] = backing.read_text().strip()
    below = [device for device, file in files.items() if file.startswith(f"{folder}/")]
    names = {name for device in below for name in (device, device.removeprefix("/dev"))}  # the latter if it was attached in a namespace that is gone
    return [device for device, file in files.items() if file in names] + below


def detach_left_over(folder):
    for device in left_over(folder):
        subprocess.run(["losetup", "--detach", device], capture_output=True)
