"""Two sorts at once, as monotasks: what each of them used, against what it uses alone (thesis 5.6.6, Fig. 5.15).

Beside it what can be told without monotasks: what the executors used in all while a stage ran, divided by the tasks' time.
"""

from lab import experiment
from lab.application import Application
from lab.cluster import lab
from lab.experiments import monotasks

VALUES = (10, 50)
# Map output that stays in memory while there is room is written, or is not, by what else runs: of two sorts at once there would be more of it on disks than of each alone.
CONF = experiment.PLUGIN | {"spark.pellucid.monotasks": "true", "spark.pellucid.monotasks.shuffleMemory": 0}
# For the map output of both: in 256 MB two sorts at once push out more of each other's than one does of its own, and disks really read it again.
PAGE_CACHE = "512MB"
# of a stage's use, as `pellucid report` has it: of one resource, or in all
FIGURES = {"CPU s": (None, "cpuSeconds"), "disk MB": ("disk", "bytes"), "network MB": ("network", "bytes"), "output MB": ("network:hdfs", "bytes")}


def options(parser):
    parser.add_argument("--speed", type=float, default=0.1, help="of the disks, against Doppio's Fig. 5 (default %(default)s)")


def run(options, say):
    machine = experiment.machine(options.cpu, options.speed, 1, page_cache=PAGE_CACHE)
    where = "two_sorts run --data /sorts --output /sorted --split-mb 16 --reduce-partitions 32 --values"
    variants = {f"{values} alone": f"{where} {values}" for values in VALUES} | {"both": f"{where} {' '.join(map(str, VALUES))}"}
    with lab({"name": "attribution", "machines": 4, "machine": machine}, say) as cluster:
        experiment.refuse_if_off(cluster, say)
        with Application(cluster, "attribution", CONF) as application:
            made = f"two_sorts generate --data /sorts --mb 160 --files 32 --values {' '.join(map(str, VALUES))}"
            monotasks.rehearse_all({"attribution": application}, [(name, made, line) for name, line in variants.items()], say)
            experiment.turns({name: lambda n=name, line=line: application.measure(n, "monotasks", line) for name, line in variants.items()},
                             options.pairs, say)  # fmt: skip
        runs = application.explain()
    experiment.same_answers(runs)
    experiment.write(options, "attribution", page(options, runs), runs, say)


def page(options, runs):
    rows = []
    for values in VALUES:
        alone, both = ([stages(run, values) for run in runs if run.case == case] for case in (f"{values} alone", "both"))
        for number, stage in enumerate(("map", "reduce")):
            for name, (resource, key) in FIGURES.items():
                true, told, divided = (experiment.median([f(each[number], resource, key) for each in group])
                                       for f, group in ((use, alone), (use, both), (share, both)))  # fmt: skip
                unit, counted, error = 1e6, "", against(told, true)
                if not resource:
                    unit, counted = 1, against(of_counter(both, number), of_counter(alone, number))
                    error = against(part_of_counter(both, number), part_of_counter(alone, number))
                if true or told:
                    rows.append([f"{values} values, {stage}", name, f"{true / unit:.2f}", f"{told / unit:.2f}", against(told, true),
                                 counted, error, against(divided, true, 0)])  # fmt: skip

    def machines(case):
        return experiment.median([run.counters["cpu_seconds"] for run in runs if run.case == case])

    apart, together = sum(machines(f"{values} alone") for values in VALUES), machines("both")
    rows.append(["machines", "CPU s", f"{apart:.2f}", f"{together:.2f}", against(together, apart), "", "", ""])
    return f"""Sorts of 160 MB with {VALUES[0]} and {VALUES[1]} longs per value, from HDFS to HDFS (3 replicas), on 4 machines with one HDD of
{options.speed:g} of the speed of Doppio's Fig. 5 and page caches of {PAGE_CACHE}. Each alone, and both at once, {options.pairs} times
each in an application that had run them for minutes, all map output written to disks (`shuffleMemory=0`); medians.

{experiment.markdown(["stage", "use", "alone", "of two at once", "more or less", "by Spark's counter", "error", "error if divided by tasks' time"], rows)}
*More or less*: what the stage used at once against alone. *By Spark's counter*: the same of the CPU time that Spark itself counted of each of its tasks' threads: so much more or less it really took. *Error*: that of telling the two apart; of the CPU by
how much more or less of what Spark counted in a run it is (the median of that over runs). The last column divides what all stages of the same kind used together in proportion to their tasks' time, which is all that can be done
with an executor's totals. The last row is what the kernel counted of all that ran on the machines, which nobody has to tell apart: so much more or less
CPU time do two sorts take at once. Of a use that a stage has not at all when its sort runs alone there is no percentage."""


def against(value, base, digits=1):
    return f"{value / base - 1:+.{digits}%}" if base else ""


def stages(run, values):
    """Of the map and the reduce stage: their own use, and those of the stages that ran beside them."""
    named = [stage for stage in run.report["stages"] if stage["monotasks"]]
    own = [stage for stage in named if stage.get("description") == f"{values} values"]
    kinds = {True: [s for s in named if s["demand"]["shuffleWriteBytes"] > 0], False: [s for s in named if s["demand"]["shuffleWriteBytes"] == 0]}
    return [(next(s for s in own if s in kinds[maps]), kinds[maps]) for maps in (True, False)]


def use(stage, resource, key):
    own, _ = stage
    return of(own, resource, key)


def of_counter(runs, number):
    """CPU seconds of a stage by Spark's own counter of each task's thread: the median."""
    return experiment.median([own["demand"]["cpuSeconds"] for own, _ in (each[number] for each in runs)])


def part_of_counter(runs, number):
    """How much of that its monotasks have."""
    return experiment.median([use(each[number], *FIGURES["CPU s"]) / each[number][0]["demand"]["cpuSeconds"] for each in runs])


def share(stage, resource, key):
    own, all_of_kind = stage
    seconds = [s["breakdown"]["taskSeconds"] for s in all_of_kind]
    return sum(of(s, resource, key) for s in all_of_kind) * own["breakdown"]["taskSeconds"] / sum(seconds)


def of(stage, resource, key):
    return sum(each[key] for each in stage["monotasks"] if resource in (None, each["resource"]))
