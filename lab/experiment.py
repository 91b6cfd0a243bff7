"""What experiments share: their options, turns (A B B A ...), equal answers, and tables as CSV and Markdown.

An experiment is a module in lab/experiments with a docstring, `options(parser)` and `run(options, say)`.
"""

import argparse
import csv
import importlib
import os
import platform
import shlex
import statistics
from pathlib import Path

from lab import check, software
from lab.application import LOOP, Run
from lab.cluster import LabError
from lab.state import replaced

FOLDER = Path(__file__).parent / "experiments"
# Not by `spark.jars`: Spark sends the names of its files along with each task, and loads classes more slowly where there are any.
PLUGIN = {"spark.driver.extraClassPath": software.JAR, "spark.executor.extraClassPath": software.JAR, "spark.plugins": "pellucid.PellucidPlugin"}


def names():
    return sorted(path.stem.replace("_", "-") for path in FOLDER.glob("[a-z]*.py"))


def run(name, arguments, say):
    if name not in names():
        raise LabError(f"no experiment {name!r}; there are {', '.join(names())}")
    module = importlib.import_module(f"lab.experiments.{name.replace('-', '_')}")
    parser = argparse.ArgumentParser(prog=f"pellucid-lab experiment {name}", description=module.__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)  # fmt: skip
    parser.add_argument("--pairs", type=times_at_least_once, default=3, help="how often each variant has its turn (default %(default)s)")
    parser.add_argument("--cpu", type=float, default=0.4, help="of a core, for each machine: less on a busy computer (default %(default)s)")
    parser.add_argument("--to", type=Path, default=software.REPOSITORY / "docs" / "experiments", help="folder of the tables")
    module.options(parser)
    options = parser.parse_args(arguments)
    options.arguments = arguments
    if not (software.REPOSITORY / "cli" / "target" / "pellucid.jar").exists():
        raise LabError("experiments end with `pellucid report`: run `make build` first")
    module.run(options, say)


def machine(cpu, speed=1.0, disks=2, kind="hdd", one_head=False, **changes):
    """A machine's table of a lab's configuration: one disk for both uses, or one for HDFS and one for Spark, or two for both."""
    uses = [["hdfs"], ["spark"]] if disks == "apart" else [["hdfs", "spark"]] * disks
    return {"cores": 2, "cpu": cpu, "page_cache": "256MB", "nic": "200mbit", "executor_memory": "768MB",
            "disk": [{"kind": kind, "speed": speed, "one_head": one_head, "size": "5GB", "use": use} for use in uses]} | changes  # fmt: skip


def refuse_if_off(cluster, say):
    """An experiment's numbers mean nothing on a lab that is not what it says."""
    rows = check.measure(cluster, say, quick=True)
    if check.worst(rows) > check.TOLERANCE:
        rows = check.measure(cluster, say, quick=True)  # this computer may have been busy for a moment
    if check.worst(rows) > check.TOLERANCE:
        off = [row for row in rows if abs(row.error) > check.TOLERANCE]
        raise LabError(f"the lab is more than {check.TOLERANCE:.0%} off:\n{check.table(off)}")


def turns(variants, pairs, say):
    """Calls each of `variants` (name -> function) in turn, `pairs` times."""
    for number in range(1, pairs + 1):
        for name in both_ways(variants, number):
            say(f"{number} of {pairs}: {name}")
            variants[name]()


def both_ways(names, number):
    """In the order of the `number`th time, which is every other time the opposite one: a computer of which others have a part is slower after a run than
    after a pause, and always the same one would come after."""
    return list(names) if number % 2 else list(names)[::-1]


def setting(text):
    """Of a flag's `KEY=VALUE`."""
    key, equals, value = text.partition("=")
    if not equals:
        raise argparse.ArgumentTypeError(f"{text}: expected KEY=VALUE")
    return key, value


