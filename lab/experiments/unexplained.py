"""What of task time nothing names, in TPC-DS' queries on Parquet in HDFS, with the plugin.

Of stock Spark's log of one of them (q72, 484 MB) 22 to 28 % of the task time is waiting that nothing names.
"""

from bench.tables import QUERIES, queries, tables
from lab import experiment
from lab.application import Application
from lab.cluster import lab

PHASES = ["compute", "gc", "cpuQueue", "inputRead", "shuffleRead", "shuffleWrite", "spill", "outputWrite", "metadata", "driver", "lock"]


def options(parser):
    parser.add_argument("--benchmark", choices=list(QUERIES), default="tpcds", help="default %(default)s")
    parser.add_argument("--scale", type=float, default=0.5, help="of its tables (default %(default)s)")
    parser.add_argument("--speed", type=float, default=0.1, help="of the disks, against Doppio's Fig. 5 (default %(default)s)")


def run(options, say):
    say("tables")
    made, texts = tables(options.benchmark, options.scale), queries(options.benchmark)
    line = f"queries run --data /tables --output /none --queries {texts}"
    machine = experiment.machine(options.cpu, options.speed, "apart", nic="200mbit")
    settings = {"HDD": f"hdd*{options.speed}", "SSD": f"ssd*{options.speed}", "no limit": "unlimited"}
    with lab({"name": "unexplained", "machines": 4, "machine": machine}, say) as cluster:
        experiment.refuse_if_off(cluster, say)
        with Application(cluster, "unexplained", experiment.PLUGIN) as application:
            say("input and warm-up")
            application.generate(f"queries generate --data /tables --from {made}")
            application.warm_up(line)

            def measure(setting):
                cluster.set("all", {"disk1": settings[setting], "disk2": settings[setting]})
                application.measure(options.benchmark, setting, line)

            experiment.turns({s: lambda s=s: measure(s) for s in settings}, options.pairs, say)
        say("reports")
        runs = application.explain()
    experiment.same_answers(runs)
    experiment.write(options, "unexplained", page(options, runs, settings), runs, say)


def page(options, runs, settings):
    rows, seen = [], []
    for setting in settings:
        group = [r for r in runs if r.variant == setting]
        share = {phase: experiment.median([experiment.share(r, phase) for r in group]) for phase in [*PHASES, "waiting", "computeOrWaiting"]}
        seconds = experiment.median([r.report["breakdown"]["taskSeconds"] for r in group])
        rows.append([setting, f"{experiment.median([r.seconds for r in group]):.1f}", f"{seconds:.1f}", *(f"{share[p]:.1%}" for p in PHASES),
                     f"{share['waiting'] + share['computeOrWaiting']:.1%}"])  # fmt: skip
        last = group[-1].report
        seen.append([setting, ", ".join(f"{s['kind']} {s['what']} {s['seconds'] / last['breakdown']['taskSeconds']:.1%}" for s in last["sampled"][:8])])
    return f"""Queries of {options.benchmark} ({", ".join(QUERIES[options.benchmark])}) at scale factor {options.scale:g}, Parquet in HDFS (3 replicas), one after another on 4 machines with Pellucid's plugin, disks of
{options.speed:g} of the speed of Doppio's Fig. 5. Page caches are cold at the start of each run. Medians of {options.pairs} runs each.

## Where task time goes

{experiment.markdown(["disks", "seconds", "task time s", *PHASES, "not named"], rows)}
## What looks at the tasks' stacks saw, of the task time

{experiment.markdown(["disks", "seen (of the last run)"], seen)}"""
