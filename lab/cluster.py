"""A lab from outside: up, down, commands inside its machines, changes while it runs, and its counters.

    from lab.cluster import lab
    with lab("hdd") as cluster:
        cluster.run(["spark-submit", "job.py"])
        cluster.set("m1", {"nic": "1mbit"})
"""

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from lab import cgroup, config, disk, nic, software, spark, state, units
from lab.machine import apply_limits, group_name, inside, join_groups

UP_SECONDS = 120
HEAD = "head"


class LabError(Exception):
    """Something about the lab, for the user: exit status 2."""


def _not_allowed():
    """Why no lab can be changed here, in one line; None if it can."""
    if not sys.platform.startswith("linux"):
        return "the lab wants Linux"
    if os.geteuid() != 0:
        return "the lab wants root: it makes namespaces, mounts and control groups"
    return None


def why_not():
    """Why no lab can be brought up on this computer, in one line; None if one can."""
    if problem := _not_allowed():
        return problem
    wanted = ["unshare", "nsenter", "ip", "tc", "losetup", "mkfs.ext4", "mount", "hostname"]
    if missing := [tool for tool in wanted if not shutil.which(tool)]:
        return f"the lab wants {', '.join(missing)} on the PATH (Debian: util-linux, iproute2, e2fsprogs, mount, hostname)"
    done = subprocess.run(["unshare", "--mount", "--uts", "--pid", "--net", "--fork", "losetup", "--find"], capture_output=True, text=True)
    if done.returncode:
        return f"the lab cannot make namespaces and loop devices here: {done.stderr.strip()}"
    try:
        cgroup.controllers().probe()
    except OSError as e:
        return f"the lab cannot make control groups here: {e}"
    return None


def up(source, say=lambda text: None, name=None):
    """Brings a lab up and returns it; a stale one of the same name is cleaned away first."""
    wanted = config.load(source, name)
    if problem := why_not():
        raise LabError(problem)
    with _locked(wanted.name):
        known = state.read(wanted.name)
        if known and known["phase"] == "ready" and state.alive(known["holder"]):
            raise LabError(f"lab {wanted.name!r} is up already: `pellucid-lab --name {wanted.name} down` ends it")
        _sweep(wanted.name)
        software.spark(wanted.spark_version, say)
        software.hadoop(say)
        if any(each.one_head for each in wanted.machine.disks):
            software.fuse(say)
        try:
            return _build(wanted.name, config.table(source, name), say)
        except BaseException:
            _sweep(wanted.name)
            raise


def _build(name, table, say):
    folder = state.folder(name)
    disk.separate_write_back(state.ROOT)
    for part in ("log", "events", "head"):
        (folder / part).mkdir(parents=True)
    (folder / "events").chmod(0o777)
    (folder / "config.json").write_text(json.dumps(table))
    state.write(name, {"phase": "namespaces", "holder": None, "machines": {}})
    command = ["unshare", "--mount", "--uts", "--pid", "--net", "--fork", "--kill-child", "--mount-proc", "--propagation", "private",
               sys.executable, "-m", "lab.holder", name]  # fmt: skip
    environment = os.environ | {"PYTHONPATH": str(software.REPOSITORY), "PYTHONDONTWRITEBYTECODE": "1"}
    with open(folder / "log" / "holder.log", "w") as log:
        outer = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd="/", env=environment, start_new_session=True)
    deadline, shown = time.monotonic() + UP_SECONDS, None
    while (phase := state.read(name)["phase"]) != "ready":
        if phase != shown:
            say(phase)
            shown = phase
        if outer.poll() is not None or time.monotonic() > deadline:
            phase = state.read(name)["phase"]  # the last that it said
            reason = phase if phase.startswith("failed") else f"stopped at {phase!r}"
            raise LabError(f"the lab did not come up: {reason}\n{_end_of_logs(folder)}")
        time.sleep(0.05)
    known = state.read(name)
    (inner,) = (process for process in state.holders(name) if process[0] != outer.pid)
    state.write(name, known | {"holder": inner})
    return Cluster(name)


def _end_of_logs(folder):
    logs = [path for path in sorted((folder / "log").iterdir()) if path.stat().st_size]
    return "\n".join(f"--- {path.name}\n{path.read_text(errors='replace')[-600:]}" for path in logs[:8])


def down(name="lab"):
    """Ends the lab and cleans up after it, whatever state it is in. True if there was anything."""
    if problem := _not_allowed():
        raise LabError(problem)
    with _locked(name):
        return _sweep(name)


