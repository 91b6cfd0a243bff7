"""What a job may have its data in: files of each format, memory, disks, checkpoints, state stores, Python workers, on stock Spark. Prints
of each how many rows there were and a digest of them, in their order, or of the files' bytes."""

import hashlib
import os
import sys
from pathlib import Path

import pandas
from pyspark import RDD, StorageLevel
from pyspark.serializers import UTF8Deserializer
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

folder = Path(sys.argv[1])
spark = SparkSession.builder.getOrCreate()
sc = spark.sparkContext
sc.setCheckpointDir((folder / "checkpoints").as_uri())


def answer(name, rows):
    rows = list(rows)
    print("ANSWER", name, len(rows), hashlib.sha256(repr(rows).encode()).hexdigest(), rows[:1], flush=True)


def uri(name):
    return (folder / name).as_uri()


def contents(name):
    """Of the data files of a folder, in order: their names have numbers, and an id of the job behind them."""
    files = sorted(path for path in (folder / name).rglob("part-*") if path.is_file())
    return [hashlib.sha256(without_footer(path.read_bytes())).hexdigest() for path in files]


def without_footer(content):
    """Parquet's lists a column's encodings in an order that differs from one JVM to the next."""
    return content[: -8 - int.from_bytes(content[-8:-4], "little")] if content.endswith(b"PAR1") else content


# 3 MB as text, in four files, and again by each of the other formats
table = spark.range(0, 16000, 1, 4).selectExpr(
    "id", "id % 613 AS key", "CAST(hash(id) AS STRING) || repeat('ü', CAST(id % 97 AS INT)) AS text", "id * 0.5D AS half",
    "IF(id % 11 = 0, NULL, array(id, hash(id, 1))) AS list")  # fmt: skip
flat = table.drop("list")
for name, rows, options in [
    ("text", table.select(F.to_json(F.struct("*")).alias("value")), {}),
    ("csv", flat, {"header": True}),
    ("csv.gz", flat, {"compression": "gzip"}),
    ("json", table, {}),
    ("orc", table, {}),
    ("parquet", table, {}),
]:
    kind = name.partition(".")[0]
    rows.write.format(kind).options(**options).mode("overwrite").save(uri(name))
    answer(f"files of {name}", contents(name))
    read = spark.read.format(kind).options(**options).schema(rows.schema).load(uri(name))
    answer(name, read.orderBy(*read.columns[:1]).collect())
    answer(f"{name}, one column", read.selectExpr(f"sum(hash({read.columns[-1]}))", "count(*)").collect())
parquet = spark.read.parquet(uri("parquet"))

# joins: one side sent to all, both sides sorted, hashed
names = parquet.filter("id < 2000").groupBy("key").agg(F.max("text").alias("name"))
for hint in ("broadcast", "merge", "shuffle_hash"):
    answer(f"{hint} join", parquet.join(names.hint(hint), "key").orderBy("id").select("id", "name").collect())

# map output that is sorted: for many reducers, or combined first
answer("210 reducers", parquet.repartition(210, "key").sortWithinPartitions("id").select("id", "text").collect())
lines = sc.textFile(",".join(path.as_uri() for path in sorted((folder / "text").glob("part-*"))), 4)  # a folder's files are in any order
pairs = lines.map(lambda line: (line[-40:-34], len(line)))
answer("combined by Python", sorted(pairs.reduceByKey(lambda a, b: a + b, 3).collect()))
twice = sc._jsc.textFile(uri("csv"), 4).union(sc._jsc.textFile(uri("csv"), 3))  # the JVM's, which combines before it writes
for reducers in (3, 210):
    answer(f"combined, {reducers} reducers", sorted(RDD(twice.distinct(reducers), sc, UTF8Deserializer()).collect()))
answer("sorted", lines.sortBy(lambda line: line[-40:], numPartitions=3).collect())

# kept: computed and stored, then read; in Python's form and in SQL's
for level in ("MEMORY_ONLY", "MEMORY_AND_DISK", "DISK_ONLY"):
    kept = lines.map(lambda line: line[::-1]).persist(getattr(StorageLevel, level))
    columns = parquet.selectExpr("id", "upper(text) AS t").persist(getattr(StorageLevel, level))
    for turn in ("stored", "read"):
        answer(f"{level}, {turn}", kept.collect())
        answer(f"{level}, {turn} columns", columns.orderBy("id").collect())
    kept.unpersist()
    columns.unpersist()

# checkpoints: on the file system, and local
for how in ("checkpoint", "localCheckpoint"):
    kept = lines.map(lambda line: (line[-9:], len(line))).groupByKey(3).mapValues(sum)
    getattr(kept, how)()
    answer(f"{how} of an RDD", sorted(kept.collect()))
    answer(f"{how} of an RDD, read", sorted(kept.collect()))
    rows = getattr(parquet.groupBy("key").agg(F.sum("half").alias("sum")), how)()
    answer(f"{how} of rows", rows.orderBy("key").collect())

# Python workers
reverse = F.udf(lambda text: text[::-1], "string")
answer("a Python function", parquet.select("id", reverse("text")).orderBy("id").collect())
answer("Python and a shuffle", parquet.groupBy(reverse("text").alias("turned")).count().orderBy("turned").collect())


@F.pandas_udf("double")
def scaled(half: pandas.Series) -> pandas.Series:
    return half * 3 + 1


def total(group: pandas.DataFrame) -> pandas.DataFrame:
    return pandas.DataFrame({"key": [group["key"].iloc[0]], "sum": [group["half"].sum()]})


answer("a pandas function", parquet.select("id", scaled("half")).orderBy("id").collect())
answer("pandas by group", parquet.select("key", "half").groupBy("key").applyInPandas(total, "key long, sum double").orderBy("key").collect())


# a stream of files, one in each batch, with state; it ends, and goes on from its checkpoint when there are more files
def arrive(*numbers):
    (folder / "arriving").mkdir(exist_ok=True)
    for number in numbers:
        arriving = folder / "arriving" / f"{number}.json"
        rows = (f'{{"key": {(number * 7 + i) % 211}, "n": {i}}}\n' for i in range(number * 1000, number * 1000 + 4000))
        (folder / "hidden").write_text("".join(rows))
        os.utime(folder / "hidden", (1e9 + number, 1e9 + number))  # by which they are ordered
        (folder / "hidden").rename(arriving)


def batch(rows, number):
    answer(f"batch {number}", rows.orderBy("key").collect())


arrive(1, 2, 3)
for later in ([], [4, 5]):
    arrive(*later)
    stream = spark.readStream.schema("key LONG, n LONG").option("maxFilesPerTrigger", 1).json(uri("arriving"))
    sums = stream.groupBy("key").agg(F.count("*").alias("count"), F.sum("n").alias("sum"))
    query = sums.writeStream.outputMode("update").foreachBatch(batch).option("checkpointLocation", uri("stream")).trigger(availableNow=True).start()
    query.awaitTermination()
    answer("state", spark.read.format("statestore").load(uri("stream")).selectExpr("key.*", "value.*").orderBy("key").collect())
flow = spark.readStream.schema("key LONG, n LONG").json(uri("arriving")).dropDuplicates(["key"])
flow.writeStream.format("parquet").option("checkpointLocation", uri("flow")).trigger(availableNow=True).start(uri("flowed")).awaitTermination()
answer("into files", spark.read.parquet(uri("flowed")).select("key").orderBy("key").collect())
spark.stop()
