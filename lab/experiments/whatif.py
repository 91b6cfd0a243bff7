"""Predictions against reality: `pellucid whatif` of a run on one lab, and the same job on another (thesis 5.6, Figs. 5.10 to 5.12; Doppio V).

Each setting is a lab of its own, one after the other, in which each job runs as monotasks and on stock Spark. Every run of a setting then predicts
the settings that it is compared with, and what that one measured is compared with what was predicted. Where a setting has observed runs and
monotasks, blocked-time analysis of the ones is compared with the model of the others (thesis Fig. 5.13). It takes hours: with `--logs` what was
measured is kept, an experiment that was ended goes on where it was, and a model that was changed predicts the same runs again.
"""

import argparse
import csv
import json
import random
import shutil
import statistics
import tempfile
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from lab import experiment, units
from lab.application import Application, Recording, Run
from lab.cluster import LabError, lab
from lab.config import KINDS, Disk
from lab.experiments import monotasks
from lab.state import replaced

PREDICTORS = ("replay", "ideal", "slots")
VARIANTS = {"monotasks": experiment.PLUGIN | {"spark.pellucid.monotasks": "true"}, "stock": {}, "observed": experiment.PLUGIN}
SORTS = ("sort10", "sort20", "sort50")


def four_times_the_input():
    """BDB's queries where 1a to 1c, which read 5 MB, take more than the tenths of a second that no model tells from luck."""
    return [(f"{job}, 4 times the input", *lines) for job, *lines in monotasks.big_data_benchmark("text", scale=4)]


JOBS = monotasks.JOBS | {"text4": four_times_the_input}
# columns of the tables that are no numbers
PREDICTION = ("variant", "changes", "from", "to", "job")
BOTTLENECK = ("setting", "job", "resource")


@dataclass(frozen=True)
class Setting:
    """A lab: `cpu` are the real cores of a machine, `speed` of its disks against Doppio's Fig. 5."""

    name: str
    machines: int = 4
    cores: int = 2
    cpu: float = 0.45
    disks: int = 1
    kind: str = "hdd"
    speed: float = 0.1
    nic: str = "200mbit"
    cached: bool = False

    def lab(self):
        machine = experiment.machine(self.cpu, self.speed, self.disks, self.kind, cores=self.cores, nic=self.nic)
        return {"name": "whatif", "machines": self.machines, "machine": machine}

    def profile(self, folder):
        """The file that `pellucid profile-disk` would write of such a disk."""
        limits = {key: units.count(text) if key.endswith("iops") else units.disk_rate(text) for key, text in KINDS[self.kind].items()}
        curves = {
            way: [{"requestBytes": 1 << b, "bytesPerSecond": self.speed * min(limits[f"{way}_iops"] * (1 << b), limits[way])} for b in range(12, 28)]
            for way in ("read", "write")
        }
        path = Path(folder) / f"{self.kind}-{self.speed:g}.json"
        path.write_text(json.dumps({"schemaVersion": 1, "name": path.stem} | curves))
        return path

    def flags(self, to, folder):
        """What `whatif` is told of both."""
        return [
            "--cpus-now", self.cpu, "--disks-now", self.disks, "--disk-now", self.profile(folder), "--network-now", self.nic, "--dirty-now", f"{Disk.dirty >> 20}m",
            "--disks", to.disks, "--disk", to.profile(folder), "--network", to.nic, "--machines", to.machines, "--cores", to.cores,
            *(("--input", "memory") if to.cached else ()),
        ]  # fmt: skip

    def changes(self, to):
        """What differs, in the words of `whatif`'s flags."""
        flags = {"machines": "machines", "cores": "cores", "disks": "disks", "kind": "disk", "speed": "disk", "nic": "network", "cached": "input"}
        return "+".join(dict.fromkeys(flag for field, flag in flags.items() if getattr(self, field) != getattr(to, field)))


