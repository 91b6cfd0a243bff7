"""Text lines of exactly 128 bytes with their newline, in files of exactly so many MB: whole numbers of HDFS blocks."""

import workload
from pyspark.sql import functions as F

BYTES = 128


def options(parser, mb, file_mb):
    size = parser.add_mutually_exclusive_group()
    size.add_argument("--mb", type=int, default=mb, help="MB to write (default %(default)s)")
    size.add_argument("--files", type=int, help="number of files, instead of --mb")
    parser.add_argument("--file-mb", type=int, default=file_mb, help="MB of each file (default %(default)s)")


def write(spark, options, text):
    """`text` makes the columns of a line, which are joined with spaces, of the row's `id`."""
    if not options.files and options.mb % options.file_mb:
        raise SystemExit(f"--mb {options.mb} is not a multiple of --file-mb {options.file_mb}")
    files = options.files or options.mb // options.file_mb
    numbers = workload.rows_in_files(spark, files * options.file_mb * workload.MB // BYTES, files)
    line = F.rpad(F.concat_ws(" ", *text(F.col("id"))), BYTES - 1, ".")
    numbers.select(line).write.mode("overwrite").text(options.data)