def _sweep(name):
    """Idempotent. What the holder's end does not take with it: throttle rules, control groups, a device caught between two steps."""
    folder, groups = state.folder(name), cgroup.controllers()
    known, holders = state.read(name) or {"machines": {}}, state.holders(name)
    for machine, record in known["machines"].items():
        group = group_name(name, machine)
        for each in record["disks"] if holders else ():  # first, or the last dirty pages would go out at the disk's speed
            with contextlib.suppress(OSError):
                disk.set_limits(groups, group, each, config.Disk.NO_LIMITS)
        with contextlib.suppress(OSError):
            groups.forget(group)
    for process in holders:
        with contextlib.suppress(ProcessLookupError):
            os.kill(process[0], signal.SIGKILL)
        until(lambda p=process: not state.alive(p), f"process {process[0]} to end")
    until(lambda: not disk.left_over(folder), "the loop devices to be free", disk.detach_left_over, folder)
    groups.lift_left_over()
    left = groups.left_over(group_name(name, ""))
    for group in left:
        until(lambda g=group: groups.remove(g), f"control group {group} to be empty")
    found = folder.exists() or bool(left)
    shutil.rmtree(folder, ignore_errors=True)
    if not any(each.is_dir() for each in state.ROOT.iterdir()):
        disk.write_back_as_before(state.ROOT)
    return found


def until(done, what, retry=None, *arguments):
    deadline = time.monotonic() + 20
    while not done():
        if time.monotonic() > deadline:
            raise LabError(f"waited 20 s for {what}")
        if retry:
            retry(*arguments)
        time.sleep(0.02)


@contextlib.contextmanager
def _locked(name):
    try:
        with state.lock(name):
            yield
    except BlockingIOError:
        raise LabError(f"another command is changing lab {name!r}") from None


@contextlib.contextmanager
def lab(source, say=lambda text, end="": None):
    """A lab for the length of a `with` block. Of one in which something fails the logs stay, and their folder is said."""
    cluster = up(source, say)
    try:
        yield cluster
    except Exception:
        with contextlib.suppress(OSError):
            say(f"the lab's logs are in {cluster.keep_logs()}", end="\n")
        raise
    finally:
        down(cluster.name)


