"""Configurations and units: what they mean, and that wrong ones name what is wrong. No root needed."""

import pytest

from lab import config, units
from lab.cluster import LabError, _change


def test_units():
    assert units.size("256MB") == 256 * 2**20
    assert units.disk_rate("1.5MB/s") == 1.5 * 2**20
    assert units.network_rate("0.1mbit") == 100_000  # decimal, bits
    assert units.count("16k") == 16_000
    assert units.cores("unlimited") == units.UNLIMITED
    assert units.show_size(30 << 10) == "30 KB"
    assert units.show_network_rate(999_900_000) == "1gbit"


def test_a_kind_of_disk_and_its_speed():
    disk = config.load({"machine": {"disk": [{"kind": "hdd", "speed": 0.1}]}}).machine.disks[0]
    assert disk.read == pytest.approx(13 * 2**20)  # a tenth of 130 MB/s
    assert disk.read_iops == pytest.approx(50)
    # Doppio Fig. 5: 15 MB/s at 30 KB, here a tenth: 50 requests of 30 KB
    assert disk.read_iops * 30 * 2**10 == pytest.approx(1.5e6, rel=0.03)
    assert disk.read_ahead >= disk.read / disk.read_iops  # or a sequential reader would be held up by the IOPS limit


def test_a_limit_beside_the_kind_wins():
    disk = config.load({"machine": {"disk": [{"kind": "ssd", "write": "100MB/s"}]}}).machine.disks[0]
    assert (disk.read, disk.write) == (480 * 2**20, 100 * 2**20)


def test_presets_are_the_papers_disks():
    assert config.load("hdd").machine.disks[0].read_iops == 500
    assert config.load("ssd").machine.disks[0].read == 480 * 2**20


def test_replication_is_at_most_the_number_of_machines():
    assert config.load({"machines": 2}).replication == 2


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ({"machnes": 4}, "machnes: unknown"),
        ({"machines": 0}, "machines: 0"),
        ({"machine": {"nic": "fast"}}, "machine.nic: 'fast' is not like 100mbit"),
        ({"machine": {"cpu": 0}}, "machine.cpu: 0 is not above 0"),
        ({"machine": {"disk": [{"kind": "tape"}]}}, "machine.disk[1].kind: 'tape' is none of hdd, ssd"),
        ({"machine": {"disk": [{"use": ["hdfs"]}]}}, "no disk has 'spark'"),
        ({"machine": {"disk": [{"speed": -1}]}}, "machine.disk[1].speed: -1"),
        ({"machine": {"disk": [{"one_head": "yes"}]}}, "machine.disk[1].one_head: 'yes' is not true or false"),
        ({"machine": []}, "machine: is not a table"),
        ({"name": "../x"}, "name: '../x'"),
    ],
)
def test_what_is_wrong_is_named(table, said):
    with pytest.raises(config.ConfigError) as e:
        config.load(table)
    assert said in str(e.value)


def test_a_missing_file_and_a_broken_one(tmp_path):
    with pytest.raises(config.ConfigError, match=r"nothing.toml: .*presets are hdd, ssd"):
        config.load(tmp_path / "nothing.toml")
    broken = tmp_path / "broken.toml"
    broken.write_text("machines = ")
    with pytest.raises(config.ConfigError, match="broken.toml"):
        config.load(broken)


RECORD = {"limits": {"cpu": 1.0, "page_cache": 1, "nic.in": 1.0, "nic.out": 1.0}, "disks": [{"limits": dict.fromkeys(config.Disk.LIMITS, 1.0), "rotational": False}]}


@pytest.mark.parametrize(
    ("key", "value", "changed"),
    [
        ("nic", "1mbit", {"nic.in": 1e6, "nic.out": 1e6}),
        ("nic.out", "unlimited", {"nic.out": units.UNLIMITED}),
        ("disk1.read", "50MB/s", {"read": 50 * 2**20}),
        ("disk1", "hdd*0.5", {"read": 65 * 2**20, "write": 65 * 2**20, "read_iops": 250, "write_iops": 250, "rotational": True}),
        ("page_cache", "64MB", {"page_cache": 64 * 2**20}),
    ],
)
def test_set(key, value, changed):
    assert {name: new for _, name, new in _change(RECORD, key, value)} == changed


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("disk2", "ssd", "disk2: no such limit; there are nic, cpu"),
        ("nic", "1MB/s", "nic=1MB/s: '1MB/s' is not like 100mbit"),
        ("disk1", "tape", "disk1=tape"),
        ("disk1.read", "0MB/s", "above 0"),
        ("gpu", "1", "gpu: no such limit"),
    ],
)
def test_set_wrongly(key, value, said):
    with pytest.raises(LabError) as e:
        _change(RECORD, key, value)
    assert said in str(e.value)
