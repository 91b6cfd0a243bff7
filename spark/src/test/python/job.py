"""A job of text, Parquet, a shuffle, a cached table and a Python function, on stock Spark. Prints its answer."""

import sys

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

folder = sys.argv[-1]
spark = SparkSession.builder.getOrCreate()
lines = spark.range(0, 20000, 1, 4).selectExpr("concat(id % 37, ' ', repeat('x', 100), ' ', id) AS value")
lines.write.mode("overwrite").text(f"{folder}/text")
words = spark.read.text(f"{folder}/text").select(F.split("value", " ")[0].alias("key"), F.length("value").alias("n"))
words.repartition(3, "key").write.mode("overwrite").parquet(f"{folder}/parquet")
table = spark.read.parquet(f"{folder}/parquet").cache()
odd = F.udf(lambda n: n % 2, "int")
counted = table.groupBy("key", odd("n").alias("odd")).agg(F.count("*").alias("c"), F.sum("n").alias("s")).orderBy("key", "odd").collect()
pairs = spark.sparkContext.textFile(f"{folder}/text", 4).map(lambda line: (line.split()[0], 1)).reduceByKey(lambda a, b: a + b, 3).collect()
print("ANSWER", [tuple(row) for row in counted], sorted(pairs))
spark.stop()
