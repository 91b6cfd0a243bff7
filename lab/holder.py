"""The first process inside a lab's namespaces: builds the machines, starts the daemons, holds the page caches to their size.

With it die all its processes, mounts, loop devices and networks: that is how a lab ends, whatever happened before.
Run by `cluster.up` as `python3 -m lab.holder NAME` under `unshare`.
"""

import json
import os
import subprocess
import sys
import threading
import time
import traceback

from lab import cgroup, config, disk, hdfs, nic, software, spark, state
from lab.machine import apply_limits, group_name, inside, join_groups

TICK_SECONDS = 0.1
DAEMON_SECONDS = 50


class Holder:
    def __init__(self, name):
        self.name = name
        self.folder = state.folder(name)
        self.config = config.load(json.loads((self.folder / "config.json").read_text()))
        self.groups = cgroup.controllers()
        self.state = state.read(name)
        self.daemons = {}

    def build(self):
        self.phase("machines")
        subprocess.run(["hostname", "head"], check=True)
        nic.create_bridge()
        self.name_machines()
        for index, machine in enumerate(self.config.names, 1):
            self.build_machine(machine, index)
        threading.Thread(target=self.hold_page_caches, daemon=True).start()
        self.start_daemons()
        self.phase("limits")
        for machine in self.config.names:
            apply_limits(self.groups, self.name, machine, self.state["machines"][machine])
        self.phase("ready")

    def phase(self, text):
        self.state["phase"] = text
        state.write(self.name, self.state)

    def name_machines(self):
        """One `hosts` for all, in place of this computer's: names decide which task is local to which block."""
        rows = ["127.0.0.1 localhost", f"{nic.HEAD_ADDRESS} head"]
        rows += [f"{nic.address(i)} {name}" for i, name in enumerate(self.config.names, 1)]
        hosts = self.folder / "hosts"
        hosts.write_text("\n".join(rows) + "\n")
        subprocess.run(["mount", "--bind", str(hosts), "/etc/hosts"], check=True)

    def build_machine(self, name, index):
        kept = subprocess.Popen(["unshare", "--net", "--uts", "sh", "-c", f"hostname {name} && echo && exec sleep infinity"],
                                stdout=subprocess.PIPE)  # fmt: skip
        kept.stdout.readline()
        nic.create(name, index, kept.pid, inside(kept.pid))
        group = group_name(self.name, name)
        self.groups.create(group)
        machine = self.config.machine
        limits = {"cpu": machine.cpu, "page_cache": machine.page_cache, "nic.in": machine.nic, "nic.out": machine.nic}
        record = {"pid": kept.pid, "address": nic.address(index), "limits": limits, "disks": []}
        self.state["machines"][name] = record
        for number, wanted in enumerate(machine.disks, 1):
            mount = self.folder / name / f"disk{number}"
            made = disk.create(self.folder / f"{name}-disk{number}.img", wanted.size, mount, wanted.one_head)
            limits = {key: getattr(wanted, key) for key in config.Disk.LIMITS}
            at_first = disk.counters(made["device"])
            record["disks"].append(made | {"mount": str(mount), "use": wanted.use, "limits": limits, "rotational": wanted.rotational,
                                           "at_first": at_first})  # fmt: skip
            self.phase(f"machines: {name}")
            disk.tune(made["device"], wanted.read_ahead, wanted.dirty)

    def start_daemons(self):
        conf, count = self.folder / "conf", self.config.machines
        self.phase("HDFS and Spark")
        self.warm_up()
        hdfs.configure(conf, self.folder, self.config)
        hdfs.write_command(self.folder / "bin" / "hdfs", conf)
        spark.configure(conf, self.config, self.folder / "events")
        version = self.config.spark_version
        self.environment = os.environ | spark.environment(conf, self.folder, version)
        self.start("master", spark.master_command(version, conf))
        self.format_namenode(hdfs.format_command(conf))
        self.start("namenode", hdfs.namenode_command(conf))
        for name in self.config.names:
            disks = self.state["machines"][name]["disks"]
            local = [f"{d['mount']}/spark" for d in disks if "spark" in d["use"]]
            work = self.folder / name / "work"
            self.start(f"{name} datanode", hdfs.datanode_command(conf, name, [d["mount"] for d in disks if "hdfs" in d["use"]]), name)
            self.start(f"{name} worker", spark.worker_command(version, conf, name, self.config.machine, work), name,
                       SPARK_LOCAL_DIRS=",".join(local), SPARK_LOCAL_HOSTNAME=name)  # fmt: skip
        self.wait_for("datanodes", hdfs.live_datanodes, count)
        self.wait_for("workers", spark.live_workers, count)

    def warm_up(self):
        """Reads the programs once from outside the machines' groups: the page cache of whoever reads first pays for them."""
        for folder in (software.hadoop(), software.spark(self.config.spark_version)):
            for path in folder.rglob("*"):
                if path.suffix in (".jar", ".so") and path.is_file():
                    with open(path, "rb", buffering=0) as file:
                        while file.read(1 << 20):
                            pass

    def format_namenode(self, command):
        with open(self.folder / "log" / "namenode-format.log", "w") as log:
            if subprocess.run(command, stdout=log, stderr=log, env=self.environment).returncode:
                raise RuntimeError(f"namenode -format failed; see {log.name}")

    def start(self, what, command, machine=None, **environment):
        if machine:
            join = join_groups(self.groups.groups(group_name(self.name, machine)))
            command = [*inside(self.state["machines"][machine]["pid"]), *join, *command]
        with open(self.folder / "log" / f"{what.replace(' ', '-')}.log", "w") as log:
            self.daemons[what] = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=self.folder,
                                                  env=self.environment | environment)  # fmt: skip

    def wait_for(self, what, count, wanted):
        deadline = time.monotonic() + DAEMON_SECONDS
        while (now := count()) < wanted:
            if time.monotonic() > deadline:
                raise RuntimeError(f"{now} of {wanted} {what} after {DAEMON_SECONDS} s; see {self.folder}/log")
            for name, process in self.daemons.items():
                if process.poll() is not None:
                    raise RuntimeError(f"{name} ended; see {self.folder}/log/{name.replace(' ', '-')}.log")
            self.phase(f"{now} of {wanted} {what}")
            time.sleep(0.2)

    def hold_page_caches(self):
        """Follows `pellucid-lab set MACHINE page_cache=...` too."""
        while True:
            for name, machine in (state.read(self.name) or self.state)["machines"].items():
                try:
                    self.groups.hold_page_cache(group_name(self.name, name), machine["limits"]["page_cache"])
                except OSError as e:  # pages that cannot be written back at this moment: there is a next one
                    print(f"{name}: page cache: {e}", flush=True)
            time.sleep(TICK_SECONDS)

    def hold(self):
        """Buries orphans for ever, and notes which daemon ended."""
        names = {process.pid: name for name, process in self.daemons.items()}
        while True:
            pid, status = os.wait()
            if pid in names:
                print(f"{names[pid]} ended: status {os.waitstatus_to_exitcode(status)}", flush=True)
                with open(self.folder / "ended", "a") as ended:
                    ended.write(f"{names[pid]}\n")


def main(name):
    holder = Holder(name)
    try:
        holder.build()
    except Exception as e:
        traceback.print_exc()
        holder.phase(f"failed: {e}")
        return 1
    holder.hold()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
