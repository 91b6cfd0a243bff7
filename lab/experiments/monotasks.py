"""The same jobs on stock Spark and as monotasks, in turn: how much faster, and where the time goes (thesis 5.5).

Two labs are up at once, alike but for the plugin's setting, or two applications on this computer's own disk; only one of them works at a time.
"""

import contextlib
import itertools
import math
import statistics
import time
from functools import partial

from bench.tables import queries, tables
from lab import experiment
from lab.application import Application
from lab.cluster import LabError, lab
from lab.experiments import bdb
from lab.local import CORES, local

WARM_UP_SECONDS = 45  # of the clock, in which a job is run again and again as fast as this computer can: the compiler has CPUs then
REHEARSED_SECONDS = 15  # and as it will be measured
COMPILERS = 0.08  # of the CPU time: while they have more both go on; some 0.06 is what stays, as each run has code that is its own
MOST_TIMES = 5
MOST_SECONDS = 300  # and where a run takes long no more often than that takes
MEASURED_SECONDS = 20  # of each variant of a job at least: one of a second or two is told apart by more runs only
MOST_PAIRS = 9
LOCAL = "local[2]"
# how many disks of which kind, and how many times the input
DISKS = {"1 HDD": (1, "hdd", 1), "2 HDDs": (2, "hdd", 1), "1 SSD": (1, "ssd", 1), "1 SSD, 4 times the input": (1, "ssd", 4), LOCAL: (0, None, 1)}
SHORT = ("text", "parquet", "waves")  # jobs that take a second or two on an SSD, and with more input, which they alone can have, as long as on an HDD


def sort(values):
    return [(f"sort, {values} values", f"sort generate --data sort{values} --mb 160 --files 32 --values {values}",
             f"sort run --data sort{values} --output sorted --split-mb 16 --reduce-partitions 32")]  # fmt: skip


def big_data_benchmark(kind, scale=1):
    made = f"bdbench generate --data bdb-{kind} --scale {scale} --files {32 * scale} --format {kind}"
    return [(f"BDB {query}, {kind}", made, bdb.line(query, kind)) for query in bdb.QUERIES]


def least_squares():
    where = "--data matrix --output product"
    return [("least squares", "least_squares generate --data matrix --row-blocks 16 --block-rows 1024 --columns 1024",
             f"least_squares run {where} --column-block 512 --passes 2 --reduce-partitions 8")]  # fmt: skip


def tpch():
    made = f"queries generate --data tpch --from {tables('tpch', 0.2)}"
    return [("TPC-H", made, f"queries run --data tpch --output none --queries {queries('tpch')}")]


def waves(scale=1, cores=8):
    def job(count, total):
        mb = total // cores  # of a file, which is one task of the first wave
        made = f"waves generate --data waves-{total} --mb {total} --file-mb {mb}"
        return f"read and compute, {count} waves", made, f"waves run --data waves-{total} --output none --split-mb {mb // count}"

    return [*(job(count, 128 * scale) for count in (1, 2, 4, 8)), job(10, 160 * scale)]


# of each group (name, line that makes the input, line of the job)
JOBS = {
    "sort10": partial(sort, 10),
    "sort20": partial(sort, 20),
    "sort50": partial(sort, 50),
    "text": partial(big_data_benchmark, "text"),
    "parquet": partial(big_data_benchmark, "parquet"),
    "least-squares": least_squares,
    "tpch": tpch,
    "waves": waves,
    "tiny": lambda: [("20,000 tiny tasks", "tiny generate --data none", "tiny run --data none --output none --tasks 20000")],
}


