"""The same sort on one HDD, two HDDs and one SSD per machine: time per stage (thesis 5.6.2, Doppio Fig. 2).

Two labs are up at once: one with one disk per machine, which is an HDD or an SSD in turn, and one with two HDDs. Only one of them
works at a time. `no limit` is the first with its disk as fast as this computer's: what blocked-time analysis' "no disk" is about.
"""

from lab import experiment
from lab.application import Application
from lab.cluster import lab


def options(parser):
    parser.add_argument("--mb", type=int, default=160, help="input (default %(default)s)")
    parser.add_argument("--values", type=int, default=20, help="longs per value: fewer are more CPU (default %(default)s)")
    parser.add_argument("--speed", type=float, default=0.1, help="of the disks, against Doppio's Fig. 5 (default %(default)s)")


def run(options, say):
    configurations = [{"name": f"disks{n}", "machines": 4, "machine": experiment.machine(options.cpu, options.speed, n)} for n in (1, 2)]
    with lab(configurations[0], say) as one, lab(configurations[1], say) as two:
        for cluster in (one, two):
            experiment.refuse_if_off(cluster, say)
        with Application(one, "hdd-vs-ssd-1") as with_one, Application(two, "hdd-vs-ssd-2") as with_two:
            line = "sort run --data /sort --output /sorted --split-mb 16 --reduce-partitions 32"
            for application in (with_one, with_two):
                say("input and warm-up")
                application.generate(f"sort generate --data /sort --mb {options.mb} --files 32 --values {options.values}")
                application.warm_up(line)

            def with_disk(name, limit):
                def turn():
                    one.set("all", {"disk1": limit})
                    with_one.measure("sort", name, line)

                return turn

            variants = {
                "1 HDD": with_disk("1 HDD", f"hdd*{options.speed}"),
                "2 HDDs": lambda: with_two.measure("sort", "2 HDDs", line),
                "1 SSD": with_disk("1 SSD", f"ssd*{options.speed}"),
                "no limit": with_disk("no limit", "unlimited"),
            }
            experiment.turns(variants, options.pairs, say)
        say("reports")
        runs = with_one.explain() + with_two.explain()
    experiment.same_answers(runs)
    experiment.write(options, "hdd-vs-ssd", page(options, runs), runs, say)


def page(options, runs):
    return f"""A sort of {options.mb} MB of pairs with {options.values} longs per value, from HDFS to HDFS (3 replicas), on 4 machines whose disks
have {options.speed:g} of the speed of Doppio's Fig. 5; page caches of 256 MB, cold at the start of each run.

{experiment.times(runs, "1 HDD")}
## Per stage

{stages(runs)}
## What "no disk" would save: predicted and measured

{no_disk(runs)}
Stock Spark does not log the time blocked on input and output, so the report can only bound it from above.
"""


def no_disk(runs):
    """The upper bound of the report of the runs on a slow disk, against the runs without a limit."""
    free = experiment.median([r.seconds for r in runs if r.variant == "no limit"])
    rows = []
    for variant in ("1 HDD", "1 SSD"):
        group = [r for r in runs if r.variant == variant]
        bound = experiment.median([r.report["completion"]["noDisk"]["atMostSeconds"] for r in group])
        logged = experiment.median([r.report["completion"]["noDisk"]["loggedSeconds"] for r in group])
        saved = experiment.median([r.seconds for r in group]) - free
        rows.append([variant, f"{logged:.1f}", f"{bound:.1f}", f"{saved:.1f}"])
    return experiment.markdown(["variant", "as logged, s", "at most, s", "measured with no limit, s"], rows)


def stages(runs):
    """The stages that do the work, in order: the map stage and the reduce stage."""
    rows = []
    for variant in dict.fromkeys(r.variant for r in runs):
        group = [r for r in runs if r.variant == variant]
        for number, name in enumerate(("map: read, shuffle write", "reduce: shuffle read, sort, write")):
            seconds = [sorted(r.report["stages"], key=lambda s: s["startSeconds"])[number]["seconds"] for r in group]
            rows.append([variant, name, experiment.spread(seconds)])
    return experiment.markdown(["variant", "stage", "seconds, median (min-max)"], rows)
