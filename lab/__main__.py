"""The `pellucid-lab` command."""

import argparse
import signal
import subprocess
import sys
import time

from lab import check, experiment, hdfs, software, spark, units
from lab.cluster import Cluster, LabError, down, up
from lab.config import Config, ConfigError, lab_name


def main(arguments):
    try:
        options = parser().parse_args(arguments)
        return options.run(options) or 0
    except (ConfigError, LabError, software.Missing, PermissionError, subprocess.CalledProcessError) as e:
        print(f"pellucid-lab: {e}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130


def parser():
    top = argparse.ArgumentParser(prog="pellucid-lab", description=__import__("lab").__doc__)
    top.add_argument("--name", type=lab_name, help=f"of the lab, when several are up: {Config.name} unless told, or what `up` is given says")
    commands = top.add_subparsers(required=True, metavar="COMMAND")

    def command(name, function, text):
        each = commands.add_parser(name, help=text, description=text)
        each.set_defaults(run=function)
        return each

    command("up", bring_up, "bring a lab up").add_argument("config", help="a TOML file, or a preset: hdd, ssd")
    command("status", show_status, "its machines, their limits and what they use")
    each = command("set", set_limits, "change a machine's limits, also while jobs run")
    each.add_argument("machine", help="m1, m2, ... or all")
    each.add_argument("limit", nargs="+", help="nic=1mbit, nic.in, nic.out, disk1=ssd, disk1=ssd*0.1, disk1.read=50MB/s, disk1.read_iops=100, "
                      "cpu=0.2, page_cache=128MB; `unlimited` lifts any but the page cache's")  # fmt: skip
    each = command("run", run_command, "run a command in a machine: `run -- spark-submit job.py`, `run -- hdfs dfs -ls /`")
    each.add_argument("--on", default="head", help="the machine; head unless told")
    each.add_argument("argv", nargs="+", metavar="CMD")
    command("drop-caches", drop_caches, "write back what is dirty and empty the page caches, but for directories and inodes")
    command("check", check_lab, "measure every limit; status 1 if one is more than 10 %% off")
    command("down", bring_down, "end the lab and leave nothing behind")
    each = command("experiment", run_experiment, "set a lab up, run an experiment, write its tables")
    each.add_argument("experiment", help=", ".join(experiment.names()))
    each.add_argument("rest", nargs=argparse.REMAINDER, help="its own options; -h shows them")
    return top


def progress():
    """A line that is written over on a terminal, and lines elsewhere."""
    started, terminal = time.monotonic(), sys.stderr.isatty()

    def say(text, end="" if terminal else "\n"):
        line = f"{time.monotonic() - started:5.1f} s  {text}"
        print(f"\r\033[K{line}" if terminal else line, end=end, file=sys.stderr, flush=True)

    return say


def named(options):
    return options.name or Config.name


def bring_up(options):
    say = progress()
    cluster = up(options.config, say, options.name)
    say(f"lab {cluster.name!r} is up: {', '.join(cluster.machines)}; HDFS {hdfs.URI}, Spark {spark.MASTER}", end="\n")


def bring_down(options):
    started = time.monotonic()
    name = named(options)
    found = down(name)
    print(f"{time.monotonic() - started:.1f} s  lab {name!r} is gone" if found else f"no lab {name!r} was up")


def show_status(options):
    cluster = Cluster(named(options))
    counters = cluster.counters()
    for name in cluster.machines:
        record, now = cluster.machine(name), counters[name]
        limits = record["limits"]
        cpu = "unlimited" if limits["cpu"] == units.UNLIMITED else f"{limits['cpu']:g} cores"
        print(f"{name}  {record['address']}  cpu {cpu}, {now['cpu_seconds']:.0f} s used"
              f"  memory {units.show_size(now['allocated_bytes'])} allocated"
              f"  page cache {units.show_size(now['page_cache_bytes'])} of {units.show_size(limits['page_cache'])}"
              f"  nic in {units.show_network_rate(limits['nic.in'])}, out {units.show_network_rate(limits['nic.out'])}")  # fmt: skip
        for number, (each, used) in enumerate(zip(record["disks"], now["disks"]), 1):
            rates = ", ".join(f"{key} {show_limit(key, value)}" for key, value in each["limits"].items())
            print(f"    disk{number}  {'+'.join(each['use'])}  {rates}"
                  f"  {units.show_size(used['read_bytes'])} read, {units.show_size(used['write_bytes'])} written")  # fmt: skip
    for daemon in cluster.ended():
        print(f"ENDED: {daemon}; its log is in {cluster.folder}/log")


def show_limit(key, value):
    return f"{value:g}" if key.endswith("iops") else units.show_disk_rate(value)


def set_limits(options):
    changes = {}
    for text in options.limit:
        key, equals, value = text.partition("=")
        if not equals:
            raise LabError(f"{text}: is not like nic=1mbit")
        changes[key] = value
    Cluster(named(options)).set(options.machine, changes)


def run_command(options):
    code = Cluster(named(options)).run(options.argv, options.on, check=False).returncode
    return code if code >= 0 else 128 - code  # as a shell says which signal it was


def drop_caches(options):
    Cluster(named(options)).drop_caches()


def check_lab(options):
    rows = check.measure(Cluster(named(options)), progress())
    print(check.table(rows))
    return 1 if check.worst(rows) > check.TOLERANCE else 0


def run_experiment(options):
    if options.name:
        raise LabError("--name: an experiment names its labs itself")
    return experiment.run(options.experiment, options.rest, progress())


if __name__ == "__main__":
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # `status | head`
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) != signal.SIG_IGN:  # as under nohup
            signal.signal(number, lambda ended, _: sys.exit(128 + ended))  # an experiment takes its lab down first
    sys.exit(main(sys.argv[1:]))
