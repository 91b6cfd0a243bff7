"""The same jobs on stock Spark and as monotasks, in turn: how much faster, and where the time goes (thesis 5.5).

Two labs are up at once, alike but for the plugin's setting; only one of them works at a time.
"""

from lab import experiment
from lab.application import Application
from lab.cluster import lab

DISKS = {"1 HDD": (1, "hdd"), "2 HDDs": (2, "hdd"), "1 SSD": (1, "ssd")}


def options(parser):
    parser.add_argument("--mb", type=int, default=160, help="input of each sort (default %(default)s)")
    parser.add_argument("--values", type=int, nargs="+", default=[10, 20, 50], help="longs per value, of each sort: fewer are more CPU")
    parser.add_argument("--disks", nargs="+", choices=list(DISKS), default=list(DISKS))
    parser.add_argument("--speed", type=float, default=0.1, help="of the disks, against Doppio's Fig. 5 (default %(default)s)")
    parser.add_argument("--conf", nargs="+", default=[], metavar="KEY=VALUE", help="of the application with monotasks")


def run(options, say):
    runs = [each for disks in options.disks for each in on(disks, options, say)]
    experiment.write(options, "monotasks", page(options, runs), runs, say)


def on(disks, options, say):
    """The runs of all jobs on machines with such disks."""
    count, kind = DISKS[disks]
    machine = experiment.machine(options.cpu, options.speed, count, kind)
    jobs = {
        f"sort, {values} values": (
            f"sort generate --data /sort{values} --mb {options.mb} --files 32 --values {values}",
            f"sort run --data /sort{values} --output /sorted --split-mb 16 --reduce-partitions 32",
        )
        for values in options.values
    }
    conf = experiment.PLUGIN | {"spark.pellucid.monotasks": "true"} | dict(setting.split("=", 1) for setting in options.conf)
    with lab({"name": "stock", "machines": 4, "machine": machine}, say) as a, lab({"name": "mono", "machines": 4, "machine": machine}, say) as b:
        for cluster in (a, b):
            experiment.refuse_if_off(cluster, say)
        with Application(a, "stock") as stock, Application(b, "monotasks", conf) as ours:
            for job, (generate, line) in jobs.items():
                for application in (stock, ours):
                    say(f"{disks}, {job}: input and warm-up")
                    application.generate(generate)
                    application.warm_up(line)
                variants = {
                    "stock": lambda job=job, line=line: stock.measure(f"{disks}: {job}", "stock", line),
                    "monotasks": lambda job=job, line=line: ours.measure(f"{disks}: {job}", "monotasks", line),
                }
                experiment.turns(variants, options.pairs, say)
        runs = stock.explain() + ours.explain()
    experiment.same_answers(runs)
    return runs


def page(options, runs):
    return f"""Sorts of {options.mb} MB from HDFS to HDFS (3 replicas) on 4 machines whose disks have {options.speed:g} of the speed of Doppio's Fig. 5; page
caches of 256 MB, cold at the start of each run. Neither side flushes its output: the cached writes that a run leaves are written
before the next one starts.

{experiment.times(runs, "stock")}"""
