"""The plugin with stock Spark from PyPI: the same answers, every task observed, no warning.

    pytest spark/src/test/python                        (the lab's Spark)
    VERSIONS="4.0.5 4.1.4 4.3.0" pytest ...             (each of them, and the killing of executors and tasks)
"""

import ast
import json
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest

from bench.tables import queries, tables
from lab import software
from lab.config import Config

JOB = Path(__file__).parent / "job.py"
ANSWERS = Path(__file__).parent / "answers.py"
KILLING = Path(__file__).parent / "killing.py"
PAUSES = Path(__file__).parent / "pauses.py"
SQL = Path(__file__).parent / "sql.py"
UNKNOWN = "3.5.7"
VERSIONS = os.environ.get("VERSIONS", "").split()
WAYS = {"stock": {}, "observed": {"spark.pellucid.monotasks": "false"}, "monotasks": {"spark.pellucid.monotasks": "true"}}
CASES = [(v, m) for v in VERSIONS or [Config.spark_version] for m in ("local[2]", "local-cluster[2,2,1024]")]
EACH = CASES[1::2] if VERSIONS else CASES[:1]  # one of a version: in a cluster, where there is time for it


def run(version, master, folder, plugin, job=JOB, arguments=(), conf=()):
    """(lines of its answer, standard error, event log)"""
    home = software.spark(version)
    logs = Path(tempfile.mkdtemp(prefix="log-", dir=folder))
    conf = dict(conf) | {
        "spark.master": master,
        "spark.ui.enabled": "false",
        "spark.eventLog.enabled": "true",
        "spark.eventLog.dir": logs.as_uri(),
        "spark.eventLog.rolling.enabled": "false",
        "spark.sql.shuffle.partitions": "3",
        "spark.sql.warehouse.dir": (folder / "warehouse").as_uri(),
    }
    if plugin:
        conf = {"spark.jars": str(software.JAR), "spark.plugins": "pellucid.PellucidPlugin"} | conf
    submit = [str(software.spark_home(version) / "bin" / "spark-submit"), *(x for k, v in conf.items() for x in ("--conf", f"{k}={v}"))]
    environment = os.environ | {"PYSPARK_PYTHON": str(home / "bin" / "python"), "PYTHONPATH": str(software.pandas()), "SPARK_LOCAL_IP": "127.0.0.1"}
    done = subprocess.run([*submit, str(job), str(folder / "data"), *arguments], env=environment, cwd=folder, capture_output=True, text=True, timeout=1500)
    assert done.returncode == 0, done.stderr[-3000:]
    answer = [line for line in done.stdout.splitlines() if line.startswith(("ANSWER", "FILES", "LEFT", "TIMES"))]
    return answer, done.stderr, next(logs.iterdir())


def said_by_executors(version, log):
    """What those of a cluster in one computer wrote to standard error; it is gone then."""
    work = software.spark_home(version) / "work" / log.name.partition(".")[0]
    said = [path.read_text() for path in work.glob("*/stderr")]
    shutil.rmtree(work, ignore_errors=True)
    return said


def nothing_went_wrong(*texts):
    for text in texts:
        assert "WARN pellucid" not in text
        assert not [line for line in text.splitlines() if "ERROR" in line and not told_to_end(line)]


def told_to_end(line):
    """An executor's last line, which may be cut short at any letter: the worker told it so, or has ended before it."""
    told = ("CoarseGrainedExecutorBackend: RECEIVED SIGNAL TERM", "WorkerWatcher: Lost connection to worker rpc endpoint")
    _, error, said = line.partition(" ERROR")
    return bool(error) and any(each.startswith(said.lstrip()[: len(each)]) for each in told)


def report(log):
    command = [str(software.REPOSITORY / "pellucid"), "report", str(log), "--json"]
    return json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


