"""A lab's configuration: a TOML file (lab/presets has two) or the same as a dict, checked, as plain data in bytes, bits and seconds.

    machines = 4                 # workers, m1 to m4; `head` carries the namenode, Spark's master and the driver
    name = "lab"                 # several labs can be up at once under different names
    [machine]
    cores = 2                    # tasks at once
    cpu = 0.45                   # real cores that the machine gets at most
    page_cache = "256MB"         # beside what its processes allocate
    nic = "1gbit"                # each direction
    executor_memory = "768MB"
    [[machine.disk]]
    kind = "hdd"                 # or "ssd"; or any of read, write (bytes/s), read_iops, write_iops
    speed = 0.2                  # of all the kind's limits: a slower disk of the same shape
    one_head = true              # reads and writes take turns, and each seek is time: a real HDD; else both have the limits to themselves
    size = "4GB"
    use = ["hdfs", "spark"]      # a datanode's volume, Spark's local folder, or both
    dirty = "32MB"               # what may wait in the page cache to be written to it
    read_ahead = "1MB"           # the kernel's; by default this of a datanode's volume, 32KB of another
    [hdfs]
    replication = 3
    block = "16MB"
    [spark]
    version = "4.1.4"
    conf = { "spark.speculation" = "true" }
"""

import dataclasses
import tomllib
from dataclasses import dataclass, field
from pathlib import Path

from lab import units

PRESETS = Path(__file__).parent / "presets"

# Doppio Fig. 5: an HDD reads 128 MB requests at 129 MB/s and 30 KB requests at 15 MB/s, an SSD both at 480 MB/s
KINDS = {
    "hdd": {"read": "130MB/s", "write": "130MB/s", "read_iops": "500", "write_iops": "500"},
    "ssd": {"read": "480MB/s", "write": "480MB/s", "read_iops": "16k", "write_iops": "16k"},
}


class ConfigError(Exception):
    """What is wrong and where, for the user: exit status 2."""


@dataclass(frozen=True)
class Disk:
    """Limits of one disk; rates in bytes per second, requests per second."""

    read: float = units.UNLIMITED
    write: float = units.UNLIMITED
    read_iops: float = units.UNLIMITED
    write_iops: float = units.UNLIMITED
    size: int = 4 << 30
    use: tuple = ("hdfs", "spark")
    read_ahead: int = 0
    dirty: int = 32 << 20
    rotational: bool = True  # as the kernel says of it; an SSD is not
    one_head: bool = False

    LIMITS = {"read": units.disk_rate, "write": units.disk_rate, "read_iops": units.count, "write_iops": units.count}
    NO_LIMITS = dict.fromkeys(LIMITS, units.UNLIMITED)


@dataclass(frozen=True)
class Machine:
    disks: tuple
    cores: int = 2
    cpu: float = 0.45
    page_cache: int = 256 << 20
    nic: float = 1e9
    executor_memory: int = 768 << 20


@dataclass(frozen=True)
class Config:
    machine: Machine
    machines: int = 4
    name: str = "lab"
    replication: int = 3
    block: int = 16 << 20
    spark_version: str = "4.1.4"
    spark_conf: dict = field(default_factory=dict)

    @property
    def names(self):
        return [f"m{i}" for i in range(1, self.machines + 1)]


def load(source, name=None):
    """`source`: a dict, a file's path or a preset's name. `name`: of the lab, whatever that says."""
    return _config(table(source, name), "configuration" if isinstance(source, dict) else source)


def table(source, name=None):
    """The same as a dict."""
    return _table(source) | ({"name": name} if name else {})


