#!/usr/bin/env python3
"""What the plugin costs: jobs with and without it, in turn (A B A B ...), in two warm applications of which one works at a time.

    make bench-overhead                 writes docs/experiments/overhead.md
    bench/overhead.py --only tiny --applications 2 --pairs 3      prints it

Two JVMs that do the same differ by some percent for as long as they live (what was compiled when), so each job is measured in
several pairs of applications, and a pair's ratio is the median of its runs'; and then in one application with the plugin that
observes every other run, which tells a percent from noise but not what the hooks cost that stay. Beside the time, the CPU time of the JVMs, which other
work on the computer does not change. Every pair of answers is compared.
"""

import argparse
import json
import os
import re
import shlex
import statistics
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from bench.tables import QUERIES, WORK, queries, tables  # noqa: E402
from lab import experiment, software  # noqa: E402
from lab.config import Config  # noqa: E402

VERSION = Config.spark_version
SMALL_TASKS, MANY_TASKS = 20_000, 60_000
ROUNDS = {"tpch": (2, 2, 4), "sort": (3, 3, 12), "tiny": (3, 4, 12)}  # pairs of applications, of runs in each, of runs in one application
PARTS = [*ROUNDS, "heap"]


def workload(name):
    """(line that generates the input or None, line that runs it)"""
    at = WORK.as_uri()
    if name == "tpch":
        return None, f"queries run --data {tables('tpch', 1).as_uri()} --output {at}/none --queries {queries('tpch')}"
    if name == "sort":
        return (f"sort generate --data {at}/sort --mb 512 --files 16 --values 20",
                f"sort run --data {at}/sort --output {at}/sorted --split-mb 32 --reduce-partitions 16")  # fmt: skip
    return None, f"tiny run --data {at}/none --output {at}/none --tasks {SMALL_TASKS}"