def options(parser):
    parser.add_argument("--jobs", nargs="+", choices=list(JOBS), default=list(JOBS))
    parser.add_argument("--only", nargs="+", default=[""], metavar="TEXT", help="of these jobs those with such a text in their name, as in the table")
    parser.add_argument("--disks", nargs="+", choices=list(DISKS), default=list(DISKS))
    parser.add_argument("--speed", type=float, default=0.1, help="of the disks, against Doppio's Fig. 5 (default %(default)s)")
    kept = parser.add_mutually_exclusive_group()
    kept.add_argument("--add", action="store_true", help="keep what the tables have of other jobs and disks")
    kept.add_argument("--more", action="store_true", help="keep it of these, too: more runs of the same plugin, as short jobs need")
    parser.add_argument("--conf", nargs="+", type=experiment.setting, default=[], metavar="KEY=VALUE", help="of the application with monotasks")


def run(options, say):
    measured = [each for disks in options.disks for each in on(disks, options, say)]
    if not measured:
        raise LabError(f"none of these jobs is measured on {' or '.join(options.disks)}")
    runs = with_kept(options, measured)
    experiment.write(options, "monotasks", page(options, runs), runs, say)


def with_kept(options, runs):
    """And those of the table that are to stay; all runs of a job beside each other."""
    if options.add or options.more:
        runs = experiment.of_other_cases(options.to / "monotasks.csv", [] if options.more else runs) + runs
    cases = list(dict.fromkeys(run.case for run in runs))
    return sorted(runs, key=lambda run: (list(DISKS).index(disks_of(run)), cases.index(run.case)))


def on(disks, options, say):
    """The runs of all jobs on machines with such disks."""
    count, kind, scale = DISKS[disks]
    jobs = [job for group in options.jobs if scale == 1 or group in SHORT for job in JOBS[group](**size(group, disks, scale))]
    jobs = [job for job in jobs if any(text in job[0] for text in options.only)]
    if not jobs:
        return []
    conf = experiment.PLUGIN | {"spark.pellucid.monotasks": "true"} | dict(options.conf)
    places = own_disk() if disks == LOCAL else labs(experiment.machine(options.cpu, options.speed, count, kind, one_head=kind == "hdd"), say)
    with places as (a, b):
        with Application(a, "stock") as stock, Application(b, "monotasks", conf) as ours:
            applications = {"stock": stock, "monotasks": ours}
            jobs = [(f"{disks}: {job}", generate, line) for job, generate, line in jobs]
            rehearse_all(applications, jobs, say)
            rehearse_rounds(applications, jobs, say)
            in_rounds(applications, jobs, rounds_of(applications, jobs, options.pairs, say), say)
        runs = stock.explain() + ours.explain()
    experiment.same_answers(runs)
    return runs


def size(group, disks, scale):
    """What a job's lines depend on."""
    if disks == LOCAL:
        return {"cores": CORES} if group == "waves" else {}
    return {"scale": scale} if group in SHORT else {}


@contextlib.contextmanager
def labs(machine, say):
    with lab({"name": "stock", "machines": 4, "machine": machine}, say) as a, lab({"name": "mono", "machines": 4, "machine": machine}, say) as b:
        for cluster in (a, b):
            experiment.refuse_if_off(cluster, say)
        yield a, b


@contextlib.contextmanager
def own_disk():
    with local("stock") as a, local("mono") as b:
        yield a, b


def rounds_of(applications, jobs, least, say):
    """How often to measure each job: a short one more often than at least."""
    rounds = {}
    for job, _, line in jobs:
        say(f"{job}: once more")
        seconds = min(application.once(line) for application in applications.values())
        rounds[job] = max(least, min(MOST_PAIRS, math.ceil(MEASURED_SECONDS / seconds)))
    return rounds


def in_rounds(applications, jobs, rounds, say):
    """Measures each job as often as `rounds` says."""
    for number in range(1, max(rounds.values()) + 1):

        def measure(name, job, line, number=number):
            say(f"{job}, {number} of {rounds[job]}: {name}")
            applications[name].measure(job, name, line)

        a_round(applications, [job for job in jobs if number <= rounds[job[0]]], measure, f"round {number}", say, number)


