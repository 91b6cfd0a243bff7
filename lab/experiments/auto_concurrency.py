"""How many tasks at once a machine should run: stock Spark with five settings, and monotasks, which need none (thesis 5.7, Fig. 5.17).

The machines' CPUs, disks and memory stay the same; a setting is how many tasks Spark is told to run at once on each.
"""

from lab import experiment
from lab.application import Application
from lab.cluster import lab

TASKS = (1, 2, 3, 4, 8)
CORES = 2  # of a machine as monotasks see it, and stock Spark's setting in the other experiments
VALUES = (10, 20, 50)
WHERE = "--data /sort{values} --output /sorted --split-mb 16 --reduce-partitions 32"


def options(parser):
    parser.add_argument("--mb", type=int, default=160, help="input of each sort (default %(default)s)")
    parser.add_argument("--speed", type=float, default=0.1, help="of the disks, against Doppio's Fig. 5 (default %(default)s)")


def run(options, say):
    machine = experiment.machine(options.cpu, options.speed, 1, one_head=True, cores=max(TASKS))
    variants = {f"Spark, {tasks}": conf(tasks) for tasks in TASKS}
    variants["monotasks"] = conf(CORES) | experiment.PLUGIN | {"spark.pellucid.monotasks": "true"}
    runs = []
    with lab({"name": "auto-concurrency", "machines": 4, "machine": machine}, say) as cluster:
        experiment.refuse_if_off(cluster, say)
        with Application(cluster, "input", conf(CORES)) as application:
            for values in VALUES:
                say(f"input, {values} values")
                application.generate(f"sort generate --data /sort{values} --mb {options.mb} --files 32 --values {values}")

        def measure(variant, settings):
            with Application(cluster, variant.replace(", ", "-"), settings) as application:
                for values in VALUES:
                    line = f"sort run {WHERE.format(values=values)}"
                    for _ in range(2):
                        application.warm_up(line)
                    say(f"{variant}: {values} values")
                    application.measure(f"sort, {values} values", variant, line)
            runs.extend(application.explain())

        experiment.turns({name: lambda n=name, c=each: measure(n, c) for name, each in variants.items()}, options.pairs, say)
    experiment.same_answers(runs)
    experiment.write(options, "auto-concurrency", page(options, runs), runs, say)


def conf(tasks):
    """One executor per machine that runs so many tasks at once."""
    return {"spark.executor.cores": tasks, "spark.cores.max": 4 * tasks}


def page(options, runs):
    rows = []
    for values in VALUES:
        seconds = {variant: experiment.median([r.seconds for r in runs if (r.case, r.variant) == (f"sort, {values} values", variant)])
                   for variant in dict.fromkeys(r.variant for r in runs)}  # fmt: skip
        best = min((variant for variant in seconds if variant != "monotasks"), key=seconds.get)
        rows.append([f"{values} values", f"{best}: {seconds[best]:.1f} s", f"{seconds['monotasks']:.1f} s", f"{seconds['monotasks'] / seconds[best]:.2f}"])
    return f"""Sorts of {options.mb} MB from HDFS to HDFS (3 replicas) on 4 machines with one HDD of one head and {options.speed:g} of the speed of Doppio's Fig. 5, with so many tasks
at once on each; each setting is an application of its own, {options.pairs} times in turn, that ran each sort twice before. Page caches are cold.

{experiment.markdown(["sort", "best of Spark's settings (tasks at once)", "monotasks", "ratio"], rows)}
{experiment.times(runs, "Spark, 2")}"""