class Cluster:
    """A lab that is up. Machines are `head`, `m1`, `m2`, ..."""

    def __init__(self, name="lab"):
        self.name, self.folder = name, state.folder(name)
        known = state.read(name)
        if not known:
            raise LabError(f"no lab {name!r} is up: `pellucid-lab up CONFIG.toml` makes one")
        if known["phase"] != "ready" or not state.alive(known["holder"]):
            raise LabError(f"lab {name!r} is not whole ({known['phase']}): `pellucid-lab --name {name} down` cleans it away")
        self.holder = known["holder"][0]
        self.config = config.load(json.loads((self.folder / "config.json").read_text()))
        self.groups = cgroup.controllers()
        self.machines = list(known["machines"])

    def machine(self, name):
        """What the state file says of one machine."""
        try:
            return state.read(self.name)["machines"][name]
        except KeyError:
            raise LabError(f"no machine {name!r}: there are {', '.join(self.machines)}") from None

    def keep_logs(self):
        """Copies the logs of daemons and applications, which `down` removes, to a folder and returns it."""
        kept = Path(tempfile.mkdtemp(prefix=f"pellucid-lab-{self.name}-"))
        for part in ("log", "events"):
            shutil.copytree(self.folder / part, kept / part)
        return kept

    @property
    def events(self):
        """The folder that applications write their event logs into."""
        return self.folder / "events"

    def command(self, argv, machine=HEAD, cwd=None):
        """`argv` prefixed so that it runs on `machine`, within the machine's limits."""
        enter = ["nsenter", "--target", str(self.holder), "--mount", "--uts", "--pid", "--net", f"--wdns={cwd or os.getcwd()}", "--"]
        if machine == HEAD:
            return [*enter, *argv]
        pid = self.machine(machine)["pid"]
        return [*enter, *inside(pid), *join_groups(self.groups.groups(group_name(self.name, machine))), *argv]

    def environment(self):
        conf, version = self.folder / "conf", self.config.spark_version
        values = spark.environment(conf, self.folder, version)
        path = [str(self.folder / "bin"), f"{values['SPARK_HOME']}/bin", f"{software.spark(version)}/bin", os.environ["PATH"]]
        return os.environ | values | {"PATH": os.pathsep.join(path)}

    def run(self, argv, machine=HEAD, **options):
        """subprocess.run of a command on a machine."""
        options.setdefault("check", True)
        return subprocess.run(self.command(argv, machine, options.pop("cwd", None)), env=self.environment(), **options)

    def set(self, name, changes):
        """Changes limits while jobs run: {"nic": "1mbit", "disk1.read": "50MB/s", "disk2": "ssd*0.1", "cpu": "0.2", "page_cache": ...}."""
        machines = self.machines if name == "all" else [name]
        with _locked(self.name):
            known = state.read(self.name)
            for machine in machines:
                self.machine(machine)
                parsed = [change for key, value in changes.items() for change in _change(known["machines"][machine], key, str(value))]
                for limits, key, value in parsed:
                    limits[key] = value
                self._apply(machine, known["machines"][machine])
            state.write(self.name, known)

    def _apply(self, name, record):
        apply_limits(self.groups, self.name, name, record, enter=self.command([]))

    @contextlib.contextmanager
    def unlimited(self):
        """As fast as this computer can for a while: to write an experiment's input."""
        before = state.read(self.name)
        disks = [f"disk{i}" for i in range(1, len(self.config.machine.disks) + 1)]
        self.set("all", dict.fromkeys(["cpu", "nic", *disks], "unlimited"))
        try:
            yield
        finally:
            with _locked(self.name):
                for name, record in before["machines"].items():
                    self._apply(name, record)
                state.write(self.name, before)

    def sync(self):
        """Writes back what is dirty."""
        self._on_each_disk(["sync", "--file-system"])

    def drop_caches(self):
        """Writes back what is dirty and empties every machine's page cache. Directories and inodes go with it, and are looked up again: a machine
        that is up for long knows them, as a datanode adds up what its disks have every ten minutes."""
        self.sync()
        for machine in self.machines:
            self.groups.drop_page_cache(group_name(self.name, machine))
        self._on_each_disk(["du", "--summarize"], check=False, capture_output=True)  # files may go meanwhile

    def _on_each_disk(self, command, **options):
        mounts = [each["mount"] for record in state.read(self.name)["machines"].values() for each in record["disks"]]
        with ThreadPoolExecutor(len(mounts)) as pool:
            list(pool.map(lambda mount: self.run([*command, mount], cwd="/", **options), mounts))

    def compiler_seconds(self):
        """CPU time of the compilers of its machines' JVMs since those came up."""
        return sum(self.groups.thread_seconds(group_name(self.name, name), "CompilerThre") for name in self.machines)

    def counters(self):
        """Since the machine came up: {machine: {cpu_seconds, page_cache_bytes, allocated_bytes, nic_in_bytes, nic_out_bytes,
        disks: [{reads, read_bytes, writes, write_bytes}]}}."""
        network, result = nic.counters(self.holder), {}
        for name, record in state.read(self.name)["machines"].items():
            group = group_name(self.name, name)
            allocated, cache = self.groups.memory(group)
            out_bytes, in_bytes = network[name]  # the bridge's end: what it received, the machine sent
            result[name] = {
                "cpu_seconds": self.groups.cpu_seconds(group),
                "page_cache_bytes": cache,
                "allocated_bytes": allocated,
                "nic_in_bytes": in_bytes,
                "nic_out_bytes": out_bytes,
                "disks": [disk.since(each["at_first"], disk.counters(each["device"])) for each in record["disks"]],
            }
        return result

    def ended(self):
        """Daemons that ended since the lab came up: there should be none."""
        path = self.folder / "ended"
        return path.read_text().split("\n")[:-1] if path.exists() else []


def _change(record, key, value):
    """[(the dict of limits, key, new value)] that one assignment of `set` means."""
    limits, parsers = record["limits"], {"cpu": units.cores, "page_cache": units.size, "nic.in": units.network_rate, "nic.out": units.network_rate}
    try:
        if key == "nic":
            return [(limits, each, _positive(units.network_rate(value))) for each in ("nic.in", "nic.out")]
        if key in parsers:
            return [(limits, key, _positive(parsers[key](value)))]
        head, _, rest = key.partition(".")
        number = int(head.removeprefix("disk")) if head.startswith("disk") and head[4:].isdigit() else 0
        if 1 <= number <= len(record["disks"]):
            target = record["disks"][number - 1]["limits"]
            if not rest and value == "unlimited":
                return [(target, each, rate) for each, rate in config.Disk.NO_LIMITS.items()]
            if not rest:
                kind, _, speed = value.partition("*")
                disk = {"kind": kind, "speed": float(speed or 1)}
                changes = [(target, each, rate) for each, rate in config.disk_limits(disk, key).items()]
                return [*changes, (record["disks"][number - 1], "rotational", config.is_rotational(disk))]
            if rest in config.Disk.LIMITS:
                return [(target, rest, _positive(config.Disk.LIMITS[rest](value)))]
    except (ValueError, config.ConfigError) as e:
        raise LabError(f"{key}={value}: {e}") from None
    disks = [f"disk{i}" for i in range(1, len(record["disks"]) + 1)]
    known = ["nic", *parsers, *disks, *(f"{d}.{limit}" for d in disks for limit in config.Disk.LIMITS)]
    raise LabError(f"{key}: no such limit; there are {', '.join(known)}")


def _positive(value):
    if value <= 0:
        raise ValueError("a limit is above 0")
    return value
