"""Two identical line counts, one after another, on data of 0.67, 1.33 and 2.67 times the summed page caches (Quartet Figs. 1 and 2).

How much of the second count's input is still in memory, and its time against the first's. Stock Spark reads in the same order as
before, so that data a little larger than memory pushes out, block by block, what is wanted next.
"""

from lab import experiment
from lab.application import Application
from lab.cluster import lab

CASES = ("0.67", "1.33", "2.67")
FILE_MB = 16


def options(parser):
    parser.add_argument("--page-cache-mb", type=int, default=192, help="of each machine (default %(default)s)")
    parser.add_argument("--speed", type=float, default=0.2, help="of the HDDs, against Doppio's Fig. 5 (default %(default)s)")


def run(options, say):
    machine = experiment.machine(options.cpu, options.speed, page_cache=f"{options.page_cache_mb}MB")
    with lab({"name": "shared-data", "machines": 4, "machine": machine}, say) as cluster:
        experiment.refuse_if_off(cluster, say)
        with Application(cluster, "shared-data") as application:
            lines = {}
            for case in CASES:
                files = round(float(case) * 4 * options.page_cache_mb / FILE_MB)
                say(f"input: {files * FILE_MB} MB")
                application.generate(f"scan generate --data /lines-{case} --mb {files * FILE_MB} --file-mb {FILE_MB}")
                lines[case] = f"scan run --data /lines-{case} --output /unused --split-mb {FILE_MB}"
            application.warm_up(lines[CASES[0]])

            def twice(case):
                application.measure(case, "first", lines[case])
                application.measure(case, "second", lines[case], cold=False)

            experiment.turns({case: lambda case=case: twice(case) for case in CASES}, options.pairs, say)
        say("reports")
        runs = application.explain()
    experiment.same_answers(runs)
    experiment.write(options, "shared-data", page(options, runs), runs, say)


def page(options, runs):
    rows = []
    for case in CASES:
        first, second = ([r for r in runs if r.case == case and r.variant == v] for v in ("first", "second"))
        hits = [1 - experiment.disks(r, "hdfs", "read_bytes") / r.report["demand"]["inputBytes"] for r in second]
        size = experiment.median([r.report["demand"]["inputBytes"] for r in first]) / 2**20
        ratio = experiment.median([b.seconds / a.seconds for a, b in zip(first, second)])
        seconds = [experiment.spread([r.seconds for r in group]) for group in (first, second)]
        rows.append([f"{case}x", f"{size:.0f}", *seconds, f"{ratio:.2f}", experiment.spread([100 * max(0.0, h) for h in hits], 0)])
    header = ["data / page caches", "MB", "first, s", "second, s", "second/first", "second's input found in memory, %"]
    return f"""Two line counts over text in HDFS (3 replicas, blocks of {FILE_MB} MB), on 4 machines with a page cache of {options.page_cache_mb} MB each
and HDDs of {options.speed:g} of the speed of Doppio's Fig. 5. Caches are dropped before each first count. What was found in memory is the
input less what the disks read.

{experiment.markdown(header, rows)}"""
