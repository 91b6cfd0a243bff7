"""One of two applications that begin when both are up, and end when both have done their jobs. Prints its answers, when it had begun and
ended, and with the plugin what it has left: places at resources, memory, unfinished and open files."""

import hashlib
import sys
import time
from pathlib import Path

from leaks import executors, left, tasks_of, unfinished_files
from pyspark import StorageLevel
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

folder, meeting, name, other, seed = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3], sys.argv[4], int(sys.argv[5])
spark = SparkSession.builder.getOrCreate()
sc = spark.sparkContext


def meet(when):
    (meeting / f"{name} {when}").touch()
    end = time.time() + 300
    while not (meeting / f"{other} {when}").exists():
        assert time.time() < end, f"{other} did not come"
        time.sleep(0.02)


def answer(what, rows):
    print("ANSWER", what, hashlib.sha256(repr(list(rows)).encode()).hexdigest(), flush=True)


def fails(number):
    assert number != 5, "on purpose"


turned = F.udf(lambda text: text[::-1], "string")
rows = spark.range(0, 40000, 1, 4).selectExpr("id", f"(id * {seed}) % 613 AS key", f"concat(hash(id, {seed}), repeat('x', 400)) AS text")
meet("up")
began = time.time()
for turn in range(2):
    lines, table = (str(folder / f"{what} {turn}") for what in ("text", "parquet"))
    rows.selectExpr("concat(key, ' ', text) AS value").write.text(lines)  # 16 MB
    rows.repartition(3, "key").write.parquet(table)
    pairs = sc.textFile(lines, 4).map(lambda line: (line.split()[0], len(line)))
    answer("lines", sorted(pairs.groupByKey(3).mapValues(sorted).collect()))
    kept = spark.read.parquet(table).persist(StorageLevel.DISK_ONLY)
    answer("sorted", kept.orderBy("text", "id").select("id").collect())
    answer("by key", kept.groupBy("key").agg(F.count("*"), F.max(turned("text"))).orderBy("key").collect())
    answer("210 reducers", kept.repartition(210, "key").sortWithinPartitions("id").select("id").collect())
    kept.unpersist(blocking=True)
    try:
        sc.parallelize(range(8), 8).foreach(fails)
    except Exception as e:
        answer("failure", ["on purpose" in str(e)])
ended = time.time()
meet("done")  # so that each has done its jobs beside one that lives
print("TIMES", began, ended)

if sc.getConf().contains("spark.plugins"):
    held = sc._jvm.pellucid.monotask.Held.now(spark._jsparkSession)
    (executor,) = executors(sc.applicationId)
    for _ in range(60):
        if not tasks_of(executor):
            break
        time.sleep(0.5)
    time.sleep(2)  # what ended last is cleaned up
    print("LEFT", held.places(), held.memory(), tasks_of(executor) + left(executor), sorted(unfinished_files(executor)))
spark.stop()
