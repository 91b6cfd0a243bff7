"""What the workload programs share: the command line, the session, the clock, and answers that can be compared.

Every program has two commands:

    spark-submit PROGRAM.py generate --data URI [size options]
    spark-submit PROGRAM.py run --data URI --output URI [options]

`run` does the job once. The last line it prints is a JSON object: the workload's name, the wall seconds of the job
proper, and its answer, which is the same for the same data whatever the cluster and its number of partitions.
What the answer needs beyond the job is computed after the clock stops; `--no-verify` skips it (the answer is null).

Only the driver imports this module: nothing here may be used inside a function that runs on the executors.
"""

import argparse
import json
import time

from pyspark.sql import SparkSession, Window
from pyspark.sql import functions as F

MB = 1 << 20


def job_done():
    """Called between a job and what checks its answer; serve.py replaces it."""


def main(name, doc, generate, generate_options, run, run_options, answer, arguments=None, prepare=None):
    """Runs one command. `run` is timed; `prepare` before it is not, nor `answer`, which gets what `run` returned."""
    options = parse(doc, generate_options, run_options, arguments)
    spark = session(f"{name} {options.command}")
    if options.command == "generate":
        generate(spark, options)
    else:
        run_once(name, spark, options, run, answer, prepare)
    if arguments is None:
        spark.stop()


def parse(doc, generate_options, run_options, arguments=None):
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    generator = commands.add_parser("generate", help="write the input; what is there is replaced")
    generator.add_argument("--data", required=True, help="URI of the input's folder")
    generate_options(generator)
    runner = commands.add_parser("run", help="run the job once")
    runner.add_argument("--data", required=True, help="URI of the input's folder")
    runner.add_argument("--output", required=True, help="URI of the output's folder, which is replaced")
    runner.add_argument("--no-verify", action="store_true", help="do not compute the answer from the output")
    split = "MB per input task; every file has at least one task of its own (default %(default)s)"
    runner.add_argument("--split-mb", type=int, default=128, help=split)
    run_options(runner)
    return parser.parse_args(arguments)


def session(name):
    spark = SparkSession.builder.appName(name).getOrCreate()
    spark.sparkContext.setLogLevel("WARN")
    return spark


def run_once(name, spark, options, run, answer, prepare=None):
    set_splits(spark, options.split_mb)
    if prepare:
        prepare(spark, options)
    started = time.monotonic()
    result = run(spark, options)
    seconds = time.monotonic() - started
    job_done()
    verified = None if options.no_verify else answer(spark, options, result)
    print(json.dumps({"workload": name, "seconds": round(seconds, 3), "answer": verified}), flush=True)


def set_splits(spark, split_mb):
    """Makes the number of input tasks a property of the input: Spark would pack small files together by its cores."""
    for name in ("maxPartitionBytes", "openCostInBytes"):
        spark.conf.set(f"spark.sql.files.{name}", f"{split_mb}m")


def add_files(parser, mb, files):
    parser.add_argument("--mb", type=int, default=mb, help="MB to write (default %(default)s)")
    parser.add_argument("--files", type=int, default=files, help="number of files (default %(default)s)")


def add_reduce_partitions(parser, default=32):
    help_text = "partitions of the shuffle (default %(default)s)"
    parser.add_argument("--reduce-partitions", type=int, default=default, help=help_text)


def rows_in_files(spark, rows, files):
    """A column `id` of about `rows` rows, the same number for each of the files it is written to."""
    return spark.range(0, max(1, round(rows / files)) * files, numPartitions=files)


def uniform(*columns):
    """A random double in [0, 1) that depends on nothing but the values of the columns."""
    return F.shiftrightunsigned(F.xxhash64(*columns), 11) * F.lit(2.0**-53)


def uniform_integer(bound, *columns):
    return F.floor(uniform(*columns) * bound)


def fingerprint(table):
    """The number of rows, and the sum of 32 bits of every row's hash: the order of the rows has no effect."""
    bits = F.shiftrightunsigned(F.xxhash64(*table.columns), 32)
    rows, total = table.agg(F.count("*"), F.sum(bits)).first()
    return {"rows": rows, "hash": total or 0}


def is_sorted(keys):
    """Of a table read from part files: no key is smaller than the one before, in its file or the file before."""
    file_number = F.regexp_extract(F.input_file_name(), r"part-(\d+)", 1).cast("int")
    ordered = Window.partitionBy("file").orderBy("row")
    files = (
        keys.select("key", file_number.alias("file"), F.monotonically_increasing_id().alias("row"))
        .withColumn("falls", (F.lag("key").over(ordered) > F.col("key")).cast("int"))
        .groupBy("file")
        .agg(F.min("key"), F.max("key"), F.coalesce(F.sum("falls"), F.lit(0)))
        .orderBy("file")
        .collect()
    )
    ends = [end for _, low, high, _ in files for end in (low, high)]
    return all(falls == 0 for *_, falls in files) and ends == sorted(ends)


def delete(spark, uri):
    """A folder, if it is there: Spark does not overwrite outputs of RDDs, and what a run wrote is not to be deleted during the next one."""
    path = spark._jvm.org.apache.hadoop.fs.Path(uri)
    path.getFileSystem(spark._jsc.hadoopConfiguration()).delete(path, True)


def unpersist(spark):
    """Everything that is cached: GraphX leaves the graphs of its last iterations."""
    spark.catalog.clearCache()
    for cached in list(spark._jsc.getPersistentRDDs().values()):
        cached.unpersist(True)
