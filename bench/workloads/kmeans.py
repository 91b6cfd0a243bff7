"""K-means with MLlib: an iterative job whose input is read and parsed once and cached (as in Doppio).

A first stage fills the cache; then every iteration is one job over it that adds up points per centre.
The points are noise around `--clusters` centres, as text. The initial centres are drawn by the driver from a seed, as
MLlib would choose them by the numbers of the partitions. --storage-level DISK_ONLY makes every iteration read its
input from the local disks.

For 4 machines with a 25 MB/s disk each and 2 cores in all:
    generate --mb 256 --files 16
    run --iterations 10     (and with --storage-level DISK_ONLY)
"""

import json
import random

import workload
from pyspark.sql import functions as F

SIDE = 100.0  # the centres are in a cube
NOISE = 60.0


def generate_options(parser):
    workload.add_files(parser, mb=256, files=16)
    parser.add_argument("--dimensions", type=int, default=20, help="(default %(default)s)")
    parser.add_argument("--clusters", type=int, default=10, help="(default %(default)s)")


def run_options(parser):
    parser.add_argument("--clusters", type=int, default=10, help="(default %(default)s)")
    parser.add_argument("--iterations", type=int, default=10, help="(default %(default)s)")
    parser.add_argument("--storage-level", default="MEMORY_AND_DISK", help="of the points (default %(default)s)")


def generate(spark, options):
    """Lines `[x,y,...]`."""
    cluster = workload.uniform_integer(options.clusters, "id", F.lit("cluster"))

    def coordinate(axis):
        centre = workload.uniform(cluster, F.lit(axis), F.lit("centre")) * SIDE
        noise = (workload.uniform("id", F.lit(axis), F.lit("noise")) - 0.5) * NOISE
        return F.round(centre + noise, 4)

    point = F.concat(F.lit("["), F.concat_ws(",", *map(coordinate, range(options.dimensions))), F.lit("]"))
    rows = options.mb * workload.MB / (8.0 * options.dimensions + 2)
    workload.rows_in_files(spark, rows, options.files).select(point).write.mode("overwrite").text(options.data)


def initial_centres(dimensions, clusters):
    source = random.Random(1)
    return [[SIDE * source.random() for _ in range(dimensions)] for _ in range(clusters)]


def initial_model(jvm, new_array, dimensions, clusters):
    vectors = new_array(jvm.org.apache.spark.mllib.linalg.Vector, clusters)
    for i, centre in enumerate(initial_centres(dimensions, clusters)):
        vectors[i] = jvm.org.apache.spark.mllib.linalg.Vectors.parse(json.dumps(centre))
    return jvm.org.apache.spark.mllib.clustering.KMeansModel(vectors)


def run(spark, options):
    jvm, context = spark._jvm, spark._jsc.sc()
    points = jvm.org.apache.spark.mllib.util.MLUtils.loadVectors(context, options.data, 1)
    points.persist(jvm.org.apache.spark.storage.StorageLevel.fromString(options.storage_level))
    dimensions = points.first().size()
    start = initial_model(jvm, spark.sparkContext._gateway.new_array, dimensions, options.clusters)
    search = jvm.org.apache.spark.mllib.clustering.KMeans()
    search.setK(options.clusters).setMaxIterations(options.iterations).setEpsilon(0.0).setInitialModel(start)
    model = search.run(points)
    workload.delete(spark, options.output)
    model.save(context, options.output)
    return points, model


def answer(spark, options, result):
    """To 6 digits: the order in which points are added changes the last ones."""
    points, model = result
    centres = [centre.toArray() for centre in model.clusterCenters()]
    sizes = model.predict(points.toJavaRDD()).countByValue()
    cost = model.computeCost(points)
    points.unpersist(True)
    return {
        "cost": float(f"{cost:.6g}"),
        "centres": [float(f"{sum(centre):.6g}") for centre in centres],
        "sizes": [sizes.get(i) or 0 for i in range(len(centres))],
    }


def main(arguments=None):
    workload.main("kmeans", __doc__, generate, generate_options, run, run_options, answer, arguments)


if __name__ == "__main__":
    main()