BASE = Setting("1 HDD")
SLOW_CPU = Setting("4 machines", cpu=0.2, speed=0.06, nic="120mbit")
SETTINGS = {
    setting.name: setting
    for setting in (
        BASE,
        replace(BASE, name="2 HDDs", disks=2),
        replace(BASE, name="1 SSD", kind="ssd"),
        replace(BASE, name="100 Mbit", kind="ssd", nic="100mbit"),
        replace(BASE, name="1 Gbit", kind="ssd", nic="1gbit"),
        SLOW_CPU,
        replace(SLOW_CPU, name="2 machines", machines=2),
        replace(SLOW_CPU, name="8 machines", machines=8),
        replace(SLOW_CPU, name="4 cores", cores=4, cpu=0.4),
        replace(SLOW_CPU, name="8 machines, SSD, in memory", machines=8, kind="ssd", cached=True),
        replace(BASE, name="in memory", cached=True),
        replace(BASE, name="4 machines, random", cpu=0.35),
    )
}
# (from, to, groups of jobs)
CASES = [
    ("2 machines", "4 machines", SORTS),
    ("4 machines", "8 machines", SORTS),
    ("4 machines", "4 cores", SORTS),
    ("2 machines", "8 machines, SSD, in memory", SORTS),
    ("1 HDD", "2 HDDs", (*SORTS, "text", "text4")),
    ("2 HDDs", "1 HDD", (*SORTS, "text", "text4")),
    ("1 HDD", "1 SSD", (*SORTS, "text", "text4")),
    ("1 HDD", "in memory", SORTS),
    ("100 Mbit", "1 Gbit", SORTS),
]


def options(parser):
    parser.add_argument("--cases", nargs="+", metavar="FROM:TO", help="of the settings by name (default: all); a name alone is for its bottlenecks only")
    parser.add_argument("--jobs", nargs="+", choices=list(JOBS), help="only these of a case's jobs")
    parser.add_argument("--variants", nargs="+", choices=list(VARIANTS), default=list(VARIANTS))
    parser.add_argument("--random", type=int, default=2, help="so many more settings, drawn anew, predicted from 1 HDD (default %(default)s)")
    parser.add_argument("--logs", type=Path, metavar="FOLDER", help="keep event logs and measurements there; what is there already is not measured again")
    parser.add_argument("--seed", type=int, help="of those (default: another each time)")
    parser.add_argument("--add", action="store_true", help="keep what the tables have of other changes and jobs")
    parser.set_defaults(cpu=None)


def drawn(seed, index):
    generator = random.Random(f"{seed} {index}")
    return Setting(
        f"random {seed}.{index}",
        machines=generator.choice((3, 4, 5)),
        cpu=0.35,
        disks=generator.choice((1, 2)),
        kind=generator.choice(("hdd", "ssd")),
        speed=round(generator.uniform(0.05, 0.2), 2),
        nic=f"{generator.randrange(50, 500)}mbit",
    )


def run(options, say):
    if options.cpu is not None:
        raise LabError("--cpu: each of these settings has its own")
    seed = options.seed if options.seed is not None else random.randrange(10000)
    fresh = [drawn(seed, index).name for index in range(1, options.random + 1)]
    known = {f"{a}:{b}": (a, b, jobs) for a, b, jobs in CASES}
    wanted = options.cases or list(known)
    if unknown := set(wanted) - set(known) - set(SETTINGS):
        raise LabError(f"--cases: no {', '.join(sorted(unknown))}; there are {', '.join(known)}, and each of these names alone")
    cases = [case for name, case in known.items() if name in wanted]
    cases += [("4 machines, random", name, SORTS) for name in fresh]
    alone = [(name, name, jobs) for name in wanted for a, b, jobs in CASES if name in (a, b)]
    asked = alone + cases
    runs = []
    names = dict.fromkeys(each for a, b, _ in asked for each in (a, b))
    groups = {name: its for name in names if (its := groups_of(name, asked, options.jobs))}
    if not groups:
        raise LabError(f"--jobs {' '.join(options.jobs)}: none of these cases has such jobs")
    so_far = options if options.add else argparse.Namespace(**vars(options) | {"to": options.to / "so-far"})
    for left, (name, its) in zip(reversed(range(len(groups))), groups.items(), strict=True):
        targets = [setting_of(b) for b in dict.fromkeys(b for a, b, _ in asked if a == name)]
        runs += measured(setting_of(name), targets, [job for group in its for job in JOBS[group]()], options, say)
        write(so_far if left else options, cases, runs, say)
    shutil.rmtree(options.to / "so-far", ignore_errors=True)


