"""This computer as it is, in place of a lab: an application on it is Spark's `local` mode, and has files on the computer's own disk, and no limits."""

import contextlib
import os
import shutil

from bench.tables import WORK
from lab import cgroup, config, disk, software, spark, units
from lab.cluster import LabError, until
from lab.machine import group_name, join_groups

CORES = 2
MEMORY = 2 << 30
MACHINE = "here"


@contextlib.contextmanager
def local(name):
    """What an application needs of a lab's `Cluster`, for the length of a `with` block; it runs in the folder `files`."""
    folder, groups, group = WORK / "local" / name, cgroup.controllers(), group_name("local", name)
    shutil.rmtree(folder, ignore_errors=True)
    for part in ("log", "events", "files"):
        (folder / part).mkdir(parents=True)
    try:
        groups.create(group)
    except OSError as e:
        raise LabError(f"CPU time and page caches are told apart by control groups, which cannot be made here: {e}") from None
    spark.configure_local(folder / "conf", CORES, MEMORY, folder / "events")
    try:
        yield Local(folder, groups, group)
    finally:
        until(lambda: groups.remove(group), f"control group {group} to be empty")
        shutil.rmtree(folder / "files")


class Local:
    """One machine; its control group is for what it counts, not for limits."""

    machines = (MACHINE,)

    def __init__(self, folder, groups, group):
        self.folder, self.groups, self.group = folder, groups, group
        device = os.stat(folder).st_dev
        self.device = f"{os.major(device)}:{os.minor(device)}"

    @property
    def events(self):
        return self.folder / "events"

    def command(self, argv):
        return [*join_groups(self.groups.groups(self.group)), "env", f"--chdir={self.folder / 'files'}", *argv]

    def environment(self):
        version = config.Config.spark_version
        values = spark.environment(self.folder / "conf", self.folder, version) | {"SPARK_LOCAL_IP": "127.0.0.1"}
        return os.environ | values | {"PATH": os.pathsep.join([f"{software.spark(version)}/bin", os.environ["PATH"]])}

    def machine(self, _):
        limits = {"nic.in": units.UNLIMITED, "nic.out": units.UNLIMITED}
        return {"limits": limits, "disks": [{"use": ["hdfs", "spark"], "limits": config.Disk.NO_LIMITS}]}

    def unlimited(self):
        return contextlib.nullcontext()

    def sync(self):
        os.sync()

    def drop_caches(self):
        """Of what its applications have read and written."""
        self.sync()
        self.groups.drop_page_cache(self.group)

    def compiler_seconds(self):
        return self.groups.thread_seconds(self.group, "CompilerThre")

    def counters(self):
        """As a lab has them; the disk's are of all that this computer does."""
        return {MACHINE: {"cpu_seconds": self.groups.cpu_seconds(self.group), "nic_in_bytes": 0, "nic_out_bytes": 0,
                          "disks": [disk.counters(self.device)]}}  # fmt: skip
