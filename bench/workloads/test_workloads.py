"""Every workload at a tiny size on local[2]: run twice with different partitions, and worked out in plain Python.

    pytest bench/workloads/test_workloads.py     (with pyspark and numpy, or SPARK_HOME and PYSPARK_PYTHON)

Each program runs in a process of its own; its commands share the process and the session, which saves time.
"""

import hashlib
import json
import os
import random
import subprocess
import sys
import zlib
from collections import Counter, defaultdict
from decimal import Decimal
from itertools import combinations
from math import isclose, sin
from pathlib import Path

import pytest
from bench.tables import QUERIES, generate, queries

FOLDER = Path(__file__).resolve().parent
PYTHON = os.environ.get("PYSPARK_PYTHON", sys.executable)
SPARK_OPTIONS = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.hadoop.parquet.hadoop.vectored.io.enabled": "false",
}
SERIES = """
import importlib, json, sys
program, commands = importlib.import_module(sys.argv[1]), json.loads(sys.argv[2])
for command in commands:
    program.main(command)
"""


@pytest.fixture
def data(tmp_path):
    return tmp_path / "data"


@pytest.fixture
def output(tmp_path):
    return tmp_path / "output"


def environment(tmp_path):
    settings = {**SPARK_OPTIONS, "spark.local.dir": tmp_path, "spark.sql.warehouse.dir": tmp_path / "warehouse"}
    spark = [f"--conf {name}={value}" for name, value in settings.items()]
    path = [str(FOLDER)]
    home = os.environ.get("SPARK_HOME")
    if home:
        path += [f"{home}/python", *map(str, Path(home, "python", "lib").glob("py4j-*.zip"))]
    return {
        **os.environ,
        "PYSPARK_PYTHON": PYTHON,
        "PYSPARK_DRIVER_PYTHON": PYTHON,
        "PYSPARK_SUBMIT_ARGS": " ".join(["--master local[2]", *spark, "pyspark-shell"]),
        "PYTHONPATH": os.pathsep.join([*path, os.environ.get("PYTHONPATH", "")]),
        "PYTHONDONTWRITEBYTECODE": "1",
        "SPARK_LOCAL_IP": "127.0.0.1",
    }


def series(program, data, output, generate, *runs):
    """The JSON objects that the runs print."""
    where = ["--data", data.as_uri()]
    commands = [["generate", *where, *generate.split()]]
    commands += [["run", *where, "--output", output.as_uri(), *options.split()] for options in runs]
    said = output_of([PYTHON, "-c", SERIES, program, json.dumps(commands)], data.parent)
    return [json.loads(line) for line in said.splitlines() if line.startswith("{")]


def output_of(command, folder):
    done = subprocess.run(command, cwd=folder, env=environment(folder), capture_output=True, text=True, timeout=150)
    assert done.returncode == 0, done.stderr
    return done.stdout


def same_answer(results, workload):
    first, *others = results
    assert others and all(result["answer"] == first["answer"] for result in others)
    assert all(result["workload"] == workload and result["seconds"] > 0 for result in results)
    return first["answer"]


def lines(folder):
    return [line for part in sorted(folder.glob("part-*")) for line in part.read_text().splitlines()]


def close(a, b):
    return isclose(a, b, rel_tol=1e-5)


def test_sort(data, output):
    generate = "--mb 1 --files 3 --values 10 --format text"
    runs = ["--format text --reduce-partitions 4", "--format text --reduce-partitions 3 --no-verify"]
    verified, unverified, again = series("sort", data, output, generate, *runs, runs[1].replace("--no-verify", ""))
    assert unverified["answer"] is None
    answer = same_answer([verified, again], "sort")

    before, after = lines(data), lines(output)
    keys = [int(line.split()[0]) for line in after]
    assert keys == sorted(keys) and Counter(before) == Counter(after)
    assert answer["sorted"] and answer["rows"] == len(before)
    assert {len(line.split()[1]) for line in before} == {10 * 16}
    assert len(list(output.glob("part-*"))) == 3


def test_sort_parquet(data, output):
    runs = ["--reduce-partitions 4", "--reduce-partitions 5 --cached", "--reduce-partitions 7"]
    answer = same_answer(series("sort", data, output, "--mb 2 --files 2 --values 20", *runs), "sort")
    assert answer["sorted"]
    assert len(list(output.glob("part-*"))) == 7
    for folder in (data, output):
        assert 1.9 < sum(part.stat().st_size for part in folder.glob("part-*")) / 2**20 < 2.1


def test_two_sorts(data, output):
    generate = "--mb 1 --files 2 --values 10 50"
    both, one, other = series("two_sorts", data, output, generate, "--values 10 50", "--values 10", "--values 50")
    assert both["answer"] == one["answer"] | other["answer"]
    assert all(answer["sorted"] and answer["rows"] > 0 for answer in both["answer"].values())


def test_scan(data, output):
    answer = same_answer(series("scan", data, output, "--files 3 --file-mb 1", "", ""), "scan")
    assert [part.stat().st_size for part in data.glob("part-*")] == [2**20] * 3
    assert answer == {"lines": len(lines(data))}


