"""Limits of a machine through control groups, version 1 or 2: its share of the CPU, its page cache, its disks.

The page cache is bounded apart from the heaps: the group's limit follows what its processes have allocated, plus the cache that
the machine is to have (`hold_page_cache`, called several times a second). While a heap grows between two calls the cache
shrinks, as it would on a real machine; no process is ever killed for it.
"""

import contextlib
from pathlib import Path

from lab import disk, units

PERIOD_US, MAX_PERIOD_US = 20_000, 1_000_000
MIN_QUOTA_US = 1_000
_STEP = 1 << 20  # the limit is left alone while it is this close
_NEVER = (1 << 63) - 4096


def controllers(root=Path("/sys/fs/cgroup")):
    """The version that this computer uses."""
    if (root / "cgroup.controllers").exists():
        return V2(root)
    return V1(root)


def _write(path, value):
    path.write_text(str(value))


def _quota(cores, unlimited):
    """(quota, period): of a small share the period is longer, as the kernel gives no less than a millisecond in one."""
    if cores == units.UNLIMITED:
        return unlimited, PERIOD_US
    period = min(MAX_PERIOD_US, max(PERIOD_US, int(MIN_QUOTA_US / cores)))
    return max(MIN_QUOTA_US, int(cores * period)), period


def _pairs(path):
    return {key: int(value) for key, value in (line.split() for line in path.read_text().splitlines())}


class Groups:
    """What both versions share: a group is one folder or several (`groups`), and its memory limit stands in one file (`memory_limit`)."""

    def probe(self):
        """Raises OSError where a group cannot be made, or its page cache not be emptied."""
        self.create("pellucid-lab-probe")
        try:
            self.probe_page_cache("pellucid-lab-probe")
        finally:
            self.remove("pellucid-lab-probe")

    def probe_page_cache(self, name):
        """Raises OSError where it cannot be emptied."""

    def hold_page_cache(self, name, page_cache):
        file = self.memory_limit(name)
        limit, now = self.memory(name)[0] + page_cache, file.read_text().strip()
        if abs((_NEVER if now == "max" else int(now)) - limit) > _STEP:
            _write(file, limit)

    def thread_seconds(self, name, part):
        """CPU time of the threads that it has now and that have this in their name."""
        seconds = 0
        for process in (self.groups(name)[0] / "cgroup.procs").read_text().split():
            for thread in Path("/proc").glob(f"{process}/task/*"):
                with contextlib.suppress(OSError):  # it has ended
                    if part in (thread / "comm").read_text():
                        seconds += int((thread / "schedstat").read_text().split()[0]) / 1e9
        return seconds

    def left_over(self, prefix):
        """Names of groups that begin with `prefix`."""
        return sorted({path.name for top in self.groups("") for path in top.glob(f"{prefix}*") if path.is_dir()})

    def lift_left_over(self):
        """Limits of disks that are no more, of whatever lab: what is killed cannot lift its own."""

    def remove(self, name):
        """False while a process is still in it."""
        try:
            for group in self.groups(name):
                if group.exists():
                    group.rmdir()
        except OSError:
            return False
        return True


class V1(Groups):
    """One hierarchy per resource. Disk limits stand in the root group: writeback escapes those of any other (no process may
    have to be moved for them, either), and each rule is for one loop device, so that a machine is still told apart."""

    def __init__(self, root):
        self.root = root

    def groups(self, name):
        return [self.root / kind / name for kind in ("cpu", "cpuacct", "memory")]

    def create(self, name):
        for group in self.groups(name):
            group.mkdir(exist_ok=True)
        _write(self.root / "memory" / name / "memory.oom_control", 1)

    def set_cpu(self, name, cores):
        group, (quota, period) = self.root / "cpu" / name, _quota(cores, -1)
        _write(group / "cpu.cfs_period_us", period)
        _write(group / "cpu.cfs_quota_us", quota)

    def set_disk(self, name, device, limits):
        for key, value in limits.items():
            kind, unit = (key.removesuffix("_iops"), "iops") if key.endswith("_iops") else (key, "bps")
            rule = 0 if value == units.UNLIMITED else max(1, int(value))
            _write(self.root / "blkio" / f"blkio.throttle.{kind}_{unit}_device", f"{device} {rule}")

    def lift_left_over(self):
        for file in (self.root / "blkio").glob("blkio.throttle.*_device"):
            for device in (line.split()[0] for line in file.read_text().splitlines()):
                if device.startswith("7:") and not disk.in_use(device):
                    with contextlib.suppress(OSError):  # the others' limits are lifted all the same
                        _write(file, f"{device} 0")

    def cpu_seconds(self, name):
        return int((self.root / "cpuacct" / name / "cpuacct.usage").read_text()) / 1e9

    def memory(self, name):
        """(allocated, page cache) in bytes."""
        group = self.root / "memory" / name
        cache = _pairs(group / "memory.stat")["cache"]
        return max(0, int((group / "memory.usage_in_bytes").read_text()) - cache), cache

    def memory_limit(self, name):
        return self.root / "memory" / name / "memory.limit_in_bytes"

    def drop_page_cache(self, name):
        _write(self.root / "memory" / name / "memory.force_empty", 0)

    def forget(self, name):
        """Lets the kernel take its memory back at once, so that nothing waits for the holder of the limit."""
        _write(self.memory_limit(name), -1)


class V2(Groups):
    """One hierarchy; writeback is charged to who wrote, so a machine's disk limits stand in its own group."""

    def __init__(self, root):
        self.root = root

    def groups(self, name):
        return [self.root / name]

    def create(self, name):
        for controller in ("cpu", "memory", "io"):
            if controller not in (self.root / "cgroup.controllers").read_text().split():
                raise OSError(f"{self.root}: no {controller} controller in cgroup.controllers")
            _write(self.root / "cgroup.subtree_control", f"+{controller}")
        (self.root / name).mkdir(exist_ok=True)

    def set_cpu(self, name, cores):
        quota, period = _quota(cores, "max")
        _write(self.root / name / "cpu.max", f"{quota} {period}")

    def set_disk(self, name, device, limits):
        short = {"read": "rbps", "write": "wbps", "read_iops": "riops", "write_iops": "wiops"}
        rules = (f"{short[k]}={'max' if v == units.UNLIMITED else max(1, int(v))}" for k, v in limits.items())
        _write(self.root / name / "io.max", f"{device} {' '.join(rules)}")

    def cpu_seconds(self, name):
        return _pairs(self.root / name / "cpu.stat")["usage_usec"] / 1e6

    def memory(self, name):
        """(allocated, page cache) in bytes."""
        cache = _pairs(self.root / name / "memory.stat")["file"]
        return max(0, int((self.root / name / "memory.current").read_text()) - cache), cache

    def memory_limit(self, name):
        return self.root / name / "memory.high"

    def probe_page_cache(self, name):
        if not (self.root / name / "memory.reclaim").exists():
            raise OSError("no memory.reclaim, by which a page cache is emptied: that wants Linux 5.19")

    def drop_page_cache(self, name):
        try:
            _write(self.root / name / "memory.reclaim", self.memory(name)[1])
        except BlockingIOError:  # less could be reclaimed than was asked for: pages in use
            pass

    def forget(self, name):
        _write(self.memory_limit(name), "max")
