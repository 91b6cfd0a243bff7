"""A power-law graph as GraphX's edge list, and the calls into GraphX, which has no Python API."""

import workload
from pyspark.sql import functions as F


def generate_options(parser, vertices, edges, files):
    parser.add_argument("--vertices", type=int, default=vertices, help="(default %(default)s)")
    parser.add_argument("--edges", type=int, default=edges, help="(default %(default)s)")
    parser.add_argument("--files", type=int, default=files, help="number of files (default %(default)s)")


def generate(spark, options):
    """Lines `source target`: sources are uniform, and vertex v is a target with a probability of about v^-2/3."""
    count = options.vertices
    source = workload.uniform_integer(count, "id", F.lit("source"))
    target = F.floor(F.pow(workload.uniform("id", F.lit("target")), 3) * count)
    other = F.when(source == target, (target + 1) % count).otherwise(target)
    edges = workload.rows_in_files(spark, options.edges, options.files)
    edges.select(F.concat_ws(" ", source, other)).write.mode("overwrite").text(options.data)


def run_options(parser):
    help_text = "partitions of edges and vertices (default %(default)s)"
    parser.add_argument("--partitions", type=int, default=16, help=help_text)


def load(spark, options):
    level = spark._jvm.org.apache.spark.storage.StorageLevel.MEMORY_AND_DISK()
    loader = spark._jvm.org.apache.spark.graphx.GraphLoader
    return loader.edgeListFile(spark._jsc.sc(), options.data, False, options.partitions, level, level)


def save_vertices(spark, graph, uri):
    """Lines `(vertex,value)`."""
    workload.delete(spark, uri)
    graph.vertices().saveAsTextFile(uri)


def read_vertices(spark, uri, value_type):
    part = F.split(F.regexp_replace("value", "[()]", ""), ",")
    return spark.read.text(uri).select(part[0].cast("long").alias("vertex"), part[1].cast(value_type).alias("value"))
