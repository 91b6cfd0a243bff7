"""The AMPLab Big Data Benchmark, as in Kay Ousterhout's thesis (5.5.2): ten queries on generated tables.

    1a 1b 1c   a filter on rankings, with a small, a medium and a large result
    2a 2b 2c   revenue by a prefix of the source IP, with more and more groups
    3a 3b 3c   uservisits of longer and longer periods joined with rankings; the one IP of the highest revenue
    4          the links to each page: Python workers extract them from documents, SQL adds them up

Results are written as tables, except query 3's single row. `--query all` runs the queries one after another and prints
a line for each. The tables are delimited text by default, or Parquet with Spark's default codec; the documents are
always text. See bdbench_generate.py for sizes and distributions.

For 4 machines with a 25 MB/s disk each and 2 cores in all:
    generate --scale 8 --files 64     (text: 45 MB of rankings, 1 GB of uservisits, 1.1 GB of documents)
    run --query all --reduce-partitions 32     (queries 1a to 1c take seconds at any scale, as in the original)
"""

import bdbench_generate
import workload
from pyspark.sql import functions as F

Q1 = "SELECT pageURL, pageRank FROM rankings WHERE pageRank > {}"
Q2 = """
    SELECT SUBSTR(sourceIP, 1, {0}) AS prefix, SUM(adRevenue) AS revenue FROM uservisits
    GROUP BY SUBSTR(sourceIP, 1, {0})"""
Q3 = """
    SELECT sourceIP, totalRevenue, avgPageRank FROM (
        SELECT sourceIP, AVG(pageRank) AS avgPageRank, SUM(adRevenue) AS totalRevenue
        FROM rankings AS R, uservisits AS UV
        WHERE R.pageURL = UV.destURL AND UV.visitDate BETWEEN DATE '1980-01-01' AND DATE '{}'
        GROUP BY UV.sourceIP)
    ORDER BY totalRevenue DESC LIMIT 1"""
Q4 = "SELECT destPage, SUM(count) AS totalCount FROM partial GROUP BY destPage"

QUERIES = {
    "1a": Q1.format(1000),
    "1b": Q1.format(100),
    "1c": Q1.format(10),
    "2a": Q2.format(8),
    "2b": Q2.format(10),
    "2c": Q2.format(12),
    "3a": Q3.format("1980-04-01"),
    "3b": Q3.format("1983-01-01"),
    "3c": Q3.format("2010-01-01"),
    "4": Q4,
}
RESULTS = {
    "1": "pageURL string, pageRank int",
    "2": "prefix string, revenue double",
    "4": "destPage string, totalCount long",
}
PARTIAL = "sourcePage string, destPage string, count long"


def generate_options(parser):
    scale = "1 is a thousandth of the original's scale factor 5 (default %(default)s)"
    parser.add_argument("--scale", type=float, default=8, help=scale)
    files = "files of uservisits and of documents; rankings has an eighth (default %(default)s)"
    parser.add_argument("--files", type=int, default=64, help=files)
    add_format(parser)


def run_options(parser):
    parser.add_argument("--query", choices=(*QUERIES, "all"), required=True)
    workload.add_reduce_partitions(parser)
    add_format(parser)


def add_format(parser):
    parser.add_argument("--format", choices=("text", "parquet"), default="text", help="(default %(default)s)")


def run(spark, options):
    spark.conf.set("spark.sql.shuffle.partitions", options.reduce_partitions)
    for name, schema in bdbench_generate.TABLES.items():
        read(spark, f"{options.data}/{name}", schema, options).createOrReplaceTempView(name)
    if options.query == "4":
        extract_links(spark, options).createOrReplaceTempView("partial")
    result = spark.sql(QUERIES[options.query])
    if options.query[0] == "3":
        return result.collect()
    bdbench_generate.write(result, output(options), options.format)


def extract_links(spark, options):
    """The original's url_count.py; its result is a table of its own, as in the original."""
    lines = spark.sparkContext.textFile(f"{options.data}/documents", 1)
    links = spark.createDataFrame(lines.mapPartitions(count_links), PARTIAL, verifySchema=False)
    uri = f"{options.output}/4-partial"
    bdbench_generate.write(links, uri, options.format)
    return read(spark, uri, PARTIAL, options)


def count_links(documents):
    import re
    from collections import Counter

    link = re.compile(r"https?://[^\s\"'<>]+")
    for document in documents:
        page, _, html = document.partition("\t")
        for url, count in Counter(link.findall(html)).items():
            yield page, url, count


def read(spark, uri, schema, options):
    reader = spark.read.schema(schema)
    return (reader.csv if options.format == "text" else reader.parquet)(uri)


def output(options):
    return f"{options.output}/{options.query}"


def answer(spark, options, rows):
    """Revenues have 8 decimals, so a sum rounded to 8 decimals does not depend on the order of summation."""
    if rows is not None:
        ip, revenue, rank = rows[0] if rows else ("", 0.0, 0.0)
        return {"sourceIP": ip, "totalRevenue": round(revenue, 8), "avgPageRank": round(rank, 6)}
    table = read(spark, output(options), RESULTS[options.query[0]], options)
    if "revenue" not in table.columns:
        return workload.fingerprint(table)
    exact = table.withColumn("revenue", F.round(F.col("revenue") * 10**8).cast("long"))
    total = exact.agg(F.sum("revenue")).first()[0]
    return {**workload.fingerprint(exact), "revenue": round(total / 10**8, 8)}


def main(arguments=None):
    options = workload.parse(__doc__, generate_options, run_options, arguments)
    if options.command == "generate":
        spark = workload.session("bdb generate")
        bdbench_generate.generate(spark, options)
    else:
        queries = list(QUERIES) if options.query == "all" else [options.query]
        spark = workload.session(f"bdb {options.query}")
        for options.query in queries:
            spark.sparkContext.setJobDescription(f"query {options.query}")
            workload.run_once(f"bdb {options.query}", spark, options, run, answer)
    if arguments is None:
        spark.stop()


if __name__ == "__main__":
    main()
