"""The Big Data Benchmark, queries 1a to 4, on text and on Parquet (thesis 3.4 and 5.5.2)."""

from lab import experiment
from lab.application import Application
from lab.cluster import lab

QUERIES = ("1a", "1b", "1c", "2a", "2b", "2c", "3a", "3b", "3c", "4")


def options(parser):
    parser.add_argument("--scale", type=float, default=1, help="1 is a thousandth of the original's scale factor 5 (default %(default)s)")
    parser.add_argument("--queries", nargs="+", choices=QUERIES, default=QUERIES, metavar="1a", help="some of the ten")
    parser.add_argument("--speed", type=float, default=0.1, help="of the HDDs, against Doppio's Fig. 5 (default %(default)s)")


def run(options, say):
    machine = experiment.machine(options.cpu, options.speed, "apart", executor_memory="1GB")
    with lab({"name": "bdb", "machines": 4, "machine": machine}, say) as cluster:
        experiment.refuse_if_off(cluster, say)
        with Application(cluster, "bdb") as application:
            for kind in ("text", "parquet"):
                say(f"input: {kind}")
                application.generate(f"bdbench generate --data bdb-{kind} --scale {options.scale} --files 32 --format {kind}")
            variants = {(query, kind): line(query, kind) for query in options.queries for kind in ("text", "parquet")}
            for (query, kind), each in variants.items():
                say(f"warm-up: {query} {kind}")
                application.warm_up(each)
            experiment.turns({f"{query} {kind}": lambda query=query, kind=kind, each=each: application.measure(query, kind, each)
                              for (query, kind), each in variants.items()}, options.pairs, say)  # fmt: skip
        say("reports")
        runs = application.explain()
    experiment.same_answers(runs)
    experiment.write(options, "bdb", page(options, runs), runs, say)


def line(query, kind):
    return f"bdbench run --query {query} --data bdb-{kind} --output result-{kind} --format {kind} --split-mb 16 --reduce-partitions 16"


def page(options, runs):
    return f"""Scale {options.scale:g} (a thousandth of the original's scale factor 5 is 1), 3 replicas, on 4 machines with one HDD for HDFS and one for
Spark, of {options.speed:g} of the speed of Doppio's Fig. 5. Every query ran once before; page caches are cold at the start of each run.

{experiment.times(runs, "text")}"""
