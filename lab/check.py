"""Measures every limit of a lab and compares: set, measured, error. An experiment refuses a lab that is more than 10 % off."""

import json
import math
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from lab import config, disk, nic, units
from lab.machine import group_name

TOLERANCE = 0.10
REQUESTS = (4 << 10, 30 << 10, 128 << 10, 1 << 20, 128 << 20)
LARGEST_REQUEST = 1280 << 10  # as the kernel passes requests to a loop device; its limit counts those
REQUESTS_IN_WINDOW = 40
TOGETHER_BYTES, TOGETHER_REQUESTS = 150 << 20, 6000  # per second; machines are measured at once while their sum is below
WIRE = 1514 / 1448  # Ethernet, IP and TCP headers, which the NIC's limit counts and a receiver does not see
PROBE = Path(__file__).parent / "probe.py"


@dataclass(frozen=True)
class Row:
    machine: str
    what: str
    wanted: float
    measured: float
    show: callable

    @property
    def error(self):
        return self.measured / self.wanted - 1


def measure(cluster, say=lambda text: None, quick=False):
    """One row for each limit that is not unlimited; `quick` tries two sizes of request instead of five."""
    seconds = 1.2 if quick else 1.5
    requests = (30 << 10, 1 << 20) if quick else REQUESTS
    rows = []
    say("check: CPU")
    rows += _cpu(cluster, seconds)
    with _without_cpu_limit(cluster):
        say("check: NIC")
        for name in cluster.machines:
            rows += _nic(cluster, name, seconds)
        for number in range(len(cluster.config.machine.disks)):
            say(f"check: disk{number + 1}")
            rows += _disk(cluster, number, requests, seconds)
        say("check: page cache")
        rows += _page_cache(cluster)
    say("check: done")
    return sorted(rows, key=lambda row: row.machine)


def worst(rows):
    """The largest error, without its sign."""
    return max((abs(row.error) for row in rows), default=0.0)


def table(rows):
    """Markdown."""
    lines = ["| machine | limit | set | measured | error |", "|---|---|---|---|---|"]
    lines += [f"| {r.machine} | {r.what} | {r.show(r.wanted)} | {r.show(r.measured)} | {r.error:+.1%} |" for r in rows]
    return "\n".join(lines)


def probe(cluster, machine, *arguments):
    done = cluster.run([sys.executable, str(PROBE), *map(str, arguments)], machine, cwd="/", stdout=subprocess.PIPE, text=True)
    return json.loads(done.stdout.splitlines()[-1])


def _on_machines(cluster, function, together=True):
    """What `function(name)` returns for each machine; all at once, or one after another."""
    with ThreadPoolExecutor(len(cluster.machines) if together else 1) as pool:
        return list(pool.map(function, cluster.machines))


def _cpu(cluster, seconds):
    """What a machine's processes get together, its daemons among them, while one of them wants all. All machines at once: a limit that
    this computer cannot give to every machine at the same time is wrong."""

    def used(name):
        return cluster.groups.cpu_seconds(group_name(cluster.name, name))

    def one(name):
        wanted = cluster.machine(name)["limits"]["cpu"]
        if wanted == units.UNLIMITED:
            return []
        before, started = used(name), time.monotonic()
        probe(cluster, name, "cpu", seconds * 2, math.ceil(wanted))
        return [Row(name, "cpu", wanted, (used(name) - before) / (time.monotonic() - started), lambda n: f"{n:.3g} cores")]

    return sum(_on_machines(cluster, one), [])


def _nic(cluster, name, seconds):
    record, rows = cluster.machine(name), []
    ends = {"nic.in": (name, record["address"], "head"), "nic.out": ("head", nic.HEAD_ADDRESS, name)}
    for what, (receiver, address, sender) in ends.items():
        wanted = record["limits"][what]
        if wanted != units.UNLIMITED:
            measured = _transfer(cluster, receiver, address, sender, seconds) * 8 * WIRE
            rows.append(Row(name, what, wanted, measured, units.show_network_rate))
    return rows


