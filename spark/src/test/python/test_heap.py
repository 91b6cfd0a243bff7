"""Executors with little heap: what stock Spark has memory enough for, monotasks have, with no more tasks that fail."""

import json
from pathlib import Path

import pytest
from test_versions import CASES, VERSIONS, report, run, said_by_executors

HEAP = Path(__file__).parent / "heap.py"
SMALL = ["sort=150", "rows=16"]
LARGE = ["sort=600", "rows=16", "rows=20"]


def events(log):
    with open(log) as lines:
        return [json.loads(line) for line in lines if line.startswith('{"Event":"SparkListenerTaskEnd"')]


def failures(log):
    return [event["Task End Reason"]["Reason"] for event in events(log) if event["Task End Reason"]["Reason"] != "Success"]


def spilled(log):
    return sum(event.get("Task Metrics", {}).get("Disk Bytes Spilled", 0) for event in events(log))


SETTINGS = {"spark.executor.memory": "512m", "spark.eventLog.compress": "false", "spark.pellucid.monotasks": "true"}
EACH_VERSION = sorted({version for version, _ in CASES})


@pytest.mark.parametrize("version", EACH_VERSION)
def test_what_stock_spark_has_heap_enough_for_monotasks_have(version, tmp_path):
    ran = {}
    for name in ("stock", "monotasks"):
        (tmp_path / name).mkdir()
        settings = SETTINGS | {"spark.local.dir": tmp_path / "local"}
        answer, _, log = run(version, "local-cluster[1,2,512]", tmp_path / name, name == "monotasks", HEAP, LARGE if VERSIONS else SMALL, settings)
        said = said_by_executors(version, log)
        assert not [text for text in said if "WARN pellucid" in text]
        ran[name] = answer, failures(log)
        assert spilled(log) > 10_000_000
        assert ("monotasks" in report(log)) == (name == "monotasks")
    assert ran["monotasks"][0] == ran["stock"][0]
    assert len(ran["monotasks"][1]) <= len(ran["stock"][1]), ran["monotasks"][1]


@pytest.mark.parametrize("version", EACH_VERSION)
def test_in_place_of_an_executor_that_was_lost_for_memory_comes_one_without_monotasks(version, tmp_path):
    settings = SETTINGS | {"spark.task.maxFailures": "1"}
    answer, stderr, log = run(version, "local-cluster[1,2,512]", tmp_path, True, HEAP, ["sort=10", "fails=600", "rows=16"], settings)
    assert answer[1] == "ANSWER fails True" and len(answer) == 5
    (warning,) = [line for text in (stderr, *said_by_executors(version, log)) for line in text.splitlines() if "WARN pellucid" in line]
    assert "start from now on have no monotasks" in warning
    told = [event for event in events(log) if event["Task End Reason"]["Reason"] != "ExecutorLostFailure"]  # by itself
    with_monotasks = {event["Task Info"]["Executor ID"]: "pellucid" in json.dumps(event) and "cpu=" in json.dumps(event) for event in told}
    assert with_monotasks == {"0": True, "1": False}
