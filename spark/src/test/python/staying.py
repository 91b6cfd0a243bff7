"""A job of two stages, and a third one when a file appears; ends when another does. Prints where its UI is."""

import sys
import time
from pathlib import Path

from pyspark.sql import SparkSession

folder = Path(sys.argv[1])
spark = SparkSession.builder.appName("staying <b>here</b>").getOrCreate()
sc = spark.sparkContext


def wait_for(name):
    while not (folder / name).exists():
        time.sleep(0.1)


pairs = sc.parallelize(range(200000), 4).map(lambda i: (i % 10, i)).reduceByKey(lambda a, b: a + b, 3).collect()
print("UI", sc.uiWebUrl, sc.applicationId, flush=True)
wait_for("more")
spark.range(0, 1000000, 1, 5).selectExpr("sum(hash(id))").collect()
print("MORE", flush=True)
wait_for("end")
print("ANSWER", sorted(pairs))
spark.stop()
