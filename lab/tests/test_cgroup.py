"""What is written into control groups of either version, in a folder that looks like theirs."""

import pytest

from lab import cgroup, units

GROUP = "pellucid-lab-x-m1"
LIMITS = {"read": 130 * 2**20, "write": units.UNLIMITED, "read_iops": 500.0, "write_iops": 0.5}


@pytest.fixture
def v1(tmp_path):
    for kind in ("cpu", "cpuacct", "memory", "blkio"):
        (tmp_path / kind).mkdir()
    groups = cgroup.controllers(tmp_path)
    groups.create(GROUP)
    return groups


@pytest.fixture
def v2(tmp_path):
    (tmp_path / "cgroup.controllers").write_text("cpuset cpu io memory pids\n")
    groups = cgroup.controllers(tmp_path)
    groups.create(GROUP)
    return groups


def test_version_1_cpu_and_disk(v1, tmp_path):
    v1.set_cpu(GROUP, 0.45)
    assert (tmp_path / "cpu" / GROUP / "cpu.cfs_quota_us").read_text() == "9000"  # of a period of 20,000
    v1.set_cpu(GROUP, 0.01)  # the kernel's least quota is 1,000
    assert (tmp_path / "cpu" / GROUP / "cpu.cfs_quota_us").read_text() == "1000"
    assert (tmp_path / "cpu" / GROUP / "cpu.cfs_period_us").read_text() == "100000"
    v1.set_cpu(GROUP, units.UNLIMITED)
    assert (tmp_path / "cpu" / GROUP / "cpu.cfs_quota_us").read_text() == "-1"
    v1.set_disk(GROUP, "7:3", LIMITS)
    rules = {path.name: path.read_text() for path in (tmp_path / "blkio").iterdir()}  # in the root group
    assert rules["blkio.throttle.read_bps_device"] == f"7:3 {130 * 2**20}"
    assert rules["blkio.throttle.write_bps_device"] == "7:3 0"  # 0 lifts a rule
    assert rules["blkio.throttle.read_iops_device"] == "7:3 500"
    assert rules["blkio.throttle.write_iops_device"] == "7:3 1"  # less than one would lift it


def test_version_1_limits_of_disks_that_are_no_more(v1, tmp_path):
    rules = tmp_path / "blkio" / "blkio.throttle.read_iops_device"
    rules.write_text("7:4095 1600\n")  # no loop device has this number
    v1.lift_left_over()
    assert rules.read_text() == "7:4095 0"
    rules.write_text("8:0 1600\n")  # somebody else's
    v1.lift_left_over()
    assert rules.read_text() == "8:0 1600\n"


def test_version_1_page_cache_follows_what_is_allocated(v1, tmp_path):
    group = tmp_path / "memory" / GROUP
    (group / "memory.stat").write_text(f"cache {100 << 20}\nrss {290 << 20}\n")
    (group / "memory.usage_in_bytes").write_text(str(400 << 20))
    (group / "memory.limit_in_bytes").write_text(str(1 << 62))
    v1.hold_page_cache(GROUP, 256 << 20)
    # 400 MB in use, 100 of them page cache: 300 are allocated, and 256 more are for the cache
    assert int((group / "memory.limit_in_bytes").read_text()) == (300 + 256) << 20


def test_version_2(v2, tmp_path):
    group = tmp_path / GROUP
    v2.set_cpu(GROUP, 0.45)
    assert (group / "cpu.max").read_text() == "9000 20000"
    v2.set_disk(GROUP, "7:3", LIMITS)
    assert (group / "io.max").read_text() == f"7:3 rbps={130 * 2**20} wbps=max riops=500 wiops=1"
    (group / "memory.stat").write_text(f"anon {290 << 20}\nfile {100 << 20}\n")
    (group / "memory.current").write_text(str(400 << 20))
    (group / "memory.high").write_text("max\n")
    v2.hold_page_cache(GROUP, 256 << 20)
    assert int((group / "memory.high").read_text()) == (300 + 256) << 20


def test_version_2_without_a_controller(tmp_path):
    (tmp_path / "cgroup.controllers").write_text("cpu pids\n")
    with pytest.raises(OSError, match="no memory controller"):
        cgroup.controllers(tmp_path).create(GROUP)


def test_version_2_without_memory_reclaim_is_told(v2, tmp_path):
    with pytest.raises(OSError, match="Linux 5.19"):
        v2.probe()
    assert not (tmp_path / "pellucid-lab-probe").exists()