def groups_of(name, asked, wanted):
    """The groups of jobs to run in a setting."""
    return list(dict.fromkeys(group for a, b, jobs in asked if name in (a, b) for group in jobs if not wanted or group in wanted))


def setting_of(name):
    if name in SETTINGS:
        return SETTINGS[name]
    return drawn(*(int(number) for number in name.removeprefix("random ").split(".")))


def write(options, cases, runs, say):
    """What there is so far: it takes hours."""
    experiment.same_answers(runs)
    rows = predicted(cases, runs)
    for row in rows:
        row["changes"] = setting_of(row["from"]).changes(setting_of(row["to"]))
    bounds = bottlenecks(runs)
    if not rows and not bounds:
        return
    predictions, saved = (options.to / f"whatif-{name}.csv" for name in ("predictions", "bottlenecks"))
    if options.add:
        rows = in_order(of_others(predictions, PREDICTION, rows) + rows)
        bounds = of_others(saved, BOTTLENECK, bounds) + bounds
        runs = experiment.of_other_cases(options.to / "whatif.csv", runs) + runs
    write_rows(predictions, ("variant", "changes", *(f"{name} error" for name in PREDICTORS)), rows)  # and then names with commas in them
    write_rows(saved, BOTTLENECK, bounds)
    experiment.write(options, "whatif", page(rows, bounds), runs, say)


def of_others(file, words, rows):
    """The rows of `file`, such a CSV, that `rows` has not: those with other `words`, the columns that are no numbers."""
    there = {tuple(row[word] for word in words) for row in rows}
    kept = [row for row in experiment.rows_of(file) if tuple(row[word] for word in words) not in there]
    return [{key: value if key in words else float(value) for key, value in row.items()} for row in kept]


def write_rows(file, first, rows):
    """Numbers to 4 digits, under their columns' names, of which some come `first`."""
    if not rows:
        return
    file.parent.mkdir(parents=True, exist_ok=True)
    with replaced(file) as lines:
        writer = csv.DictWriter(lines, dict.fromkeys((*first, *rows[0])), lineterminator="\n")
        writer.writeheader()
        writer.writerows({key: round(value, 4) if isinstance(value, float) else value for key, value in row.items()} for row in rows)


def change_of(row):
    return row["variant"], row["from"], row["to"]


def in_order(rows):
    order = {(a, b): at for at, (a, b, _) in enumerate(CASES)}
    return sorted(rows, key=lambda row: (list(VARIANTS).index(row["variant"]), order.get((row["from"], row["to"]), len(order))))


def measured(setting, targets, jobs, options, say):
    """The runs of all jobs in one setting, each with what it predicts of `targets`."""
    with tempfile.TemporaryDirectory() as folder:
        logs = options.logs or Path(folder)
        logs.mkdir(parents=True, exist_ok=True)
        found = {variant: kept(setting, variant, jobs, logs) for variant in options.variants}
        if missing := [variant for variant, its in found.items() if not its]:
            in_lab(setting, missing, jobs, options.pairs, logs, say)
            found |= {variant: kept(setting, variant, jobs, logs) for variant in missing}
        runs = []
        for variant, its in found.items():
            recording = Recording(logs / f"{setting.name}, {variant}")
            for each in its:
                answers = {to.name: recording.what_if(each, setting.flags(to, folder)) for to in targets}
                each.what_if = {name: answer["application"] for name, answer in answers.items()}
                each.bounds = {bound["resource"]: bound for answer in answers.values() for bound in answer["bounds"]}
                runs.append(each)
        return runs


