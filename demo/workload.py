#!/usr/bin/env python3
"""The workload of `make demo`: a small web shop analysed with PySpark, 20-40 s on 2 cores.

It starts two executors of one core each (local-cluster mode) and runs, on purpose, what Pellucid
explains: scans, a skewed shuffle, a sort-merge join, a cached dataset, a sort that spills,
a Python UDF, a write, and an RDD word count.

    python3 -m venv venv && venv/bin/pip install -r demo/requirements.txt
    venv/bin/python demo/workload.py --log-dir LOGS --work-dir WORK

LOGS receives the event log, WORK the data, Spark's local folders and Spark's own messages.
WORK can be deleted afterwards.
"""

import argparse
import contextlib
import os
import shutil
import sys
import time
from functools import partial
from pathlib import Path

import pyspark
from pyspark.sql import SparkSession, Window
from pyspark.sql import functions as F

EXECUTORS, CORES, EXECUTOR_MB = 2, 1, 1024
CUSTOMERS, PRODUCTS = 60_000, 500
HOT_CUSTOMER_SHARE = 0.8  # one customer places most of the orders: the skew

LOG4J = """\
rootLogger.level = error
rootLogger.appenderRef.stderr.ref = stderr
appender.stderr.type = Console
appender.stderr.name = stderr
appender.stderr.target = SYSTEM_ERR
appender.stderr.layout.type = PatternLayout
appender.stderr.layout.pattern = %d{HH:mm:ss} %p %c{1}: %m%n%ex
"""


def make_spark_home(work_dir):
    """A SPARK_HOME of links: the workers write into $SPARK_HOME/work, and a pip package is no place for that."""
    home, package = work_dir / "spark-home", Path(pyspark.__file__).parent
    (home / "conf").mkdir(parents=True)
    (home / "conf" / "log4j2.properties").write_text(LOG4J)
    for name in ("bin", "jars"):
        (home / name).symlink_to(package / name)
    return home


def set_environment(work_dir):
    """What Spark reads from the environment, and only there."""
    home = make_spark_home(work_dir)
    os.environ.update(
        SPARK_HOME=str(home),
        SPARK_CONF_DIR=str(home / "conf"),
        SPARK_LOCAL_IP="127.0.0.1",
        SPARK_LOCAL_HOSTNAME="localhost",
        SPARK_LOCAL_DIRS=str(work_dir / "local"),
        PYSPARK_PYTHON=sys.executable,
    )


@contextlib.contextmanager
def stderr_to(path):
    """The JVM inherits this stderr, so its start-up messages and Spark's errors land in one file."""
    saved = os.dup(2)
    with open(path, "wb") as file:
        os.dup2(file.fileno(), 2)
    try:
        yield
    finally:
        os.dup2(saved, 2)
        os.close(saved)


def start_spark(log_dir, work_dir, plugin):
    set_environment(work_dir)
    builder = (
        SparkSession.builder.appName("Pellucid demo: web shop")
        .master(f"local-cluster[{EXECUTORS},{CORES},{EXECUTOR_MB}]")
        .config("spark.executor.memory", f"{EXECUTOR_MB}m")
        .config("spark.eventLog.enabled", "true")
        .config("spark.eventLog.dir", log_dir.as_uri())
        .config("spark.eventLog.rolling.enabled", "false")
        .config("spark.eventLog.compress", "false")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.sql.shuffle.partitions", "8")
        .config("spark.sql.files.maxPartitionBytes", "24m")  # about one scan task per file
        .config("spark.sql.adaptive.coalescePartitions.enabled", "false")
        .config("spark.sql.autoBroadcastJoinThreshold", "-1")  # every join is a sort-merge join
        # Parquet's vectored reads of local files run on other threads, whose bytes Spark does not count as input.
        .config("spark.hadoop.parquet.hadoop.vectored.io.enabled", "false")
        .config("spark.memory.fraction", "0.12")  # ~90 MB per executor: the big sort spills
        .config("spark.sql.warehouse.dir", (work_dir / "warehouse").as_uri())
    )
    if plugin:
        builder.config("spark.jars", plugin).config("spark.plugins", "pellucid.PellucidPlugin").config("spark.pellucid.monotasks", "true")
    with stderr_to(work_dir / "spark.log"):
        return builder.getOrCreate()


def generate(spark, work_dir, orders):
    """Two Parquet tables; `note` makes the orders wide enough to matter."""
    hot = F.rand(1) < HOT_CUSTOMER_SHARE
    (
        spark.range(0, orders, numPartitions=8)
        .select(
            F.col("id").alias("order_id"),
            F.when(hot, 0).otherwise((F.rand(2) * CUSTOMERS).cast("int")).alias("customer_id"),
            (F.rand(3) * PRODUCTS).cast("int").alias("product_id"),
            F.round(F.rand(4) * 200, 2).alias("amount"),
            F.sha2(F.col("id").cast("string"), 256).alias("note"),
        )
        .write.parquet(f"{work_dir}/orders")
    )
    (
        spark.range(0, CUSTOMERS, numPartitions=2)
        .select(
            F.col("id").cast("int").alias("customer_id"),
            F.concat(F.lit("country-"), F.col("id") % 25).alias("country"),
        )
        .write.parquet(f"{work_dir}/customers")
    )


