"""What of task time nothing names, in decision-support queries: TPC-H's 22 on Parquet in HDFS, with the plugin.

Of stock Spark's log of such a job (TPC-DS q72, 484 MB) 22 to 28 % of the task time is waiting that nothing names.
"""

import subprocess
from pathlib import Path

from bench.overhead import WORK, queries
from lab import experiment, software
from lab.application import Application
from lab.cluster import lab

PLUGIN = software.REPOSITORY / "spark" / "target" / "pellucid-spark.jar"
GENERATOR = software.REPOSITORY / "target" / "venv" / "bin" / "tpchgen-cli"
PHASES = ["compute", "gc", "cpuQueue", "inputRead", "shuffleRead", "shuffleWrite", "spill", "outputWrite", "metadata", "driver", "lock"]


def options(parser):
    parser.add_argument("--scale", type=float, default=0.2, help="of TPC-H (default %(default)s)")
    parser.add_argument("--speed", type=float, default=0.1, help="of the disks, against Doppio's Fig. 5 (default %(default)s)")


def tables(scale):
    folder = WORK / f"tpch-{scale:g}"
    if not (folder / "supplier.parquet").exists():
        subprocess.run([GENERATOR, "parquet", "--scale-factor", f"{scale:g}", "--output-dir", folder], check=True, capture_output=True)
    return folder


def run(options, say):
    WORK.mkdir(parents=True, exist_ok=True)
    say("tables")
    made, texts = tables(options.scale), queries()
    line = f"tpch run --data /tpch --output /none --queries {texts}"
    machine = experiment.machine(options.speed, "apart", nic="200mbit")
    settings = {"HDD": f"hdd*{options.speed}", "SSD": f"ssd*{options.speed}", "no limit": "unlimited"}
    with lab({"name": "unexplained", "machines": 4, "machine": machine}, say) as cluster:
        experiment.refuse_if_off(cluster, say)
        conf = {"spark.jars": PLUGIN, "spark.plugins": "pellucid.PellucidPlugin"}
        with Application(cluster, "unexplained", conf) as application:
            say("input and warm-up")
            application.generate(f"tpch generate --data /tpch --from {Path(made)}")
            application.warm_up(line)

            def measure(setting):
                cluster.set("all", {"disk1": settings[setting], "disk2": settings[setting]})
                application.measure("tpch", setting, line)

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
    return f"""TPC-H's 22 queries at scale factor {options.scale:g}, Parquet in HDFS (3 replicas), one after another on 4 machines with Pellucid's plugin, disks of
{options.speed:g} of the speed of Doppio's Fig. 5. Page caches are cold at the start of each run. Medians of {options.pairs} runs each.

## Where task time goes

{experiment.markdown(["disks", "seconds", "task time s", *PHASES, "not named"], rows)}
## What looks at the tasks' stacks saw, of the task time

{experiment.markdown(["disks", "seen (of the last run)"], seen)}"""
