"""What `make demo` shows, of a small web shop."""

import json
import subprocess
from pathlib import Path

from lab import software
from lab.config import Config

PELLUCID = software.REPOSITORY / "pellucid"


def test_the_demo_shows_its_job_as_stock_and_as_monotasks_side_by_side(tmp_path):
    logs = {}
    for way, more in {"stock": [], "monotasks": ["--monotasks", software.JAR]}.items():
        python = software.spark(Config.spark_version) / "bin" / "python"
        workload = Path(__file__).parent / "workload.py"
        done = subprocess.run(
            [python, workload, "--log-dir", tmp_path / way, "--work-dir", tmp_path / "work", "--orders", "100000", *more], capture_output=True, text=True
        )
        assert done.returncode == 0, done.stdout + done.stderr
        assert done.stdout.count("] ") == 8
        assert "pellucid" not in (tmp_path / "work" / "pellucid-demo" / "spark.log").read_text()
        (logs[way],) = (tmp_path / way).iterdir()
    said = {way: json.loads(pellucid("report", log, "--json", "--html", tmp_path / f"{way}.html")) for way, log in logs.items()}
    assert "monotasks" not in said["stock"]
    resources = {use["resource"]: use for use in said["monotasks"]["monotasks"]["resources"]}
    assert resources.keys() >= {"cpu", "network"} and all(use["monotasks"] > 0 for use in resources.values())
    compared = json.loads(pellucid("compare", logs["stock"], logs["monotasks"], "--json"))
    assert [compared[run]["id"] for run in ("before", "after")] == [said[way]["application"]["id"] for way in ("stock", "monotasks")]
    assert compared["onlyBefore"] == compared["onlyAfter"] == []
    bound = {run: {stage[f"{run}Bound"] for stage in compared["stages"]} for run in ("before", "after")}
    assert len(compared["stages"]) > 10 and bound["after"] <= resources.keys() and not bound["before"] & resources.keys(), bound
    for way in ("stock", "monotasks"):
        assert ('"monotasks":{' in (tmp_path / f"{way}.html").read_text()) == (way == "monotasks")


def pellucid(*words):
    return subprocess.run([PELLUCID, *words], capture_output=True, text=True, check=True).stdout