class Application:
    """A warm Spark application on this computer that does one line after another (bench/workloads/serve.py)."""

    def __init__(self, plugin, settings=()):
        home = software.spark(VERSION)
        logs = WORK / "log"
        logs.mkdir(parents=True, exist_ok=True)
        conf = {"spark.master": "local[2]", "spark.driver.memory": "3g", "spark.ui.enabled": "false", "spark.local.dir": WORK / "local",
                "spark.eventLog.enabled": "true", "spark.eventLog.dir": logs.as_uri(), "spark.ui.showConsoleProgress": "false",
                "spark.log.level": "ERROR"}  # fmt: skip
        if plugin:
            conf |= {"spark.jars": software.JAR, "spark.plugins": "pellucid.PellucidPlugin"} | dict(settings)
        options = "".join(f"--conf {shlex.quote(f'{key}={value}')} " for key, value in conf.items())
        environment = os.environ | {
            "PYSPARK_SUBMIT_ARGS": f"{options}pyspark-shell",
            "PYSPARK_PYTHON": str(home / "bin" / "python"),
            "SPARK_LOCAL_IP": "127.0.0.1",
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        }
        self.process = subprocess.Popen([home / "bin" / "python", ROOT / "bench" / "workloads" / "serve.py"], env=environment, text=True,
                                        cwd=WORK, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)  # fmt: skip
        self.do("ready")

    def do(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        for output in self.process.stdout:
            if output.startswith("{"):
                said = json.loads(output)
                if "error" in said:
                    sys.exit(f"{line}: {said['error']}")
                return said
        sys.exit(f"{line}: the application ended")

    def run(self, line):
        """(seconds, CPU seconds, answer)"""
        before = cpu_seconds(self.java())
        self.do(line)  # the job is done; its answer is checked after another line
        spent = cpu_seconds(self.java()) - before
        said = self.do("check the answer")
        return said["seconds"], spent, said["answer"]

    def java(self):
        (java,) = (pid for pid, parent in processes() if parent == self.process.pid)
        return java

    def live_bytes(self):
        """Of the heap, after a full collection."""
        java = self.java()
        histogram = subprocess.run(["jmap", "-histo:live", str(java)], capture_output=True, text=True, check=True).stdout
        return int(re.search(r"^Total\s+\d+\s+(\d+)", histogram, re.M)[1])

    def end(self):
        self.process.stdin.close()
        self.process.wait(60)


def processes():
    """(process, parent)"""
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            yield int(path.parent.name), int(path.read_text().rpartition(")")[2].split()[1])
        except OSError:  # it ended
            pass


def cpu_seconds(process):
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def compare(name, pairs, generate, settings, say):
    """[(seconds, CPU seconds) without the plugin, the same with it] of each pair of runs in one pair of applications."""
    make_input, line = workload(name)
    stock, ours = Application(plugin=False), Application(plugin=True, settings=settings)
    try:
        if generate and make_input:
            say(f"{name}: input")
            stock.do(make_input)
        return [pair for (pair,) in in_turn(name, pairs, [line], stock.run, ours.run, say)]
    finally:
        stock.end()
        ours.end()


def toggle(name, pairs, settings, say):
    """The same in one application with the plugin, which observes every other run: compiled code is the same for both. Queries have
    their turns one by one, so that a computer that slows down slows both."""
    _, line = workload(name)
    parts = [f"{line} --only {query}" for query in QUERIES[name]] if name in QUERIES else [line]
    application = Application(plugin=True, settings=settings)

    def run(part, observed):
        application.do(f"set spark.pellucid.observe {observed}")
        return application.run(part)

    try:
        return in_turn(f"{name} in one application", pairs, parts, lambda part: run(part, "false"), lambda part: run(part, "true"), say)
    finally:
        application.end()


def in_turn(name, pairs, parts, before, after, say):
    """Of each pair, [(seconds, CPU seconds) before, the same after] of each part of the job: parts have their turns one by one."""
    say(f"{name}: warm-up")
    for part in parts * 2:
        before(part)
        after(part)
    runs = []
    for number in range(1, pairs + 1):
        say(f"{name}: {number} of {pairs}")
        runs.append([one_pair(part, before, after, (number + index) % 2) for index, part in enumerate(parts)])
    return runs


def one_pair(part, before, after, first):
    done = {run: run(part) for run in ((before, after) if first else (after, before))}
    (*without, answer), (*with_it, same) = done[before], done[after]
    if answer != same:
        sys.exit(f"{part}: {same} with the plugin, {answer} without")
    return without, with_it


def row(name, applications, toggled):
    """`applications`: the runs of each pair of applications."""

    def ratio(which, groups):
        each = [statistics.median(after[which] / before[which] for before, after in runs) for runs in groups]
        return f"{statistics.median(each):.3f} ({min(each):.3f}-{max(each):.3f})"

    def toggled_ratio(which):
        """Of the sums of the parts' medians; and of each pair's sums."""
        parts = list(zip(*toggled, strict=True))
        before, after = (sum(statistics.median(pair[side][which] for pair in part) for part in parts) for side in (0, 1))
        each = [sum(after[which] for _, after in pair) / sum(before[which] for before, _ in pair) for pair in toggled]
        return f"{after / before:.3f} ({min(each):.3f}-{max(each):.3f})"

    stock, ours = zip(*(pair for runs in applications for pair in runs), strict=True)
    return [name, f"{len(applications)} x {len(applications[0])}", experiment.spread([s for s, _ in stock], 2),
            experiment.spread([s for s, _ in ours], 2), ratio(0, applications), ratio(1, applications),
            str(len(toggled)), toggled_ratio(0), toggled_ratio(1)]  # fmt: skip


def heap(settings, say):
    """Live bytes on the driver per task, with the plugin less without, between few tasks and many."""
    grown = {}
    for plugin in (False, True):
        say(f"heap: {'with' if plugin else 'without'} the plugin")
        application = Application(plugin, settings)
        _, run = workload("tiny")
        application.run(run)
        before = application.live_bytes()
        application.run(run.replace(f"--tasks {SMALL_TASKS}", f"--tasks {MANY_TASKS}"))
        grown[plugin] = application.live_bytes() - before
        application.end()
    return (grown[True] - grown[False]) / MANY_TASKS


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--applications", type=experiment.times_at_least_once, help="pairs of them, per job")
    parser.add_argument("--pairs", type=experiment.times_at_least_once, help="of runs, in each pair of applications")
    parser.add_argument("--toggles", type=experiment.times_at_least_once, help="pairs of runs in one application")
    parser.add_argument("--only", nargs="+", choices=PARTS, help="of these parts: then, as with --conf, the page is only printed")
    parser.add_argument("--to", type=Path, help="write it to this file")
    parser.add_argument("--conf", nargs="+", type=experiment.setting, default=[], metavar="KEY=VALUE", help="of the applications with the plugin: what does a part cost?")
    options = parser.parse_args()
    parts = options.only or PARTS
    to = options.to or (None if options.only or options.conf else ROOT / "docs" / "experiments" / "overhead.md")
    started = time.monotonic()

    def say(text):
        print(f"{time.monotonic() - started:6.0f} s  {text}", file=sys.stderr, flush=True)

    WORK.mkdir(parents=True, exist_ok=True)
    rows = []
    for name in [n for n in parts if n in ROUNDS]:
        applications, pairs, toggles = ROUNDS[name]
        rounds = range(options.applications or applications)
        apart = [compare(name, options.pairs or pairs, number == 0, options.conf, say) for number in rounds]
        rows.append(row(name, apart, toggle(name, options.toggles or toggles, options.conf, say)))
        print(rows[-1], flush=True)
    columns = ["job", "applications x runs", "without, s", "with the plugin, s", "ratio of times", "ratio of CPU times",
               "runs in one application", "ratio of times", "ratio of CPU times"]  # fmt: skip
    table = experiment.markdown(columns, rows)
    per_task = f"Driver heap: {heap(options.conf, say):+.0f} bytes per task.\n\n" if "heap" in parts else ""
    page = f"""# overhead

`make bench-overhead` wrote this page. Spark {VERSION}, `local[2]`, event log on; a job without and with the plugin in turn, each in an application of
its own that ran it twice before; the answers of each pair are equal. Seconds are medians (min-max) of all runs; a ratio is the median
(min-max) over pairs of applications of the median over their runs: two JVMs that do the same differ by some percent as long as they live.
The last columns are therefore of one application with the plugin, which observes every other run: the ratio of medians (queries: of the sums of each
query's medians), and the least and largest of all pairs. CPU times are the JVMs'. `tpch` is all 22 queries at scale factor 1, `sort`
512 MB from and to local files, `tiny` {SMALL_TASKS:,} tasks that count one number each. Driver heap: live bytes that {MANY_TASKS:,} tasks add, with the
plugin less without.

{table}
{per_task}{experiment.machine_line()}
"""
    if to:
        to.write_text(page)
    print(page)


if __name__ == "__main__":
    main()
