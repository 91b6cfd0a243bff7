"""A Spark application on a lab that does workloads (bench/workloads) one after another, so that its executors stay warm."""

import contextlib
import json
import os
import shlex
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from lab import hdfs, software
from lab.cluster import LabError
from lab.disk import since

LOOP = "loop_millis"
SERVE = software.REPOSITORY / "bench" / "workloads" / "serve.py"


@dataclass
class Run:
    """One workload run: what it said, what the lab's counters moved by, summed over the machines, and what a fixed loop took before it."""

    case: str
    variant: str
    seconds: float
    answer: object
    counters: dict
    window: tuple  # seconds of the wall clock
    report: dict = field(default_factory=dict)  # what `pellucid report` says of this window
    commit: str = ""  # of the plugin and the lab


class Application:
    def __init__(self, cluster, name, conf=()):
        self.cluster, self.name, self.runs = cluster, name, []
        options = "".join(f"--conf {shlex.quote(f'{key}={value}')} " for key, value in dict(conf).items())
        environment = cluster.environment() | {"PYSPARK_SUBMIT_ARGS": f"--name {name} {options}pyspark-shell"}
        before = set(cluster.events.iterdir())
        self.log = cluster.folder / "log" / f"application-{time.time():.0f}.log"
        with open(self.log, "w") as log:
            self.process = subprocess.Popen(
                cluster.command(["python", str(SERVE)]), env=environment, text=True,
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log)  # fmt: skip
        self.do("ready")
        (self.event_log,) = set(cluster.events.iterdir()) - before

    def __enter__(self):
        return self

    def __exit__(self, failed, *_):
        with contextlib.suppress(BrokenPipeError):  # it ended by itself, and why is said already
            self.process.stdin.close()
        try:
            self.process.wait(60)
        except subprocess.TimeoutExpired:
            self.process.kill()
            if not failed:
                raise LabError(f"{self.name} did not end within 60 s; see {self.log}") from None
        self.event_log = self.event_log.with_name(self.event_log.name.removesuffix(".inprogress"))

    def do(self, line):
        """Sends one line and returns its answer: the first of two where a job's answer is checked."""
        try:
            self.process.stdin.write(line + "\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            pass
        for output in self.process.stdout:
            if output.startswith("{"):
                answer = json.loads(output)
                if "error" in answer:
                    raise LabError(f"{line}: {answer['error']}; see {self.log}")
                return answer
        raise LabError(f"{line}: the application ended:\n{self.log.read_text()[-1500:]}")

    def generate(self, line):
        """Input, written as fast as this computer can, and then in no cache."""
        with self.cluster.unlimited():
            self.do(line)
            self.cluster.sync()
        self.cluster.drop_caches()

    def warm_up(self, line, seconds=0):
        """Runs a workload again and again for so long, as fast as this computer can, so that the next run finds compiled code. Returns how much of
        the machines' CPU time their compilers had."""
        with self.cluster.unlimited():
            return self._again(lambda: (self.do(line), self.do("check the answer")), seconds)

    def rehearse(self, line, seconds):
        """The same, as it will be measured: code that only a slow disk runs is compiled by nothing else."""
        return self._again(lambda: self.once(line), seconds)

    def once(self, line):
        """Runs a workload as it will be measured. Returns its seconds."""
        self.cluster.drop_caches()
        self.do(line)
        self.cluster.sync()
        return self.do("check the answer")["seconds"]

    def _again(self, run, seconds):
        began, compiled, before = time.monotonic(), self.cluster.compiler_seconds(), self.cluster.counters()
        run()
        while time.monotonic() - began < seconds:
            run()
        compilers = self.cluster.compiler_seconds() - compiled
        return compilers / moves(self.cluster, before, self.cluster.counters())["cpu_seconds"]

    def measure(self, case, variant, line, cold=True):
        """Runs a workload and keeps what was measured; with cold page caches unless told."""
        if cold:
            time.sleep(hdfs.DELETED_SECONDS)
            self.cluster.drop_caches()
        loop = loop_millis()
        before, started = self.cluster.counters(), time.time()
        self.do(line)
        ended = time.time()
        self.cluster.sync()  # output that was still in memory belongs to the run
        moved = moves(self.cluster, before, self.cluster.counters()) | {LOOP: loop}
        said = self.do("check the answer")
        self.runs.append(Run(case, variant, said["seconds"], said["answer"], moved, (started, ended), commit=software.commit()))
        return self.runs[-1]

    def explain(self):
        """Fills in what `pellucid report` says of each run; after the application ended."""
        recording = Recording(self.event_log)
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            for run, report in zip(self.runs, pool.map(recording.report, self.runs), strict=True):
                run.report = report
        return self.runs


def loop_millis(times=5, turns=1_000_000):
    """The least of several times that a fixed piece of CPU work takes. This computer's CPUs may be another fifth faster in an hour, for all
    that its limits say."""
    least = float("inf")
    for _ in range(times):
        began = time.perf_counter()
        for _ in range(turns):
            pass
        least = min(least, time.perf_counter() - began)
    return 1000 * least


class Recording:
    """What `pellucid` says of an application's event log."""

    def __init__(self, event_log):
        self.event_log = event_log
        self.started = self._pellucid("report")["application"]["startMillis"] / 1000

    def report(self, run):
        return self._pellucid("report", *self._window(run))

    def what_if(self, run, flags):
        """Of this run's window."""
        (answer,) = self._pellucid("whatif", *self._window(run), *(str(flag) for flag in flags))
        return answer

    def _window(self, run):
        first, last = (max(0.0, moment - self.started) for moment in run.window)
        return "--from", f"{first:.3f}s", "--to", f"{last:.3f}s"

    def _pellucid(self, command, *options):
        command = [str(software.REPOSITORY / "pellucid"), command, str(self.event_log), "--json", *options]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            raise LabError(f"{' '.join(command)}: {done.stderr.strip()}")
        return json.loads(done.stdout)


def moves(cluster, before, after):
    """What the counters moved by, summed over the machines, the disks by their use; the seconds that the disks needed for it at
    their limits; and those of the busiest disk and the busiest NIC, under which no run can be."""
    result = {"cpu_seconds": 0, "nic_in_bytes": 0, "nic_out_bytes": 0, "busiest_disk_seconds": 0, "busiest_nic_seconds": 0}
    for name in cluster.machines:
        old, new, record = before[name], after[name], cluster.machine(name)
        for key in ("cpu_seconds", "nic_in_bytes", "nic_out_bytes"):
            result[key] += new[key] - old[key]
        for direction in ("in", "out"):
            moved = (new[f"nic_{direction}_bytes"] - old[f"nic_{direction}_bytes"]) * 8
            result["busiest_nic_seconds"] = max(result["busiest_nic_seconds"], moved / record["limits"][f"nic.{direction}"])
        for was, now, disk in zip(old["disks"], new["disks"], record["disks"]):
            moved, limits = since(was, now), disk["limits"]
            for key, value in moved.items():
                use = f"{'+'.join(disk['use'])}.{key}"
                result[use] = result.get(use, 0) + value
            seconds = {kind: moved[f"{kind}_bytes"] / limits[kind] for kind in ("read", "write")}
            if "head" not in disk:  # of one with a head nobody counts the seeks
                seconds = {kind: max(each, moved[f"{kind}s"] / limits[f"{kind}_iops"]) for kind, each in seconds.items()}
            for kind, each in seconds.items():
                use = f"{'+'.join(disk['use'])}.{kind}_seconds"
                result[use] = result.get(use, 0) + each
            busy = sum(seconds.values()) if "head" in disk else max(seconds.values())
            result["busiest_disk_seconds"] = max(result["busiest_disk_seconds"], busy)
    return result
