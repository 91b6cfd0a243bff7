#!/usr/bin/env python3
"""How fast `pellucid report` is, beside `zstd -dc | wc -l` and Python's json, on one machine in one run.

    make bench                      the whole thing; generated logs are kept in target/bench
    bench/report.py --log LOG       repeats LOG (an event log with tasks, plain or zstd) instead of the default
    bench/report.py --only NAME     one of: throughput, tasks, directory, start

Every benchmark checks the answers of what it times. Figures are medians of --runs runs, interleaved.
"""

import argparse
import hashlib
import heapq
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
WORK = ROOT / "target" / "bench"
SHARED = ROOT.parent / "shared" / "data" / "eventlogs" / "nds_q72_dataproc_spark-3.5.3.zstd"
SMALL = ROOT / "core" / "src" / "test" / "logs"


def measure(command, env=None, stdin=None):
    """Runs a command; wall seconds, CPU seconds and peak MB of it and its children, and its output."""
    started = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stdin=stdin, env={**os.environ, **(env or {})})
    output = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.monotonic() - started
    if status != 0:
        sys.exit(f"{' '.join(map(str, command))} failed with {status}")
    return wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, output


def report(log, heap, *flags):
    return measure([ROOT / "pellucid", "report", log, "--json", *flags], {"PELLUCID_JAVA_OPTS": f"-Xmx{heap}"})


def machine():
    model = next((l.split(":")[1].strip() for l in open("/proc/cpuinfo") if l.startswith("model name")), "unknown CPU")
    memory = int(next(l.split()[1] for l in open("/proc/meminfo") if l.startswith("MemTotal"))) / 2**20
    java = subprocess.run(["java", "-version"], capture_output=True, text=True).stderr.splitlines()[0]
    return f"{os.cpu_count()} cores ({model}), {memory:.0f} GiB, {java}, load {os.getloadavg()[0]:.1f}"


# ---- logs

IDS = re.compile(
    rb'"(Stage ID|Task ID|Job ID|executionId|rootExecutionId|spark\.sql\.execution\.id)":"?(\d+)'
    rb'|"(Parent IDs|Stage IDs)":\[([\d,]*)\]'
    rb'|(?<=[:"])(1[4-9]\d{11})(?=[,}"])'
)


def identity(log):
    """Of this file as it is now: another of its name has another."""
    stat = log.stat()
    return hashlib.sha256(f"{log.resolve()} {stat.st_size} {stat.st_mtime_ns}".encode()).hexdigest()[:8]


def repeated(log, copies):
    """LOG some times over, one application: ids made distinct, each copy later than the one before."""
    target = WORK / f"{log.stem}-{identity(log)}-x{copies}"
    if target.exists():
        return target
    opened = subprocess.run(["zstd", "-dcq", log], capture_output=True).stdout if log.suffix == ".zstd" else log.read_bytes()
    lines = opened.splitlines(keepends=True)
    times = [int(t) for l in lines for t in re.findall(rb'"(?:Launch|Finish|Submission|Completion) Time":(\d{13})', l)]
    span = max(times) - min(times) + 1000
    step = 1_000_000
    once = (b'"SparkListenerLogStart"', b'"SparkListenerApplicationStart"', b'"SparkListenerEnvironmentUpdate"',
            b'"SparkListenerResourceProfileAdded"', b'"SparkListenerExecutorAdded"', b'"SparkListenerBlockManagerAdded"')
    with open(target.with_suffix(".part"), "wb") as out:
        for copy in range(copies):
            def shift(m):
                if m.group(1):
                    return m.group(0)[: m.start(2) - m.start(0)] + b"%d" % (int(m.group(2)) + copy * step)
                if m.group(3):
                    ids = b",".join(b"%d" % (int(i) + copy * step) for i in m.group(4).split(b",") if i)
                    return b'"%s":[%s]' % (m.group(3), ids)
                return b"%d" % (int(m.group(5)) + copy * span)

            for line in lines:
                last = b'"SparkListenerApplicationEnd"' in line[:50]
                first = any(e in line[:60] for e in once)
                if (first and copy > 0) or (last and copy < copies - 1):
                    continue
                out.write(IDS.sub(shift, line))
    target.with_suffix(".part").rename(target)
    return target


