"""TPC-H's 22 queries on Parquet tables, with the query texts of Spark's own tests.

`generate` wants tpchgen-cli on the PATH and writes to a local folder, or copies one that is there (`--from`) to wherever. `--queries` names the folder of q1.sql to q22.sql, which
`bench/overhead.py` takes from Spark's test jar.
"""

import shutil
import subprocess
import zlib
from pathlib import Path
from urllib.parse import urlparse

import workload

TABLES = ("customer", "lineitem", "nation", "orders", "part", "partsupp", "region", "supplier")


def generate_options(parser):
    parser.add_argument("--scale", type=float, default=1, help="1 is 345 MB of Parquet (default %(default)s)")
    parser.add_argument("--from", dest="made", type=Path, help="a local folder with the tables, to be copied")


def generate(spark, options):
    if options.made:
        hadoop, conf = spark._jvm.org.apache.hadoop.fs, spark._jsc.hadoopConfiguration()
        to = hadoop.Path(options.data)
        to.getFileSystem(conf).delete(to, True)
        to.getFileSystem(conf).copyFromLocalFile(hadoop.Path(options.made.as_uri()), to)
        return
    folder = Path(urlparse(options.data).path)
    shutil.rmtree(folder, ignore_errors=True)
    command = ["tpchgen-cli", "parquet", "--scale-factor", f"{options.scale:g}", "--output-dir", str(folder)]
    subprocess.run(command, check=True, capture_output=True)


def run_options(parser):
    parser.add_argument("--queries", type=Path, required=True, help="folder of q1.sql to q22.sql")
    workload.add_reduce_partitions(parser, 8)


def run(spark, options):
    spark.conf.set("spark.sql.shuffle.partitions", options.reduce_partitions)
    for table in TABLES:
        spark.read.parquet(f"{options.data}/{table}.parquet").createOrReplaceTempView(table)
    texts = [(options.queries / f"q{number}.sql").read_text() for number in range(1, 23)]
    return [spark.sql(text.rstrip().rstrip(";")).collect() for text in texts]


def answer(spark, options, results):
    """Rows of each query, and the sum of the hashes of their texts, with 6 digits of a number."""
    return [[len(rows), sum(hash_of(row) for row in rows) % (1 << 32)] for rows in results]


def hash_of(row):
    text = "|".join(f"{value:.6g}" if isinstance(value, float) else str(value) for value in row)
    return zlib.crc32(text.encode())


def main(arguments=None):
    workload.main("tpch", __doc__, generate, generate_options, run, run_options, answer, arguments)


if __name__ == "__main__":
    main()