def a_round(applications, jobs, run, title, say, number=1):
    """Each job once, the applications in turn (`both_ways`). Its input is written anew: where HDFS puts blocks is luck."""
    for generate, group in itertools.groupby(jobs, key=lambda job: job[1]):
        say(f"{title}: input")
        for application in applications.values():
            application.generate(generate)
        for job, _, line in group:
            for name in experiment.both_ways(applications, number):
                run(name, job, line)


def rehearse_all(applications, jobs, say):
    """All jobs before the first one is measured: while the compiler still works on what a job of seconds runs, its CPU time is not the job's."""
    for name, application in applications.items():
        made = None
        for job, generate, line in jobs:
            say(f"{name}, {job}: input and rehearsals")
            if generate != made:
                application.generate(generate)
            made = generate
            until_compiled(name, job, partial(application.warm_up, line, WARM_UP_SECONDS), say)
            until_compiled(name, job, partial(application.rehearse, line, REHEARSED_SECONDS), say)


def rehearse_rounds(applications, jobs, say):
    """Then whole rounds: what a job runs is compiled again when others have run between, and until it is one takes a third longer."""

    def a_rehearsal():
        shares = {name: [] for name in applications}
        a_round(applications, jobs, lambda name, _, line: shares[name].append(applications[name].rehearse(line, 0)), "rehearsal", say)
        return max(map(statistics.mean, shares.values()))

    until_compiled(" and ".join(applications), "a round", a_rehearsal, say)


def until_compiled(name, job, rehearse, say):
    began = time.monotonic()
    for _ in range(MOST_TIMES):
        compilers = rehearse()
        say(f"{name}, {job}: compilers have {compilers:.0%} of the CPU time")
        if compilers <= COMPILERS or time.monotonic() - began > MOST_SECONDS:
            break


def page(options, runs):
    return f"""Jobs from HDFS to HDFS (3 replicas) on 4 machines whose disks have {options.speed:g} of the speed of Doppio's Fig. 5, and HDDs one head
(`one_head` in lab/config.py: reads and writes take turns and a seek costs time); page caches of 256 MB, cold at the start of each run. Neither side flushes its output: the cached writes that a run leaves are written
before the next one starts. Monotasks also keep map output in memory, up to 70 MB of each executor, and write it when the executor has had nothing to do for ten seconds,
and choose the machines of HDFS' replicas (docs/monotasks.md). Directories and inodes are known at the start of each run (`drop-caches`). Sorts are of 160 MB, the Big Data Benchmark is at a thousandth of its scale factor 5, TPC-H at 0.2 (all 22 queries).
With four times the input jobs of a second or two on SSDs last as long as on HDDs: what is slower for costs of each job and task shows in the ratio's change.
`{LOCAL}` is Spark's local mode on the computer that has the labs: the same jobs from and to files of its own disk, with no limits, cold, too, and a wave is two tasks.

{ratios(runs)}
{experiment.times(runs, "stock")}"""


def ratios(runs):
    """The geometric mean over jobs of the ratio of medians, of each kind of disk, and that of means: of jobs of half a second some runs take twice as long,
    and the median is one of these or of the others."""
    rows = []
    for disks in dict.fromkeys(disks_of(run) for run in runs):
        cases = {}
        for run in runs:
            if disks_of(run) == disks:
                cases.setdefault(run.case, []).append(run)
        each = {case: ratio(its) for case, its in cases.items()}
        worst = max(each, key=each.get)
        means = [ratio(its, of=statistics.mean) for its in cases.values()]
        rows.append([disks, len(each), f"{statistics.geometric_mean(each.values()):.2f}", f"{statistics.geometric_mean(means):.2f}",
                     f"{each[worst]:.2f} ({worst.partition(': ')[2]})"])  # fmt: skip
    return experiment.markdown(["disks of a machine", "jobs", "monotasks to stock, geometric mean", "by means of runs", "worst"], rows)


def disks_of(run):
    return run.case.partition(":")[0]


def ratio(runs, of=experiment.median):
    stock, ours = ([run.seconds for run in runs if run.variant == variant] for variant in ("stock", "monotasks"))
    return of(ours) / of(stock)