def in_lab(setting, variants, jobs, pairs, logs, say):
    """Runs all jobs, and leaves event logs and measurements in `logs`."""
    jobs = [(job, generate, f"{line} --cached" if setting.cached else line) for job, generate, line in jobs]
    with lab(setting.lab(), say) as cluster:
        experiment.refuse_if_off(cluster, say)
        for variant in variants:
            with Application(cluster, variant, VARIANTS[variant]) as application:
                applications = {f"{variant}, {setting.name}": application}
                monotasks.rehearse_all(applications, jobs, say)
                monotasks.in_rounds(applications, jobs, monotasks.rounds_of(applications, jobs, pairs, say), say)
            shutil.copy(application.event_log, logs / f"{setting.name}, {variant}")
            keep(setting, variant, logs, application.explain())


def keep(setting, variant, logs, runs):
    measurements = {"setting": asdict(setting), "runs": [asdict(each) for each in runs]}
    (logs / f"{setting.name}, {variant}.json").write_text(json.dumps(measurements))


def kept(setting, variant, jobs, logs):
    """The runs of these jobs that were measured; none where the setting was not measured yet."""
    file = logs / f"{setting.name}, {variant}.json"
    if not file.exists():
        return []
    measurements = json.loads(file.read_text())
    if measurements["setting"] != asdict(setting):
        raise LabError(f"{file} is of other machines, {measurements['setting']}: give the --seed of then, or another folder of --logs")
    runs = [Run(**each) for each in measurements["runs"]]
    if lacking := {job for job, *_ in jobs} - {each.case for each in runs}:
        raise LabError(f"{file} has no runs of {', '.join(sorted(lacking))}: give other --jobs, or another folder of --logs")
    return [each for each in runs if each.case in {job for job, *_ in jobs}]


def predicted(cases, runs):
    """One row of each case, job and variant: what was measured of both settings, and what each predictor said, of the first's median run."""
    rows = []
    for variant in dict.fromkeys(run.variant.partition(", ")[0] for run in runs):
        for a, b, _ in cases:
            before = [run for run in runs if run.variant == f"{variant}, {a}"]
            after = [run for run in runs if run.variant == f"{variant}, {b}"]
            for job in dict.fromkeys(run.case for run in before if any(run.case == other.case for other in after)):
                was = [run for run in before if run.case == job]
                seconds = experiment.median([run.seconds for run in was])
                actual = experiment.median([run.seconds for run in after if run.case == job])
                row = {"variant": variant, "from": a, "to": b, "job": job, "before": seconds, "after": actual}
                for name in PREDICTORS:
                    said = experiment.median([run.seconds * ratio(run.what_if[b], name) for run in was])
                    row |= {name: said, f"{name} error": said / actual - 1}
                replayed = experiment.median([run.what_if[b]["replayNow"] / run.what_if[b]["seconds"] for run in was])
                rows.append(row | {"replay of itself": replayed - 1})
    return rows


def ratio(application, predictor):
    return application[predictor] / application["seconds"]


