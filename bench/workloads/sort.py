"""The sort of Kay Ousterhout's thesis (5.5.2 and 5.6.2): random key-value pairs, read, sorted by key, written back.

A key is a long, a value is `--values` longs, packed. The size in MB stays the same when values get longer, so
there are fewer rows to sort and less CPU per byte: --values tunes the ratio of CPU to disk. The thesis has 10, 20, and
50; sorts of today need less CPU per row, and 1, 4, and 20 give a similar range of ratios.
The keys are uniform, so the range of each reducer is known without sampling: the job is a map stage (read, shuffle
write) and a reduce stage (shuffle read, sort, write), as in the thesis.

The format is uncompressed Parquet without dictionaries, i.e. plain bytes. `--format text` has the same pairs as lines,
with the value in hexadecimal; its shuffle has half as many bytes as its input.

For 4 machines with a 25 MB/s disk each and 2 cores in all:
    generate --mb 768 --files 48 --values 1     and the same with 4 and 20
    run --reduce-partitions 48
"""

import workload
from pyspark.sql import functions as F

# and blocks of HDFS that are not much larger than the files: it keeps room for all of a block that is written
PARQUET = {"compression": "none", "parquet.enable.dictionary": "false", "parquet.block.size": str(32 << 20)}
SCHEMA = "key long, value binary"


def generate_options(parser):
    workload.add_files(parser, mb=768, files=48)
    parser.add_argument("--values", type=int, default=4, help="longs per value (default %(default)s)")
    add_format(parser)


def run_options(parser):
    workload.add_reduce_partitions(parser, default=48)
    parser.add_argument("--cached", action="store_true", help="the input is in memory before the clock starts")
    add_format(parser)


def add_format(parser):
    parser.add_argument("--format", choices=("parquet", "text"), default="parquet", help="(default %(default)s)")


def generate(spark, options):
    size = 8 * options.values
    bytes_per_row = 8 + 4 + size if options.format == "parquet" else 20 + 1 + 2 * size + 1
    numbers = [F.unhex(F.lpad(F.hex(F.xxhash64("id", F.lit(i))), 16, "0")) for i in range(options.values)]
    rows = workload.rows_in_files(spark, options.mb * workload.MB / bytes_per_row, options.files)
    pairs = rows.select(F.xxhash64("id", F.lit("key")).alias("key"), F.concat(*numbers).alias("value"))
    write(pairs, options.data, options.format)


def read(spark, uri, file_format):
    if file_format == "parquet":
        return spark.read.schema(SCHEMA).parquet(uri)
    part = F.split("value", " ")
    return spark.read.text(uri).select(part[0].cast("long").alias("key"), F.unhex(part[1]).alias("value"))


def write(pairs, uri, file_format):
    if file_format == "parquet":
        pairs.write.mode("overwrite").options(**PARQUET).parquet(uri)
    else:
        pairs.select(F.concat_ws(" ", "key", F.hex("value"))).write.mode("overwrite").text(uri)


def range_of(key, partitions):
    """Which of `partitions` equal ranges of the 64-bit integers a key is in, by its first 24 bits."""
    return ((F.shiftright(key, 40) + (1 << 23)) * partitions / (1 << 24)).cast("int")


def prepare(spark, options):
    if options.cached:
        read(spark, options.data, options.format).cache().count()  # `run` reads the same


def run(spark, options):
    pairs = read(spark, options.data, options.format)
    partitions = options.reduce_partitions
    ranges = pairs.repartitionById(partitions, range_of(F.col("key"), partitions))
    write(ranges.sortWithinPartitions("key"), options.output, options.format)


def answer(spark, options, _):
    pairs = read(spark, options.output, options.format)
    return {**workload.fingerprint(pairs), "sorted": workload.is_sorted(pairs.select("key"))}


def main(arguments=None):
    workload.main("sort", __doc__, generate, generate_options, run, run_options, answer, arguments, prepare)


if __name__ == "__main__":
    main()
