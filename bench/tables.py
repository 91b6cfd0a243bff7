"""Tables and queries of TPC-H and TPC-DS: the tables as DuckDB's generators make them, the queries as Spark's own tests write them.

    target/venv/bin/python bench/tables.py tpcds 0.5 FOLDER      (with bench/requirements.txt)
"""

import importlib
import subprocess
import sys
import zipfile
from pathlib import Path

TARGET = Path(__file__).resolve().parent.parent / "target"
WORK = TARGET / "bench"
TESTS = "4.2.0"  # the Spark whose tests have the texts
GENERATORS = {"tpch": "dbgen", "tpcds": "dsdgen"}
QUERIES = {
    "tpch": [f"q{number}" for number in range(1, 23)],
    # the queries that the thesis ran (chapter 3), and q72, of whose log 22 to 28 % of the time is not named
    "tpcds": [f"q{number}" for number in (3, 7, 19, 27, 34, 42, 43, 46, 52, 53, 55, 59, 63, 65, 68, 72, 73, 79, 89, 98)],
}


def tables(benchmark, scale):
    """A local folder with TABLE.parquet of each table, made if it is not there."""

    def make(folder):
        subprocess.run([TARGET / "venv" / "bin" / "python", __file__, benchmark, f"{scale:g}", folder], check=True)

    return made(WORK / f"{benchmark}-{scale:g}", make)


def queries(benchmark):
    """A folder with q1.sql, q2.sql, ... of the benchmark, made if it is not there."""

    def make(folder):
        artifact = f"org.apache.spark:spark-sql_2.13:{TESTS}:jar:tests"
        subprocess.run(["mvn", "-B", "-q", "dependency:copy", f"-Dartifact={artifact}", f"-DoutputDirectory={WORK}"], cwd=WORK, check=True)
        with zipfile.ZipFile(WORK / f"spark-sql_2.13-{TESTS}-tests.jar") as jar:
            for name in QUERIES[benchmark]:
                (folder / f"{name}.sql").write_bytes(jar.read(f"{benchmark}/{name}.sql"))

    return made(WORK / f"{benchmark}-queries", make)


def made(folder, make):
    """`folder`, which is there only when all of it is."""
    if not folder.exists():
        unfinished = folder.with_name(f"{folder.name}.unfinished")
        unfinished.mkdir(parents=True, exist_ok=True)
        make(unfinished)
        unfinished.rename(folder)
    return folder


def generate(benchmark, scale, folder):
    """TABLE.parquet of each table."""
    import duckdb

    package = importlib.import_module(f"duckdb_extension_{benchmark}")
    (extension,) = Path(package.__file__).parent.rglob("*.duckdb_extension")
    with duckdb.connect() as database:
        database.execute(f"LOAD '{extension}'")
        database.execute(f"CALL {GENERATORS[benchmark]}(sf={scale})")
        for (table,) in database.execute("SHOW TABLES").fetchall():
            database.execute(f"COPY {table} TO '{folder}/{table}.parquet'")


if __name__ == "__main__":
    generate(*sys.argv[1:])
