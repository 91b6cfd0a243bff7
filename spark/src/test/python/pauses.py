"""The same job with pauses in which executors go, where Spark lets them; without them how many tasks an executor runs at once. Prints its answers.

    pauses.py FOLDER SECONDS
"""

import os
import sys
import time

from pyspark.sql import SparkSession

folder, seconds = sys.argv[1], float(sys.argv[2])
spark = SparkSession.builder.getOrCreate()
spark.range(0, 200000, 1, 8).selectExpr("id % 1000 AS key", "repeat('x', 50) AS text").write.mode("overwrite").csv(folder)
for pause in range(3):
    time.sleep(seconds)
    counted = spark.read.schema("key long, text string").csv(folder).groupBy("key").count()
    print("ANSWER", pause, *counted.selectExpr("count(*)", "sum(key * count)").first())


def busy(_):
    began = time.time()
    time.sleep(0.3)
    return os.getppid(), began, time.time()  # of its executor's workers


if not seconds:
    tasks = spark.sparkContext.parallelize(range(12), 12).map(busy).collect()
    print("ANSWER", "at once", max(sum(of == its and begins <= began < ends for of, begins, ends in tasks) for its, began, _ in tasks))
spark.stop()