def times_at_least_once(text):
    """Of a flag's number."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text}: expected a number from 1 on")
    return int(text)


def same_answers(runs):
    """Raises unless all runs of a case have the same answer."""
    by_case = {}
    for each in runs:
        first = by_case.setdefault(each.case, each)
        if each.answer != first.answer:
            raise LabError(f"{each.case}: {each.variant} answers {each.answer}, {first.variant} {first.answer}")


def median(values):
    return statistics.median(values)


def spread(values, digits=1):
    """`median (min-max)`."""
    return f"{median(values):.{digits}f} ({min(values):.{digits}f}-{max(values):.{digits}f})"


def markdown(header, rows):
    lines = ["| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
    return "\n".join(lines + ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows]) + "\n"


def times(runs, first):
    """The main table: seconds of each case and variant, and the ratio to the variant `first`."""
    rows = []
    for case in dict.fromkeys(each.case for each in runs):
        base = median([r.seconds for r in runs if r.case == case and r.variant == first])
        for variant in dict.fromkeys(each.variant for each in runs if each.case == case):
            seconds = [r.seconds for r in runs if r.case == case and r.variant == variant]
            rows.append([case, variant, len(seconds), spread(seconds), f"{median(seconds) / base:.2f}"])
    return markdown(["case", "variant", "runs", "seconds, median (min-max)", f"ratio to {first}"], rows)


def against_counters(runs):
    """`pellucid report` beside the lab's own counters: medians over the runs of a case and variant. The busiest disk's and NIC's
    seconds are what the one with most to do needed at its limits."""
    header = ["case", "variant", "input MB: log", "read by HDFS' disks", "shuffle MB: log", "written by Spark's disks",
              "fetched from others MB: log", "received by NICs", "busiest disk s", "busiest NIC s", "no disk saves at most s",
              "no network saves at most s",
              "waiting, not logged which"]  # fmt: skip
    rows = []
    for case, variant in dict.fromkeys((r.case, r.variant) for r in runs):
        group = [r for r in runs if (r.case, r.variant) == (case, variant)]

        def mid(number, group=group):
            return median([number(r) for r in group])

        demand = [mid(lambda r, k=k: r.report["demand"][k]) / 1e6 for k in ("inputBytes", "shuffleWriteBytes", "shuffleRemoteBytes")]
        rows.append([
            case, variant,
            f"{demand[0]:.0f}", f"{mid(lambda r: disks(r, 'hdfs', 'read_bytes')) / 1e6:.0f}",
            f"{demand[1]:.0f}", f"{mid(lambda r: disks(r, 'spark', 'write_bytes')) / 1e6:.0f}",
            f"{demand[2]:.0f}", f"{mid(lambda r: r.counters['nic_in_bytes']) / 1e6:.0f}",
            f"{mid(lambda r: r.counters['busiest_disk_seconds']):.1f}", f"{mid(lambda r: r.counters['busiest_nic_seconds']):.1f}",
            f"{mid(lambda r: r.report['completion']['noDisk']['atMostSeconds']):.1f}",
            f"{mid(lambda r: r.report['completion']['noNetwork']['atMostSeconds']):.1f}",
            f"{mid(lambda r: share(r, 'waiting')):.0%}",
        ])  # fmt: skip
    return markdown(header, rows)


def disks(run, use, key):
    """A counter summed over the disks that have this use."""
    return sum(value for name, value in run.counters.items() if name.endswith(f".{key}") and use in name.partition(".")[0])


def share(run, phase):
    """Of the task time, as `pellucid report` says."""
    breakdown = run.report["breakdown"]
    return breakdown["phases"][phase] / (breakdown["taskSeconds"] or 1)


NOTES = "## What was found on the way"


def notes(page):
    """The part of a page that people wrote."""
    text = page.read_text() if page.exists() else ""
    _, found, after = text.partition(f"\n{NOTES}\n")
    return f"\n{NOTES}\n{after.partition(f'{chr(10)}## ')[0]}" if found else ""


def write(options, name, text, runs, say):
    """NAME.md and NAME.csv; `text` is the Markdown between the page's first lines and what every page ends with. Notes that the page has stay."""
    options.to.mkdir(parents=True, exist_ok=True)
    command = shlex.join(["./pellucid-lab", "experiment", name, *options.arguments])
    title = f"# {name}\n\n`{command}` wrote this page; `{name}.csv` has every run.\n\n"
    reports = f"## `pellucid report` beside the lab's counters\n\n{against_counters(runs)}"
    page = options.to / f"{name}.md"
    whole = f"{title}{text.rstrip()}\n{notes(page)}\n{reports}\n{cpus(runs)}{commits(runs)}{machine_line()}\n"
    with replaced(page) as file:
        file.write(whole)
    with replaced(options.to / f"{name}.csv") as file:
        counters = sorted({key for each in runs for key in each.counters})
        phases = sorted(runs[0].report["breakdown"]["phases"])
        demand = sorted(key for key in runs[0].report["demand"] if key.endswith("Bytes"))
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["case", "variant", "commit", "seconds", *counters, *(f"report.{key}" for key in demand), "report.noDisk.atMostSeconds",
                         "report.noNetwork.atMostSeconds", *(f"report.{key}Seconds" for key in phases)])  # fmt: skip
        for each in runs:
            saved = [each.report["completion"][key]["atMostSeconds"] for key in ("noDisk", "noNetwork")]
            cells = [each.seconds, *(each.counters.get(key, "") for key in counters), *(each.report["demand"][key] for key in demand),
                     *saved, *(each.report["breakdown"]["phases"][key] for key in phases)]  # fmt: skip
            writer.writerow([each.case, each.variant, each.commit, *(round(c, 3) if isinstance(c, float) else c for c in cells)])
    say(f"wrote {options.to / name}.md and .csv", end="\n")


