"""SQL queries over Parquet tables, such as TPC-H's and TPC-DS' (bench/tables.py makes both and has the texts).

`generate` copies a local folder of tables to wherever; `run` runs each *.sql of a folder, one after another.
"""

import re
import zlib
from decimal import Decimal
from pathlib import Path

import workload


def generate_options(parser):
    parser.add_argument("--from", dest="made", type=Path, required=True, help="the local folder with TABLE.parquet of each table")


def generate(spark, options):
    to, files = folder(spark, options.data)
    files.delete(to, True)
    files.copyFromLocalFile(spark._jvm.org.apache.hadoop.fs.Path(options.made.as_uri()), to)


def run_options(parser):
    parser.add_argument("--queries", type=Path, required=True, help="the folder of q1.sql, q2.sql, ...")
    parser.add_argument("--only", nargs="+", metavar="QUERY", help="q1 and so on; default all")
    workload.add_reduce_partitions(parser, 8)


def run(spark, options):
    spark.conf.set("spark.sql.shuffle.partitions", options.reduce_partitions)
    paths = sorted(options.queries.glob("*.sql"), key=lambda path: (int(re.search(r"\d+", path.name)[0]), path.name))
    texts = [path.read_text().rstrip().rstrip(";") for path in paths if not options.only or path.stem in options.only]
    at, files = folder(spark, options.data)
    for file in files.listStatus(at):
        table, _, kind = file.getPath().getName().partition(".")
        if kind == "parquet" and any(table in text.lower() for text in texts):
            spark.read.parquet(f"{options.data}/{table}.parquet").createOrReplaceTempView(table)
    return [spark.sql(text).collect() for text in texts]


def answer(spark, options, results):
    """Rows of each query, and the sum of the hashes of their texts, with 6 digits of a number."""
    return [[len(rows), sum(hash_of(row) for row in rows) % (1 << 32)] for rows in results]


def hash_of(row):
    text = "|".join(f"{value:.6g}" if isinstance(value, (float, Decimal)) else str(value) for value in row)
    return zlib.crc32(text.encode())


def folder(spark, uri):
    path = spark._jvm.org.apache.hadoop.fs.Path(uri)
    return path, path.getFileSystem(spark._jsc.hadoopConfiguration())


def main(arguments=None):
    workload.main("queries", __doc__, generate, generate_options, run, run_options, answer, arguments)


if __name__ == "__main__":
    main()