def _transfer(cluster, receiver, address, sender, seconds):
    port = 5201
    python = [sys.executable, str(PROBE)]
    command = cluster.command([*python, "receive", address, str(port), str(seconds)], receiver, "/")
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as receiving:
        receiving.stdout.readline()
        sending = subprocess.Popen(cluster.command([*python, "send", address, str(port)], sender, "/"), stdout=subprocess.DEVNULL)
        rate = json.loads(receiving.stdout.readline())
    sending.wait()
    return rate


def _disk(cluster, number, requests, seconds):
    """Reads of every size, and writes of 1 MB, on the same disk of all machines."""
    with ExitStack() as stack:
        made = _on_machines(cluster, lambda name: stack.enter_context(_file(cluster, name, number, 256 << 20)))
        rows, files = [], dict(zip(cluster.machines, made))
        for kind, request in [("read", r) for r in requests] + [("write", 1 << 20)]:
            rows += _disk_round(cluster, number, kind, request, seconds, files)
    return rows


def _disk_round(cluster, number, kind, request, seconds, files):
    def one(name):
        each = cluster.machine(name)["disks"][number]
        wanted = _expected(each, kind, request)
        if wanted == units.UNLIMITED:
            return []
        enough = min(4.0, max(seconds, REQUESTS_IN_WINDOW * request / wanted))  # on a slow disk one request more or less shows
        measured = probe(cluster, name, "disk", kind, files[name], each["device"], request, enough)
        what = f"disk{number + 1}.{kind} {units.show_size(request)}"
        return [Row(name, what, wanted, measured, units.show_disk_rate)]

    rates = [_expected(cluster.machine(name)["disks"][number], kind, request) for name in cluster.machines]
    together = sum(rates) <= TOGETHER_BYTES and sum(rates) / min(request, LARGEST_REQUEST) <= TOGETHER_REQUESTS
    return sum(_on_machines(cluster, one, together), [])


def _expected(record, kind, request):
    """Bytes per second of direct requests of this size on a disk."""
    rate, iops = record["limits"][kind], record["limits"][f"{kind}_iops"]
    if "head" in record:  # which moves nothing while it seeks, and seeks once for requests side by side
        seconds = 1 / iops + request / rate
        return request / seconds if seconds else units.UNLIMITED
    return min(rate, iops * min(request, LARGEST_REQUEST))


@contextmanager
def _file(cluster, name, number, size):
    """The path of a file on a disk, made at full speed."""
    each = cluster.machine(name)["disks"][number]
    path = f"{each['mount']}/check"
    try:
        with _without_disk_limit(cluster, name, each):
            probe(cluster, name, "make_file", path, size)
        yield path
    finally:
        cluster.run(["rm", "-f", path], name, cwd="/")


def _page_cache(cluster):
    """Reads 1.5 times the page cache; as much as the cache holds should stay."""

    def one(name):
        wanted = cluster.machine(name)["limits"]["page_cache"]
        first = cluster.machine(name)["disks"][0]
        with _file(cluster, name, 0, wanted * 3 // 2) as path, _without_disk_limit(cluster, name, first):
            return Row(name, "page_cache", wanted, probe(cluster, name, "resident", path), units.show_size)

    return _on_machines(cluster, one)


@contextmanager
def _without_cpu_limit(cluster):
    """A disk or a NIC should be measured, not the CPU share of who measures it."""
    try:
        for name in cluster.machines:
            cluster.groups.set_cpu(group_name(cluster.name, name), units.UNLIMITED)
        yield
    finally:
        for name in cluster.machines:
            cluster.groups.set_cpu(group_name(cluster.name, name), cluster.machine(name)["limits"]["cpu"])


@contextmanager
def _without_disk_limit(cluster, name, record):
    group = group_name(cluster.name, name)
    try:
        disk.set_limits(cluster.groups, group, record, config.Disk.NO_LIMITS)
        yield
    finally:
        disk.set_limits(cluster.groups, group, record, record["limits"])
