"""Jobs that a small heap is just enough for: rows of megabytes, a sort that spills; and one that it is not. Prints of each what it answers.

    heap.py FOLDER sort=MB rows=MB fails=MB ...
"""

import hashlib
import os
import sys
import time
from pathlib import Path

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

folder = Path(sys.argv[1])
spark = SparkSession.builder.getOrCreate()


def from_disk(name):
    """A folder's files, which are no longer in the page cache."""
    for path in (folder / name).glob("part-*"):
        with open(path, "rb") as file:
            os.fsync(file.fileno())
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
    return (folder / name).as_uri()


def digest(name):
    """Of the text in a folder's files, in their order."""
    text = hashlib.sha256()
    for path in sorted((folder / name).glob("part-*")):
        with open(path, "rb") as file:
            while piece := file.read(1 << 20):
                text.update(piece)
    return text.hexdigest()


def sort(megabytes):
    """Of rows of 100 bytes."""
    rows = spark.range(0, megabytes * 10000, 1, 8).selectExpr("concat_ws(' ', lpad(hash(id), 11, '0'), id, repeat('x', 70)) AS value")
    rows.write.text(str(folder / "unsorted"))
    spark.read.text(from_disk("unsorted")).orderBy("value").write.text(str(folder / "sorted"))
    print("ANSWER sort", megabytes, digest("sorted"), flush=True)


def rows(megabytes):
    """128 MB of them and eight at least: written as text, read, and moved by a shuffle."""
    count, kind = max(8, 128 // megabytes), f"rows-{megabytes}"
    made = spark.range(0, count, 1, 8).selectExpr(f"concat(id, ' ', repeat(chr(97 + id % 26), {megabytes << 20})) AS value")
    made.write.text(str(folder / kind))
    read = spark.read.text(from_disk(kind))
    summed = F.struct(F.substring("value", 1, 9), F.length("value"), F.crc32("value"))
    print("ANSWER", kind, sorted(map(str, read.select(summed).collect())), flush=True)
    moved = read.repartition(3, F.substring("value", 1, 9)).select(summed)
    print("ANSWER", kind, "moved", sorted(map(str, moved.collect())), flush=True)
    lines = spark.sparkContext.textFile(from_disk(kind), 8)._jrdd  # as the JVM has them
    print("ANSWER", kind, "lines", lines.count(), flush=True)


def executors():
    return set(spark.sparkContext._jsc.sc().getExecutorIds().mkString(" ").split())


def fails(megabytes):
    """For want of memory, of which executors die: what comes next is none of theirs."""
    had = executors()
    try:
        print("ANSWER fails", spark.range(2).select(F.length(F.repeat(F.col("id").cast("string"), megabytes << 20))).collect())
    except Exception as e:
        print("ANSWER fails", "OutOfMemory" in str(e), flush=True)
        while had & executors():
            time.sleep(0.1)


for argument in sys.argv[2:]:
    job, megabytes = argument.split("=")
    {"sort": sort, "rows": rows, "fails": fails}[job](int(megabytes))
spark.stop()
