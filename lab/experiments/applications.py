"""The applications of Doppio (Figs. 7 to 12) and of the thesis (5.5.2), on HDDs and on SSDs."""

from lab import experiment
from lab.application import Application
from lab.cluster import lab

# name: (options of `generate`, options of `run`), sized to 10-120 s
SIZES = {
    "terasort": ("--mb 192 --files 16", "--reduce-partitions 16 --split-mb 16"),
    "pagerank": ("--vertices 100000 --edges 800000 --files 8", "--iterations 6 --partitions 8"),
    "kmeans": ("--mb 160 --files 8", "--iterations 6 --storage-level DISK_ONLY"),
    "triangle_count": ("--vertices 60000 --edges 600000 --files 8", "--partitions 8"),
    "least_squares": ("--row-blocks 16 --block-rows 1024 --columns 1024", "--column-block 512 --passes 2 --reduce-partitions 8"),
}


def options(parser):
    parser.add_argument("--only", nargs="+", choices=SIZES, default=list(SIZES), metavar="terasort", help=f"some of {', '.join(SIZES)}")
    parser.add_argument("--speed", type=float, default=0.1, help="of the disks, against Doppio's Fig. 5 (default %(default)s)")


def run(options, say):
    machine = experiment.machine(options.cpu, options.speed, "apart", executor_memory="1GB")
    runs = []
    with lab({"name": "applications", "machines": 4, "machine": machine}, say) as cluster:
        experiment.refuse_if_off(cluster, say)
        for name in options.only:
            with Application(cluster, name) as application:
                generate, chosen = SIZES[name]
                line = f"{name} run --data /{name} --output /{name}-output {chosen}"
                say(f"{name}: input and warm-up")
                application.generate(f"{name} generate --data /{name} {generate}")
                application.warm_up(line)

                def with_disks(kind, application=application, name=name, line=line):
                    cluster.set("all", {disk: f"{kind.lower()}*{options.speed}" for disk in ("disk1", "disk2")})
                    application.measure(name, kind, line)

                variants = {kind: lambda kind=kind, go=with_disks: go(kind) for kind in ("HDD", "SSD")}
                experiment.turns(variants, options.pairs, lambda text, name=name: say(f"{name}: {text}"))
            runs += application.explain()
    experiment.same_answers(runs)
    experiment.write(options, "applications", page(options, runs), runs, say)


def page(options, runs):
    return f"""On 4 machines with one disk for HDFS and one for Spark, all HDDs or all SSDs, of {options.speed:g} of the speed of Doppio's Fig. 5; 3 replicas,
page caches of 256 MB, cold at the start of each run.

{experiment.times(runs, "HDD")}"""