def bottlenecks(runs):
    """Of each job of a setting, and of its disks and network: what is saved at most of the time, by blocked-time analysis of observed runs, and by
    the replay and the ideal model of recorded monotasks (thesis Fig. 5.13)."""
    rows = []
    asked = [run for run in runs if run.what_if]
    for setting in dict.fromkeys(run.variant.partition(", ")[2] for run in asked):
        of = {variant: [run for run in asked if run.variant == f"{variant}, {setting}"] for variant in ("observed", "monotasks")}
        for job in dict.fromkeys(run.case for run in of["observed"] if any(run.case == other.case for other in of["monotasks"])):
            for resource in ("disk", "network"):
                def saved(variant, predictor, job=job, resource=resource, of=of):
                    seconds = [(each.bounds[resource][predictor], *each.what_if.values()) for each in of[variant] if each.case == job]
                    return experiment.median([1 - bound / first["seconds"] for bound, first, *_ in seconds])

                rows.append({"setting": setting, "job": job, "resource": resource, "blocked": saved("observed", "blockedTime"),
                             "at most": saved("observed", "blockedTimeAtLeast"), "replay": saved("monotasks", "replay"), "ideal": saved("monotasks", "ideal")})  # fmt: skip
    return rows


def bottleneck_part(rows):
    if not rows:
        return ""
    apart = sorted(abs(row["blocked"] - row["replay"]) for row in rows)
    each = [[row["setting"], row["job"], row["resource"], *(f"{row[key]:.0%}" for key in ("blocked", "at most", "replay", "ideal"))] for row in rows]
    return f"""## If a resource were infinitely fast

What is saved of the time, with stock Spark by blocked-time analysis of observed runs (what is measured, and what it is at most), as monotasks by the replay and by the ideal model.
Blocked time and replay are {statistics.median(apart):.0%} of the time apart in the median, {apart[-1]:.0%} at most.

{experiment.markdown(["setting", "job", "resource", "blocked time", "at most", "replay", "ideal"], each)}"""


def page(rows, bounds):
    def errors(of, name):
        all_of_them = sorted(abs(row[f"{name} error"]) for row in of)
        return f"{statistics.median(all_of_them):.0%} ({all_of_them[-1]:.0%})"

    summary = []
    for variant, a, b in dict.fromkeys(change_of(row) for row in rows):
        of = [row for row in rows if change_of(row) == (variant, a, b)]
        summary.append([variant, f"{a} -> {b}", len(of), *(errors(of, name) for name in PREDICTORS)])
    for variant in dict.fromkeys(row["variant"] for row in rows):
        of = [row for row in rows if row["variant"] == variant]
        summary.append([variant, "all", len(of), *(errors(of, name) for name in PREDICTORS)])
    each = [
        [row["variant"], f"{row['from']} -> {row['to']}", row["job"], f"{row['before']:.1f}", f"{row['after']:.1f}",
         *(f"{row[name]:.1f} ({row[f'{name} error']:+.0%})" for name in PREDICTORS), f"{row['replay of itself']:+.0%}"]
        for row in rows
    ]  # fmt: skip
    used = dict.fromkeys([row[end] for row in rows for end in ("from", "to")] + [row["setting"] for row in bounds])
    header = ["setting", "machines", "cores of each", "real cores", "disks", "kind", "speed", "network", "input in memory"]
    return f"""`pellucid whatif` of each job's runs in one lab, against the same job in another; medians of the runs of each. As monotasks: predicted from recorded
monotasks and compared with runs as monotasks; stock: predicted from a stock log, whose monotasks are estimated, and compared with stock runs. Random settings are drawn
anew each time: *random S.N* is the Nth of `--seed S`.

## Median error (worst) of each predictor

{experiment.markdown(["log", "change", "jobs", *PREDICTORS], summary)}
## Each prediction

Seconds before and after, as measured, and predicted, with the error. *Of itself*: how far the replay of the recorded machines is from what was recorded.

{experiment.markdown(["log", "change", "job", "before", "after", *PREDICTORS, "of itself"], each)}
{bottleneck_part(bounds)}
## Settings

Sorts are of 160 MB from HDFS to HDFS (3 replicas), the Big Data Benchmark is at a thousandth of its scale factor 5, or four; speed is against the disks of Doppio's Fig. 5.

{experiment.markdown(header, [list(asdict(setting_of(name)).values()) for name in used])}"""