def generated(tasks):
    """A plain log of that many tasks, in stages of 10,000 on 200 slots; its lines are as long as Spark 3.5's."""
    target = WORK / f"generated-{tasks}"
    if target.exists():
        return target
    sample = next(
        l for l in subprocess.run(["zstd", "-dcq", SMALL / "spark-3.5.9-failed-tasks.zstd"], capture_output=True, text=True).stdout.splitlines()
        if '"SparkListenerTaskEnd"' in l and '"Success"' in l
    )
    event = json.loads(sample)
    start, per_stage, slots = 1_700_000_000_000, 10_000, 200
    with open(target.with_suffix(".part"), "w", buffering=1 << 20) as out:
        def put(**e):
            out.write(json.dumps(e, separators=(",", ":")) + "\n")

        put(**{"Event": "SparkListenerLogStart", "Spark Version": "3.5.9"})
        put(**{"Event": "SparkListenerApplicationStart", "App Name": f"generated, {tasks} tasks", "App ID": "generated", "Timestamp": start, "User": "bench"})
        for e in range(slots // 8):
            put(**{"Event": "SparkListenerExecutorAdded", "Timestamp": start, "Executor ID": str(e),
                   "Executor Info": {"Host": f"host-{e}", "Total Cores": 8, "Log Urls": {}}})
        now = start
        for stage in range((tasks + per_stage - 1) // per_stage):
            n = min(per_stage, tasks - stage * per_stage)
            info = {"Stage ID": stage, "Stage Attempt ID": 0, "Stage Name": f"stage {stage}", "Number of Tasks": n, "RDD Info": [],
                    "Parent IDs": [], "Details": "", "Submission Time": now, "Accumulables": []}
            put(**{"Event": "SparkListenerJobStart", "Job ID": stage, "Submission Time": now, "Stage Infos": [], "Stage IDs": [stage], "Properties": {}})
            put(**{"Event": "SparkListenerStageSubmitted", "Stage Info": info, "Properties": {}})
            free = [(now, slot) for slot in range(slots)]
            for index in range(n):
                task = stage * per_stage + index
                begin, slot = heapq.heappop(free)
                duration = 100 + (task * 7919) % 100
                event["Stage ID"] = stage
                event["Task Info"].update({"Task ID": task, "Index": index, "Partition ID": index, "Launch Time": begin,
                                           "Finish Time": begin + duration, "Executor ID": str(slot // 8), "Host": f"host-{slot // 8}"})
                event["Task Metrics"].update({"Executor Run Time": duration - 5, "Executor CPU Time": (duration - 20) * 1_000_000})
                heapq.heappush(free, (begin + duration, slot))
                out.write(json.dumps(event, separators=(",", ":")) + "\n")
            now = max(free)[0]
            put(**{"Event": "SparkListenerStageCompleted", "Stage Info": {**info, "Completion Time": now}})
            put(**{"Event": "SparkListenerJobEnd", "Job ID": stage, "Completion Time": now, "Job Result": {"Result": "JobSucceeded"}})
            now += 10
        put(**{"Event": "SparkListenerApplicationEnd", "Timestamp": now})
    target.with_suffix(".part").rename(target)
    return target


# ---- benchmarks

PYTHON = """
import json, sys
tasks = cpu = run = 0
for line in open(sys.argv[1], 'rb'):
    event = json.loads(line)
    if event['Event'] == 'SparkListenerTaskEnd' and event['Task End Reason']['Reason'] != 'Resubmitted':
        tasks += 1
        cpu += event['Task Metrics']['Executor CPU Time']
        run += event['Task Info']['Finish Time'] - event['Task Info']['Launch Time']
print(json.dumps([tasks, cpu, run]))
"""


def throughput(runs, log):
    """The whole report against a plain line count and against Python's json, on the log ten times over."""
    plain = repeated(log, 10)
    packed = plain.with_name(f"{plain.name}.zstd")
    if not packed.exists():
        subprocess.run(["zstd", "-q", plain, "-o", packed], check=True)
    megabytes = plain.stat().st_size / 1e6
    kinds = {
        "pellucid report, plain": lambda: report(plain, "256m"),
        "pellucid report, zstd": lambda: report(packed, "256m"),
        "zstd -dc | wc -l": lambda: measure(["sh", "-c", f"zstd -dcq '{packed}' | wc -l"]),
    }
    figures = {name: [] for name in kinds}
    for _ in range(runs):
        for name, run in kinds.items():
            figures[name].append(run())
    figures["Python json, plain"] = [measure([sys.executable, "-c", PYTHON, plain])]
    tasks, cpu, run = json.loads(figures["Python json, plain"][0][3])
    for name in list(kinds)[:2]:
        answer = json.loads(figures[name][0][3])
        assert answer["application"]["tasks"] == tasks, name
        assert abs(answer["demand"]["cpuSeconds"] - cpu / 1e9) < 1e-3, name
        assert abs(answer["breakdown"]["taskSeconds"] - run / 1e3) < 1e-3, name
    print(f"throughput: {megabytes:.0f} MB, {tasks} tasks; the reports' heap is 256 MB; answers equal Python's")
    for name, rows in figures.items():
        wall, seconds, peak = (statistics.median(r[i] for r in rows) for i in range(3))
        print(f"  {name:26} {megabytes / seconds:7.0f} MB per CPU-second  {seconds:6.2f} CPU s  {wall:6.2f} s  peak {peak:5.0f} MB")


def tasks(runs, count=5_000_000):
    """Memory grows with tasks: a log of five million in a heap of 1 GB."""
    log = generated(count)
    wall, seconds, peak, output = report(log, "1g")
    answer = json.loads(output)
    expected = sum(100 + (t * 7919) % 100 for t in range(count)) / 1e3
    assert answer["application"]["tasks"] == count
    assert abs(answer["breakdown"]["taskSeconds"] - expected) < 1
    print(f"tasks: {count} tasks, {log.stat().st_size / 1e9:.1f} GB of log, heap 1 GB: {wall:.1f} s, {seconds:.1f} CPU s, "
          f"peak {peak:.0f} MB resident, {peak * 2**20 / count:.0f} bytes per task with everything else")


def directory(runs, logs=1000):
    """A directory of a thousand logs uses all cores."""
    folder = WORK / f"{logs}-logs"
    shutil.rmtree(folder, ignore_errors=True)  # it may have logs of an earlier checkout
    folder.mkdir()
    small = sorted(p for p in SMALL.iterdir() if p.is_file() and p.name.startswith("spark-"))
    for i in range(logs):
        shutil.copy(small[i % len(small)], folder / f"{i:04}-{small[i % len(small)].name}")
    alone = {log.name: json.loads(report(log, "2g")[3]) for log in small}
    rows = [report(folder, "2g") for _ in range(runs)]
    for row in rows:
        summaries = json.loads(row[3])
        assert len(summaries) == logs
        for summary in summaries:
            one = alone[summary["log"].partition("-")[2]]
            assert (summary["tasks"], summary["taskSeconds"]) == (one["application"]["tasks"], one["breakdown"]["taskSeconds"]), summary["log"]
    wall = statistics.median(r[0] for r in rows)
    seconds = statistics.median(r[1] for r in rows)
    print(f"directory: {logs} logs in {wall:.1f} s, {seconds / wall:.2f} of {os.cpu_count()} cores in use")


def start(runs):
    """From the command's start to its first line."""
    log = SMALL / "spark-4.3.0-zstd.zstd"
    name = json.loads(report(log, "256m")[3])["application"]["name"].encode()
    walls = []
    for _ in range(max(runs, 5)):
        started = time.monotonic()
        with subprocess.Popen([ROOT / "pellucid", "report", log], stdout=subprocess.PIPE) as process:
            line = process.stdout.readline()
            walls.append(time.monotonic() - started)
            process.stdout.read()
        assert name in line, line
    print(f"start: first line of a small log's report after {statistics.median(walls):.2f} s (median of {len(walls)})")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--log", type=Path, default=SHARED)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--only", choices=["throughput", "tasks", "directory", "start"])
    options = parser.parse_args()
    WORK.mkdir(parents=True, exist_ok=True)
    print(machine())
    if options.only in (None, "start"):
        start(options.runs)
    if options.only in (None, "throughput"):
        if options.log.exists():
            throughput(options.runs, options.log)
        else:
            print(f"throughput: skipped, there is no {options.log.name}; name a log with --log")
    if options.only in (None, "directory"):
        directory(options.runs)
    if options.only in (None, "tasks"):
        tasks(options.runs)
    print(f"load after: {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