def test_waves(data, output):
    answer = same_answer(series("waves", data, output, "--files 2 --file-mb 2", "--split-mb 2 --rounds 2", "--split-mb 1 --rounds 2"), "waves")

    def hashed(line):
        return hashlib.sha256(hashlib.sha256(line.encode()).hexdigest().encode()).hexdigest()

    texts = lines(data)
    assert answer == {"lines": len(texts), "hash": sum(zlib.crc32(hashed(line).encode()) for line in texts)}


def test_spark_submit(data, output):
    """The way the programs are meant to be started."""
    home = os.environ.get("SPARK_HOME") or subprocess.check_output(
        [PYTHON, "-c", "import pyspark; print(pyspark.__path__[0])"], text=True
    ).strip()
    submit = [f"{home}/bin/spark-submit", "--master", "local[2]", "--conf", "spark.ui.enabled=false"]
    where = ["--data", data.as_uri()]
    runs = [["generate", *where, "--mb", "1", "--files", "2"], ["run", *where, "--output", output.as_uri()]]
    for command in runs:
        said = output_of([*submit, FOLDER / "terasort.py", *command], data.parent)
    assert json.loads(said.splitlines()[-1])["answer"]["sorted"]


def test_terasort(data, output):
    runs = ["--reduce-partitions 4", "--reduce-partitions 3"]
    answer = same_answer(series("terasort", data, output, "--mb 1 --files 2", *runs), "terasort")
    before, after = lines(data), lines(output)
    keys = [line[:10] for line in after]
    assert keys == sorted(keys) and Counter(before) == Counter(after)
    assert all(len(line) == 99 for line in before)
    assert answer["sorted"] and answer["rows"] == len(before) == round(2**20 / 100 / 2) * 2


def test_pipeline(data, output):
    runs = ["--reduce-partitions 4", "--reduce-partitions 3"]
    answer = same_answer(series("pipeline", data, output, "--mb 2 --file-mb 1", *runs), "pipeline")
    before, after = lines(data), lines(output)
    assert [part.stat().st_size for part in data.glob("part-*")] == [2**20] * 2
    assert Counter(before) == Counter(after) and answer["rows"] == len(before) == 2**21 // 128
    assert len(set(before)) == len(before)


def edges(data):
    return [tuple(map(int, line.split())) for line in lines(data)]


def test_pagerank(data, output):
    generate, runs = "--vertices 200 --edges 1000 --files 2", ["--partitions 3", "--partitions 2"]
    answer = same_answer(series("pagerank", data, output, generate, *runs), "pagerank")

    out_degree = Counter(source for source, _ in edges(data))
    vertices = {vertex for edge in edges(data) for vertex in edge}
    ranks = dict.fromkeys(vertices, 1.0)
    for _ in range(5):
        received = defaultdict(float)
        for source, target in edges(data):
            received[target] += ranks[source] / out_degree[source]
        ranks = {vertex: 0.15 + 0.85 * received[vertex] for vertex in vertices}
    scale = len(vertices) / sum(ranks.values())  # GraphX makes up for the vertices without edges out
    top = sorted(ranks.values(), reverse=True)[:10]
    assert answer["vertices"] == len(vertices) and close(answer["sum"], len(vertices))
    assert all(abs(scale * ranks[vertex] - rank) < 0.001 for vertex, rank in answer["top"])
    assert all(abs(scale * a - b) < 0.001 for a, (_, b) in zip(top, answer["top"]))


def test_triangle_count(data, output):
    generate, runs = "--vertices 100 --edges 1000 --files 2", ["--partitions 3", "--partitions 2"]
    answer = same_answer(series("triangle_count", data, output, generate, *runs), "triangle_count")
    linked = {frozenset(edge) for edge in edges(data)}
    vertices = sorted({vertex for edge in linked for vertex in edge})
    threes = combinations(vertices, 3)
    triangles = sum({frozenset(pair) for pair in combinations(three, 2)} <= linked for three in threes)
    assert triangles > 100 and answer["triangles"] == triangles and answer["rows"] == len(vertices)


def test_kmeans(data, output):
    generate = "--mb 1 --files 2 --dimensions 4 --clusters 3"
    runs = ["--clusters 3 --iterations 4", "--clusters 3 --iterations 4 --storage-level DISK_ONLY"]
    answer = same_answer(series("kmeans", data, output, generate, *runs), "kmeans")

    points = [json.loads(line) for line in lines(data)]
    source = random.Random(1)
    centres = [[100.0 * source.random() for _ in range(4)] for _ in range(3)]

    def distance(point, centre):
        return sum((a - b) ** 2 for a, b in zip(point, centre))

    def clusters():
        nearest = defaultdict(list)
        for point in points:
            nearest[min(range(3), key=lambda i: distance(point, centres[i]))].append(point)
        return nearest

    for _ in range(4):
        for i, members in clusters().items():
            centres[i] = [sum(axis) / len(members) for axis in zip(*members)]
    final = clusters()
    assert answer["sizes"] == [len(final[i]) for i in range(3)]
    assert close(answer["cost"], sum(distance(point, centres[i]) for i in final for point in final[i]))
    assert all(close(a, sum(b)) for a, b in zip(answer["centres"], centres))


