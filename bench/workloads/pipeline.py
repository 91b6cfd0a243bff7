"""A job that moves the same bytes three times: it reads lines, shuffles all of them by key, and writes them.

Each of the paths that PBSE tells apart (an input block to a map, a map to a reducer, a reducer to the replicas of its
output) carries about the size of the input, so a slow network card shows wherever it is. The lines are
random base64, which LZ4 cannot compress, so the shuffle is not smaller than the input.

For 4 machines with a 25 MB/s disk each and 2 cores in all:
    generate --mb 768 --file-mb 16     (48 map tasks, with HDFS blocks of 16 MB)
    run --reduce-partitions 48
"""

import lines
import workload
from pyspark.sql import functions as F

KEY_CHARACTERS = 8


def generate_options(parser):
    lines.options(parser, mb=768, file_mb=16)


def run_options(parser):
    workload.add_reduce_partitions(parser, default=48)


def generate(spark, options):
    def text(row):
        halves = [F.base64(F.unhex(F.sha2(F.concat(row, F.lit(half)), 384))) for half in "ab"]
        return (F.substring(F.concat(*halves), 1, lines.BYTES - 1),)

    lines.write(spark, options, text)


def run(spark, options):
    key = F.substring("value", 1, KEY_CHARACTERS)
    shuffled = spark.read.text(options.data).repartition(options.reduce_partitions, key)
    shuffled.write.mode("overwrite").text(options.output)


def answer(spark, options, _):
    return workload.fingerprint(spark.read.text(options.output))


def main(arguments=None):
    workload.main("pipeline", __doc__, generate, generate_options, run, run_options, answer, arguments)


if __name__ == "__main__":
    main()