def _table(source):
    if isinstance(source, dict):
        return source
    path = Path(source)
    preset = PRESETS / f"{source}.toml"
    if not path.is_file() and preset.exists():
        path = preset
    try:
        return tomllib.loads(path.read_text())
    except OSError as e:
        names = ", ".join(sorted(p.stem for p in PRESETS.glob("*.toml")))
        raise ConfigError(f"{source}: {e.strerror}; presets are {names}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as e:
        raise ConfigError(f"{path}: {e}") from None


def lab_name(text):
    """Itself. It becomes a folder's name, and what is in there goes with the lab."""
    if not text.replace("-", "").replace("_", "").isalnum():
        raise ConfigError(f"name: {text!r} has other than letters, digits, - and _")
    return text


def disk_limits(table, where="disk"):
    """The limits that `kind`, `speed` and single limits together say."""
    kind = table.get("kind")
    if kind is not None and kind not in KINDS:
        raise ConfigError(f"{where}.kind: {kind!r} is none of {', '.join(KINDS)}")
    speed = table.get("speed", 1.0)
    if not isinstance(speed, (int, float)) or speed <= 0:
        raise ConfigError(f"{where}.speed: {speed!r} is not a positive number")
    limits = {}
    for key, parse in Disk.LIMITS.items():
        if kind:
            limits[key] = parse(KINDS[kind][key]) * speed
        if key in table:
            limits[key] = _parsed(parse, table[key], f"{where}.{key}")
    return limits


def is_rotational(table):
    return table.get("kind") != "ssd"


def _config(table, source):
    try:
        _known(table, "", {"machines", "name", "machine", "hdfs", "spark"})
        hdfs, spark = table.get("hdfs", {}), table.get("spark", {})
        _known(hdfs, "hdfs.", {"replication", "block"})
        _known(spark, "spark.", {"version", "conf"})
        machines = _whole(table.get("machines", 4), "machines", 1, 200)
        conf = spark.get("conf", {})
        return Config(
            machine=_machine(table.get("machine", {})),
            machines=machines,
            name=lab_name(str(table.get("name", Config.name))),
            replication=min(machines, _whole(hdfs.get("replication", 3), "hdfs.replication", 1, 200)),
            block=_parsed(units.size, hdfs.get("block", "16MB"), "hdfs.block"),
            spark_version=str(spark.get("version", Config.spark_version)),
            spark_conf={key: str(value) for key, value in conf.items()},
        )
    except ConfigError as e:
        raise ConfigError(f"{source}: {e}") from None


def _machine(table):
    _known(table, "machine.", {"cores", "cpu", "page_cache", "nic", "executor_memory", "disk"})
    parsers = {"cpu": units.cores, "page_cache": units.size, "nic": units.network_rate, "executor_memory": units.size}
    values = {key: _parsed(parse, table[key], f"machine.{key}") for key, parse in parsers.items() if key in table}
    if "cores" in table:
        values["cores"] = _whole(table["cores"], "machine.cores", 1, 64)
    disks = table.get("disk", [{"kind": "hdd"}])
    machine = Machine(disks=tuple(_disk(d, f"machine.disk[{i}]") for i, d in enumerate(disks, 1)), **values)
    for use in ("hdfs", "spark"):
        if not any(use in d.use for d in machine.disks):
            raise ConfigError(f"machine.disk: no disk has {use!r} in `use`")
    return machine


def _disk(table, where):
    _known(table, f"{where}.", {"kind", "speed", "one_head", "size", "use", "read_ahead", "dirty", *Disk.LIMITS})
    values = disk_limits(table, where)
    for key in ("size", "read_ahead", "dirty"):
        if key in table:
            values[key] = _parsed(units.size, table[key], f"{where}.{key}")
    if "use" in table:
        values["use"] = tuple(table["use"])
        if not values["use"] or set(values["use"]) - {"hdfs", "spark"}:
            raise ConfigError(f"{where}.use: {table['use']!r} has other than \"hdfs\" and \"spark\"")
    one_head = table.get("one_head", False)
    if not isinstance(one_head, bool):
        raise ConfigError(f"{where}.one_head: {one_head!r} is not true or false")
    disk = Disk(**values, rotational=is_rotational(table), one_head=one_head)
    # The IOPS limit counts requests as the kernel sends them, so that a sequential reader needs a read-ahead above
    # rate/IOPS, while shuffle blocks are small and far apart: reading ahead would only read what nobody wants.
    return disk if disk.read_ahead else dataclasses.replace(disk, read_ahead=(1024 if "hdfs" in disk.use else 32) << 10)


def _known(table, prefix, keys):
    if not isinstance(table, dict):
        raise ConfigError(f"{prefix.rstrip('.')}: is not a table")
    for key in table:
        if key not in keys:
            raise ConfigError(f"{prefix}{key}: unknown; known are {', '.join(sorted(keys))}")


def _whole(value, where, low, high):
    if not isinstance(value, int) or not low <= value <= high:
        raise ConfigError(f"{where}: {value!r} is not a whole number from {low} to {high}")
    return value


def _parsed(parse, value, where):
    try:
        parsed = parse(str(value))
    except ValueError as e:
        raise ConfigError(f"{where}: {e}") from None
    if parsed <= 0:
        raise ConfigError(f"{where}: {value!r} is not above 0")
    return parsed
