"""Triangle count with GraphX on a power-law graph (as in Doppio): one large shuffle of neighbour sets.

For 4 machines with a 25 MB/s disk each and 2 cores in all:
    generate --vertices 100000 --edges 800000 --files 16
    run --partitions 16
"""

import graph
import workload
from pyspark.sql import functions as F


def generate_options(parser):
    graph.generate_options(parser, vertices=100_000, edges=800_000, files=16)


def run(spark, options):
    triangles = graph.load(spark, options).ops().triangleCount()
    graph.save_vertices(spark, triangles, options.output)


def answer(spark, options, _):
    """Each triangle is counted at its three vertices."""
    workload.unpersist(spark)
    counts = graph.read_vertices(spark, options.output, "long")
    return {**workload.fingerprint(counts), "triangles": counts.agg(F.sum("value")).first()[0] // 3}


def main(arguments=None):
    run_options = graph.run_options
    workload.main("triangle_count", __doc__, graph.generate, generate_options, run, run_options, answer, arguments)


if __name__ == "__main__":
    main()
