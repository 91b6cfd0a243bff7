"""SQL queries over Parquet tables on stock Spark: of each pair of folders, TABLE.parquet in the first and QUERY.sql in the second. Prints of each query
how many rows there were and a digest of them, sorted: where an ORDER BY leaves rows equal, Spark has them in any order."""

import hashlib
import sys
from pathlib import Path

from pyspark.sql import SparkSession

spark = SparkSession.builder.getOrCreate()
folders = [Path(folder) for folder in sys.argv[2:]]
for tables, queries in zip(folders[::2], folders[1::2], strict=True):
    for table in tables.glob("*.parquet"):
        spark.read.parquet(table.as_uri()).createOrReplaceTempView(table.stem)
    for query in sorted(queries.glob("*.sql")):
        rows = sorted(repr(row) for row in spark.sql(query.read_text().rstrip().rstrip(";")).collect())
        print("ANSWER", queries.name, query.stem, len(rows), hashlib.sha256("\n".join(rows).encode()).hexdigest(), rows[:1], flush=True)
spark.stop()