def scan(spark, work_dir):
    """Filter and aggregate: the map side combines, so little is shuffled."""
    orders = spark.read.parquet(f"{work_dir}/orders")
    orders.filter("amount > 50").groupBy("product_id").agg(F.sum("amount"), F.count("*")).collect()


def skewed_window(spark, work_dir):
    """The rows of one customer go to one task: one reducer has most of the data."""
    orders = spark.read.parquet(f"{work_dir}/orders")
    previous = F.lag("amount").over(Window.partitionBy("customer_id").orderBy("order_id"))
    orders.select((F.col("amount") - previous).alias("change")).agg(F.avg("change")).collect()


def join(spark, work_dir):
    orders = spark.read.parquet(f"{work_dir}/orders").filter("customer_id > 0")
    customers = spark.read.parquet(f"{work_dir}/customers")
    orders.join(customers, "customer_id").groupBy("country").agg(F.sum("amount")).collect()


def cached_twice(spark, work_dir):
    """The first job fills the cache, the second reads it."""
    large = spark.read.parquet(f"{work_dir}/orders").filter("amount > 150").drop("note").cache()
    large.groupBy("product_id").count().collect()
    large.groupBy("customer_id").agg(F.max("amount")).agg(F.count("*")).collect()
    large.unpersist()


def spilling_sort(spark, work_dir):
    """Two reducers sort more than their memory holds, and write the result."""
    orders = spark.read.parquet(f"{work_dir}/orders")
    orders.repartition(2, "order_id").sortWithinPartitions("note").write.parquet(f"{work_dir}/sorted")


def python_udf(spark, work_dir):
    @F.udf("int")
    def digit_sum(note):
        return sum(int(c) for c in note if c.isdigit())

    orders = spark.read.parquet(f"{work_dir}/orders").filter("order_id % 10 = 0")
    orders.select(digit_sum("note").alias("digits")).groupBy("digits").count().collect()


def word_count(spark, work_dir):
    words = ["spark", "shuffle", "stage", "task", "disk", "network", "core"]
    lines = spark.sparkContext.parallelize(range(120_000), 6)
    (
        lines.flatMap(lambda i: [words[(i * k) % len(words)] for k in range(1, 9)])
        .map(lambda word: (word, 1))
        .reduceByKey(lambda a, b: a + b, 4)
        .saveAsTextFile(f"{work_dir}/word-count")
    )


STEPS = [
    ("Revenue per product (scan, filter, aggregate)", scan),
    ("Change between a customer's orders (skewed shuffle)", skewed_window),
    ("Revenue per country (sort-merge join)", join),
    ("Large orders, used twice (cache)", cached_twice),
    ("Orders sorted by note (spill, write)", spilling_sort),
    ("Digits per note (Python UDF)", python_udf),
    ("Word count (RDD)", word_count),
]


def run(spark, work_dir, orders):
    steps = [("Generate orders and customers as Parquet", partial(generate, orders=orders)), *STEPS]
    for number, (description, step) in enumerate(steps, 1):
        start = time.monotonic()
        spark.sparkContext.setJobDescription(description)
        step(spark, work_dir)
        print(f"[{number}/{len(steps)}] {description}: {time.monotonic() - start:.1f} s", flush=True)


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--log-dir", required=True, type=Path, help="folder for the event log")
    work = "folder for data and Spark's files; its subfolder `pellucid-demo` is replaced"
    parser.add_argument("--work-dir", required=True, type=Path, help=work)
    parser.add_argument("--orders", default=1_600_000, type=int, metavar="N", help="so many (%(default)s)")
    parser.add_argument("--monotasks", type=Path, metavar="JAR", help="run as monotasks, with Pellucid's plugin from this jar")
    return parser.parse_args()


def main():
    arguments = parse_arguments()
    log_dir = arguments.log_dir.resolve()
    work_dir = arguments.work_dir.resolve() / "pellucid-demo"
    shutil.rmtree(work_dir, ignore_errors=True)
    work_dir.mkdir(parents=True)
    log_dir.mkdir(parents=True, exist_ok=True)

    print(f"Starting Spark {pyspark.__version__}: {EXECUTORS} executors of {CORES} core, {EXECUTOR_MB} MB", flush=True)
    spark = start_spark(log_dir, work_dir, arguments.monotasks and arguments.monotasks.resolve())
    application = spark.sparkContext.applicationId
    try:
        run(spark, work_dir, arguments.orders)
    finally:
        spark.stop()
    print(f"Event log: {log_dir / application}")


if __name__ == "__main__":
    main()
