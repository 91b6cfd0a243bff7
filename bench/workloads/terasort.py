"""TeraSort: 100-byte records like those of `gensort -a`, sorted by their first 10 bytes.

A record is a line: a key of 10 random printable characters, the record's number, filler, and the newline. As Spark
does for any sort, a first job samples the input for the boundaries of the ranges, so the input is read twice.

For 4 machines with a 25 MB/s disk each and 2 cores in all:
    generate --mb 512 --files 32
    run --reduce-partitions 32
"""

import workload
from pyspark.sql import functions as F

RECORD_BYTES = 100
KEY_BYTES = 10


def generate_options(parser):
    workload.add_files(parser, mb=512, files=32)


def run_options(parser):
    workload.add_reduce_partitions(parser)


def generate(spark, options):
    def printable(position):
        return F.chr(F.lit(ord(" ")) + workload.uniform_integer(95, "id", F.lit(position)))

    key = F.concat(*[printable(position) for position in range(KEY_BYTES)])
    number = F.lpad(F.hex("id"), 32, "0")
    filler = F.repeat(F.chr(F.lit(ord("A")) + F.col("id") % 26), 54)
    rows = workload.rows_in_files(spark, options.mb * workload.MB / RECORD_BYTES, options.files)
    rows.select(F.concat_ws(" ", F.concat(key, F.lit(" ")), number, filler)).write.mode("overwrite").text(options.data)


def key_of(record):
    return F.substring(record, 1, KEY_BYTES)


def run(spark, options):
    records = spark.read.text(options.data)
    ranges = records.repartitionByRange(options.reduce_partitions, key_of("value"))
    ranges.sortWithinPartitions(key_of("value")).write.mode("overwrite").text(options.output)


def answer(spark, options, _):
    records = spark.read.text(options.output)
    keys = records.select(key_of("value").alias("key"))
    return {**workload.fingerprint(records), "sorted": workload.is_sorted(keys)}


def main(arguments=None):
    workload.main("terasort", __doc__, generate, generate_options, run, run_options, answer, arguments)


if __name__ == "__main__":
    main()
