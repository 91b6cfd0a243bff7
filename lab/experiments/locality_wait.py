"""What waits for executors near the data cost stock Spark: the report's advice, and the same sorts without the waits.

Of five machines some hold just a fifth of a reducer's input and others just not, and Spark has reducers wait for the former. Two labs are up
at once, alike; only one of them works at a time.
"""

from lab import experiment
from lab.application import Application
from lab.cluster import lab
from lab.experiments import monotasks

WITHOUT = {"spark.shuffle.reduceLocality.enabled": "false"}


def options(parser):
    parser.set_defaults(cpu=0.35)  # of five machines at once
    parser.add_argument("--speed", type=float, default=0.13, help="of the two SSDs, against Doppio's Fig. 5 (default %(default)s)")


def run(options, say):
    jobs = [job for values in (10, 20, 50) for job in monotasks.sort(values)]
    machine = experiment.machine(options.cpu, options.speed, 2, "ssd")
    with lab({"name": "waits", "machines": 5, "machine": machine}, say) as a, lab({"name": "none", "machines": 5, "machine": machine}, say) as b:
        for cluster in (a, b):
            experiment.refuse_if_off(cluster, say)
        with Application(a, "waits") as waits, Application(b, "no-waits", WITHOUT) as none:
            monotasks.rehearse_all({"waits": waits, "none": none}, jobs, say)
            for job, _, line in jobs:
                variants = {
                    "stock": lambda job=job, line=line: waits.measure(job, "stock", line),
                    "any executor": lambda job=job, line=line: none.measure(job, "any executor", line),
                }
                experiment.turns(variants, options.pairs, lambda text, job=job: say(f"{job}, {text}"))
        runs = waits.explain() + none.explain()
    experiment.same_answers(runs)
    experiment.write(options, "locality-wait", page(options, runs), runs, say)


def page(options, runs):
    return f"""Sorts of 160 MB from HDFS to HDFS (3 replicas) on stock Spark, on 5 machines with two SSDs of {options.speed:g} of the speed of Doppio's Fig. 5;
page caches of 256 MB, cold at the start of each run. *Any executor* has `spark.shuffle.reduceLocality.enabled=false`.

{experiment.times(runs, "stock")}
## What the report says that the waits cost, and what they do

{advice(runs)}"""


def advice(runs):
    """Medians of each job's runs."""
    rows = []
    for job in dict.fromkeys(r.case for r in runs):
        stock, free = ([r for r in runs if (r.case, r.variant) == (job, variant)] for variant in ("stock", "any executor"))
        seconds, without = (experiment.median([r.seconds for r in group]) for group in (stock, free))
        says = [r.seconds - saves(r) for r in stock]
        predicted = experiment.median(says)
        left = experiment.median([saves(r) for r in free])
        rows.append([job, f"{seconds:.1f}", f"{predicted:.1f}", f"{without:.1f}", f"{predicted / without - 1:+.0%}", f"{left:.1f}"])
    return experiment.markdown(["job", "stock s", "without the waits: predicted s", "measured s", "error", "still saved at most s"], rows)


def saves(run):
    """At most, as the report of this run says."""
    return sum(each["savesSeconds"] for each in run.report["advice"] if each["kind"] == "localityWait")
