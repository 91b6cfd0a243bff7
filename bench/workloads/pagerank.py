"""PageRank with GraphX on a power-law graph, for a fixed number of iterations (an iterative job, as in Doppio).

Every iteration sends ranks along the edges and joins the sums with the vertices, in stages of `--partitions` tasks
whose inputs are cached.

For 4 machines with a 25 MB/s disk each and 2 cores in all:
    generate --vertices 200000 --edges 2000000 --files 16
    run --iterations 5 --partitions 16
"""

import graph
import workload
from pyspark.sql import functions as F

RESET = 0.15
TOP = 10


def generate_options(parser):
    graph.generate_options(parser, vertices=200_000, edges=2_000_000, files=16)


def run_options(parser):
    parser.add_argument("--iterations", type=int, default=5, help="(default %(default)s)")
    graph.run_options(parser)


def run(spark, options):
    ranks = graph.load(spark, options).ops().staticPageRank(options.iterations, RESET)
    graph.save_vertices(spark, ranks, options.output)


def answer(spark, options, _):
    """Ranks to 6 digits: the order in which they are summed changes the last ones."""
    workload.unpersist(spark)
    ranks = graph.read_vertices(spark, options.output, "double")
    count, total = ranks.agg(F.count("*"), F.sum("value")).first()
    top = ranks.select("vertex", F.round("value", 3).alias("value")).orderBy(F.desc("value"), "vertex").limit(TOP)
    return {"vertices": count, "sum": round(total, 3), "top": [list(row) for row in top.collect()]}


def main(arguments=None):
    workload.main("pagerank", __doc__, graph.generate, generate_options, run, run_options, answer, arguments)


if __name__ == "__main__":
    main()