@pytest.mark.parametrize(("monotasks", "memory"), [(False, 0), (True, 0), (True, 0.25)], ids=["observed", "monotasks", "map output in memory"])
@pytest.mark.parametrize(("version", "master"), CASES)
def test_answers_are_stock_and_tasks_are_observed(version, master, monotasks, memory, tmp_path):
    stock, _, _ = run(version, master, tmp_path, plugin=False)
    conf = {"spark.pellucid.monotasks": str(monotasks).lower(), "spark.pellucid.monotasks.shuffleMemory": memory}
    ours, stderr, log = run(version, master, tmp_path, plugin=True, conf=conf)
    assert ours == stock
    executors = said_by_executors(version, log)
    assert len(executors) == (2 if "cluster" in master else 0)
    nothing_went_wrong(stderr, *executors)
    said = report(log)
    assert ("monotasks" in said) == monotasks
    if monotasks and "cluster" in master:
        (network,) = [use for use in said["monotasks"]["resources"] if use["resource"] == "network"]
        # what Python reads, another thread fetches
        assert 0 < network["bytes"] <= sum(path["bytes"] for path in said["paths"] if path["kind"] == "shuffleFetch")
    kinds = {path["kind"] for path in said["paths"]}
    files = {"shuffleWrite", "shuffleRead"}
    assert kinds >= {"input", "output"} and kinds & files == (set() if memory else files)
    assert ("shuffleFetch" in kinds) == ("cluster" in master)
    assert said["intake"]["notes"] == [] and said["intake"]["malformedLines"] == 0
    served = "cluster" in master and not memory
    assert (sum(machine["servedBytes"] for machine in said["machines"]) > 0) == served
    written = sum(path["bytes"] for path in said["paths"] if path["kind"] == "shuffleWrite")
    shuffled = said["demand"]["shuffleWriteBytes"]
    assert shuffled > 0 and written == (0 if memory else shuffled)


@pytest.mark.parametrize("version", VERSIONS or [Config.spark_version])
def test_executors_of_one_host_read_each_others_files_as_in_stock(version, tmp_path):
    """As on YARN, and wherever Spark does not say otherwise: of a cluster in one computer it does."""
    local = {"spark.shuffle.readHostLocalDisk": "true"}
    answers = {}
    for name, conf in WAYS.items():
        (tmp_path / name).mkdir()
        answers[name], stderr, log = run(version, "local-cluster[2,2,1024]", tmp_path / name, plugin=bool(conf), conf=conf | local)
        nothing_went_wrong(stderr, *said_by_executors(version, log))
    assert answers["observed"] == answers["monotasks"] == answers["stock"]


@pytest.mark.parametrize(("version", "master"), EACH)
def test_answers_from_files_memory_checkpoints_streams_and_workers_are_stock(version, master, tmp_path):
    answers = {}
    for name, conf in WAYS.items():
        (tmp_path / name).mkdir()
        answers[name], stderr, log = run(version, master, tmp_path / name, plugin=bool(conf), job=ANSWERS, conf=conf)
        nothing_went_wrong(stderr, *said_by_executors(version, log))
        assert ("monotasks" in report(log)) == (name == "monotasks")
    assert len(answers["stock"]) > 50
    assert answers["observed"] == answers["stock"]
    assert answers["monotasks"] == answers["stock"]


SCHEDULING = {
    "spark.task.cpus": {"spark.task.cpus": "2"},
    "dynamic allocation": {"spark.dynamicAllocation.enabled": "true", "spark.dynamicAllocation.shuffleTracking.enabled": "true",
                           "spark.dynamicAllocation.shuffleTracking.timeout": "1s", "spark.dynamicAllocation.executorIdleTimeout": "1s",
                           "spark.dynamicAllocation.maxExecutors": "2"},
}  # fmt: skip


@pytest.mark.parametrize("name", SCHEDULING)
@pytest.mark.parametrize("version", VERSIONS or [Config.spark_version])
def test_tasks_of_several_cores_and_executors_that_come_and_go(version, name, tmp_path):
    answers, are_moved = {}, name == "dynamic allocation"
    for way in ("stock", "monotasks"):
        (tmp_path / way).mkdir()
        conf = WAYS[way] | SCHEDULING[name] | {"spark.eventLog.compress": "false"}
        pause = "4" if are_moved else "0"
        answers[way], stderr, log = run(version, "local-cluster[2,2,1024]", tmp_path / way, bool(WAYS[way]), PAUSES, [pause], conf)
        assert not [text for text in (stderr, *said_by_executors(version, log)) if "WARN pellucid" in text]
    assert answers["monotasks"] == answers["stock"]
    assert ("monotasks" in report(log)) == are_moved
    text = log.read_text()
    came, gone = (text.count(f'{{"Event":"SparkListenerExecutor{what}"') for what in ("Added", "Removed"))
    assert (came > 2 and gone > 1) == are_moved, (came, gone)