def test_least_squares(data, output):
    generate = "--row-blocks 4 --block-rows 200 --columns 60"
    options = "--column-block 32 --passes 7 --reduce-partitions"
    results = series("least_squares", data, output, generate, f"{options} 2", f"{options} 3")
    answer = same_answer(results, "least_squares")
    known = [sin(i + 1) for i in range(60)]
    assert answer["error"] == 0 and answer["columns"] == 60
    assert close(answer["norm"], sum(x * x for x in known) ** 0.5)
    assert all(abs(float(line) - x) < 1e-3 for line, x in zip(lines(output), known, strict=True))


@pytest.mark.parametrize("file_format", ["text", "parquet"])
def test_bdb(data, output, file_format):
    generate, run = f"--scale 0.02 --files 2 --format {file_format}", f"--format {file_format}"
    if file_format == "parquet":
        results = series("bdbench", data, output, generate, f"{run} --query 3c", f"{run} --query 3c --reduce-partitions 3")
        assert same_answer(results, "bdb 3c")["sourceIP"]
        return
    queries = ("1a", "1b", "1c", "2a", "2b", "2c", "3a", "3b", "3c", "4")
    results = series("bdbench", data, output, generate, f"{run} --query all", f"{run} --query all --reduce-partitions 3")
    answers = {q: same_answer(results[i::10], f"bdb {q}") for i, q in enumerate(queries)}

    rankings = {url: int(rank) for url, rank, _ in (line.split(",") for line in lines(data / "rankings"))}
    visits = [line.split(",") for line in lines(data / "uservisits")]
    for query, bound in (("1a", 1000), ("1b", 100), ("1c", 10)):
        kept = sorted(f"{url},{rank}" for url, rank in rankings.items() if rank > bound)
        assert sorted(lines(output / query)) == kept and answers[query]["rows"] == len(kept)

    for query, length in (("2a", 8), ("2b", 10), ("2c", 12)):
        revenue = defaultdict(float)
        for visit in visits:
            revenue[visit[0][:length]] += float(visit[3])
        found = {prefix: float(total) for prefix, total in (line.split(",") for line in lines(output / query))}
        assert found.keys() == revenue.keys() and all(abs(found[p] - revenue[p]) < 1e-7 for p in found)
        assert answers[query]["rows"] == len(found) and close(answers[query]["revenue"], sum(found.values()))

    for query, end in (("3a", "1980-04-01"), ("3b", "1983-01-01"), ("3c", "2010-01-01")):
        revenue, ranks = defaultdict(float), defaultdict(list)
        for ip, url, day, paid, *_ in visits:
            if "1980-01-01" <= day <= end and url in rankings:
                revenue[ip] += float(paid)
                ranks[ip].append(rankings[url])
        best = max(revenue, key=revenue.get)
        answer = answers[query]
        assert answer["sourceIP"] == best and abs(answer["totalRevenue"] - revenue[best]) < 1e-7
        assert close(answer["avgPageRank"], sum(ranks[best]) / len(ranks[best]))

    links = Counter(part.split('"')[0] for line in lines(data / "documents") for part in line.split('href="')[1:])
    counted = dict(line.rsplit(",", 1) for line in lines(output / "4"))
    assert counted == {url: str(count) for url, count in links.items()} and answers["4"]["rows"] == len(links)
    assert len(links.keys() & rankings.keys()) == len(links) > 100


def test_queries(tmp_path, data, output, benchmark="tpch"):
    """Spark's answers are DuckDB's, of the same texts on the same tables; of averages of decimals (q1, q8), which Spark rounds, the rows."""
    duckdb = pytest.importorskip("duckdb")
    made, texts = tmp_path / "made", queries(benchmark)
    made.mkdir()
    generate(benchmark, 0.01, made)
    (result,) = series("queries", data, output, f"--from {made}", f"--queries {texts} --reduce-partitions 2")
    with duckdb.connect() as database:
        database.execute("SET default_null_order = 'nulls_first_on_asc_last_on_desc'")
        for table in made.iterdir():
            database.execute(f"CREATE VIEW {table.stem} AS FROM '{table}'")
        expected = []
        for name in QUERIES[benchmark]:
            rows = database.execute((texts / f"{name}.sql").read_text()).fetchall()
            texts_of_rows = ("|".join(f"{v:.6g}" if isinstance(v, (float, Decimal)) else str(v) for v in row) for row in rows)
            expected.append([len(rows), sum(zlib.crc32(text.encode()) for text in texts_of_rows) % (1 << 32)])

    def told(answers):
        return {name: rows if name in ("q1", "q8") else (rows, digest) for name, (rows, digest) in zip(QUERIES[benchmark], answers, strict=True)}

    assert told(result["answer"]) == told(expected)