def commits(runs):
    """How many cases have runs of which commit."""
    cases = {}
    for run in runs:
        cases.setdefault(run.commit, set()).add((run.case, run.variant))
    each = [f"{commit or 'before they were noted'} {len(its)}" for commit, its in cases.items()]
    return f"Cases and variants by the commit of their runs: {', '.join(each)}. What the page says of the lab is so at the last one.\n\n"


def cpus(runs):
    """How fast this computer's CPUs were, by variants; nothing where no run has it."""
    each = []
    for variant in dict.fromkeys(run.variant for run in runs):
        its = [run.counters.get(LOOP) for run in runs if run.variant == variant]
        loops = [loop for loop in its if loop is not None]
        if loops:
            each.append(f"{variant} {spread(loops)}, {len(loops)} of {len(its)} runs")
    return f"Milliseconds that a fixed loop took before each run, median (min-max): {'; '.join(each)}.\n\n" if each else ""


def of_other_cases(file, runs):
    """The runs of `file`, such a CSV, of cases and variants that `runs` has not."""
    measured = {(each.case, each.variant) for each in runs}
    return [from_row(row) for row in rows_of(file) if (row["case"], row["variant"]) not in measured]


def rows_of(file):
    """Of a CSV, with the names of its columns; none where there is no file."""
    if not file.exists():
        return []
    with open(file, newline="") as lines:
        return list(csv.DictReader(lines))


def from_row(row):
    """A run as `write` wrote it, with those parts of its report that the tables show."""
    numbers = {key: float(value) for key, value in row.items() if key not in ("case", "variant", "commit") and value}
    reported = {key.removeprefix("report."): value for key, value in numbers.items() if key.startswith("report.")}
    phases = {key.removesuffix("Seconds"): value for key, value in reported.items() if key.endswith("Seconds") and "." not in key}
    return Run(
        row["case"], row["variant"], numbers["seconds"], None,
        {key: value for key, value in numbers.items() if key != "seconds" and not key.startswith("report.")}, (),
        {"demand": {key: value for key, value in reported.items() if key.endswith("Bytes")},
         "completion": {key: {"atMostSeconds": reported[f"{key}.atMostSeconds"]} for key in ("noDisk", "noNetwork")},
         "breakdown": {"phases": phases, "taskSeconds": sum(phases.values())}}, row["commit"])  # fmt: skip


def machine_line():
    memory = int(next(line for line in open("/proc/meminfo") if line.startswith("MemTotal")).split()[1]) >> 20
    load = " ".join(f"{x:.1f}" for x in os.getloadavg())
    return f"Machine: {os.cpu_count()} cores, {memory} GB, Linux {platform.release().split('-')[0]}; load averages at the end {load}."