@pytest.mark.parametrize("version", VERSIONS or [Config.spark_version])
def test_answers_of_tpch_and_tpcds_are_stock(version, tmp_path):
    """22 queries, and where there is time for it 20 more."""
    benchmarks = ("tpch", "tpcds") if VERSIONS else ("tpch",)
    folders = [str(folder) for name in benchmarks for folder in (tables(name, 0.1), queries(name))]
    answers = {}
    for name in ("stock", "monotasks"):
        conf = WAYS[name]
        answers[name], stderr, log = run(version, "local-cluster[2,2,1024]", tmp_path, plugin=bool(conf), job=SQL, arguments=folders, conf=conf)
        nothing_went_wrong(stderr, *said_by_executors(version, log))
        assert ("monotasks" in report(log)) == (name == "monotasks")
    rows = [int(line.split()[3]) for line in answers["stock"]]
    assert len(rows) == (42 if VERSIONS else 22) and rows.count(0) <= 2
    assert answers["monotasks"] == answers["stock"]


@pytest.mark.skipif(not VERSIONS, reason="600 MB to fetch: `make matrix`")
@pytest.mark.parametrize("master", ["local[2]", "local-cluster[2,2,1024]"])
def test_a_spark_that_is_not_known_is_left_alone_with_one_warning(master, tmp_path):
    """One of another Scala, even."""
    stock, _, _ = run(UNKNOWN, master, tmp_path, plugin=False)
    ours, stderr, log = run(UNKNOWN, master, tmp_path, plugin=True, conf={"spark.pellucid.monotasks": "true"})
    assert ours == stock
    assert [line.partition("WARN ")[2] for line in stderr.splitlines() if "ellucid" in line and "WARN" in line] == [
        f"pellucid: Pellucid: Spark {UNKNOWN} is not one of 4.0, 4.1, 4.2, 4.3: Pellucid leaves it alone"
    ]
    assert not [text for text in said_by_executors(UNKNOWN, log) if "ellucid: " in text]


@pytest.fixture(scope="module")
def stock_leaves(tmp_path_factory):
    """Kinds of unfinished files that stock Spark leaves behind when its tasks are killed."""
    return kill(tmp_path_factory.mktemp("stock"), plugin=False)[0]


@pytest.mark.skipif(not VERSIONS, reason="minutes: `make matrix`")
@pytest.mark.parametrize("monotasks", [False, True], ids=["observed", "monotasks"])
def test_a_hundred_jobs_while_executors_and_tasks_are_killed(monotasks, stock_leaves, tmp_path):
    leaves, texts, log = kill(tmp_path, plugin=True, conf={"spark.pellucid.monotasks": str(monotasks).lower()})
    assert leaves <= stock_leaves
    assert not [text for text in texts if "WARN pellucid" in text or "so far)" in text]
    said = report(log)
    assert ("monotasks" in said) == monotasks
    assert said["intake"]["notes"] == [] and said["intake"]["malformedLines"] == 0
    assert all(job["failure"] is None for job in said["jobs"] if "failure" in job)


def kill(folder, plugin, conf=()):
    """(kinds of unfinished files that are left while it lives, what it and its executors wrote to standard error, event log)"""
    local = folder / "local"
    patient = {"spark.task.maxFailures": "1000", "spark.stage.maxConsecutiveAttempts": "1000", "spark.deploy.maxExecutorRetries": "-1",
               "spark.local.dir": local, "spark.jars": software.JAR} | dict(conf)  # fmt: skip
    said, stderr, log = run(Config.spark_version, "local-cluster[2,2,1024]", folder, plugin, KILLING, ["7"], patient)
    executors = said_by_executors(Config.spark_version, log)
    answer, files = said
    assert answer == "ANSWER 100 True True 2 []", stderr[-2000:]
    assert len(executors) > 2
    assert not [path for path in local.rglob("*") if path.is_file()]
    return set(ast.literal_eval(files.removeprefix("FILES "))), [stderr, *executors], log
