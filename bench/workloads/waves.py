"""A job that reads and computes, about as long each, in as many waves of tasks as wanted: it hashes each line several times over.

With few waves a task's reading and another one's computing can hardly overlap (thesis section 5.5.3, Fig. 5.7).

For 4 machines with a 13 MB/s disk each and 8 tasks at once:
    generate --mb 128 --file-mb 16     (with HDFS blocks of 16 MB)
    run --split-mb 16                  (one wave; with --split-mb 2, eight)
"""

import lines
import scan
import workload
from pyspark.sql import functions as F

generate = scan.generate


def generate_options(parser):
    lines.options(parser, mb=128, file_mb=16)


def run_options(parser):
    parser.add_argument("--rounds", type=int, default=4, help="hashes of each line (default %(default)s)")


def run(spark, options):
    hashed = F.col("value")
    for _ in range(options.rounds):
        hashed = F.sha2(hashed, 256)
    return spark.read.text(options.data).agg(F.count("*"), F.sum(F.crc32(hashed))).first()


def answer(spark, options, sums):
    return dict(zip(("lines", "hash"), sums, strict=True))


def main(arguments=None):
    workload.main("waves", __doc__, generate, generate_options, run, run_options, answer, arguments)


if __name__ == "__main__":
    main()
