"""The installed package with a stock PySpark. Run with both on the path: `make test-python`."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

LOG = Path(__file__).parents[2] / "core" / "src" / "test" / "logs" / "spark-4.3.0-zstd.zstd"

SESSION = """
import json, sys
import pellucid
from pyspark.sql import SparkSession

builder = SparkSession.builder.master("local[2]").appName("from Python").config("spark.ui.enabled", "false")
if "after another" in sys.argv:
    plain = builder.getOrCreate()
    for wrong in (pellucid.start, pellucid.report):
        try:
            wrong(plain)
        except RuntimeError as error:
            assert "runs without Pellucid's plugin" in str(error), error
        else:
            raise AssertionError("it should have failed")
    plain.stop()
spark = pellucid.start(builder)
assert pellucid.start(spark) is spark
assert spark.sparkContext.getConf().get("spark.plugins") == "pellucid.PellucidPlugin"
spark.range(0, 100000, 1, 3).selectExpr("sum(hash(id))").collect()
report = pellucid.report(spark)
assert "from Python" in str(report) and "Where the task time went" in str(report)
assert report._repr_html_().startswith("<iframe") and "&lt;main id=&quot;page&quot;" in report._repr_html_()
report.save("page.html")
said = report.json
spark.stop()
print(json.dumps({"tasks": said["application"]["tasks"], "observed": len(said["machines"]) + len(said["paths"])}))
"""


def run(code, folder, *arguments):
    script = folder / "script.py"
    script.write_text(code)
    return subprocess.run([sys.executable, str(script), *arguments], cwd=folder, capture_output=True, text=True, timeout=300)


@pytest.mark.parametrize("arguments", [[], ["after another"]], ids=["first session", "second session"])
def test_a_session_with_the_plugin_and_its_report(tmp_path, arguments):
    done = run(SESSION, tmp_path, *arguments)
    assert done.returncode == 0, done.stderr[-3000:]
    said = json.loads(done.stdout.splitlines()[-1])
    assert said["tasks"] >= 4 and said["observed"] > 0
    assert "<main id=" in (tmp_path / "page.html").read_text()


def test_an_event_log():
    import pellucid

    report = pellucid.report(LOG)
    assert report.json["application"]["sparkVersion"] == "4.3.0"
    assert str(report).splitlines()[0] == report.json["application"]["name"]
    assert "The page is in" not in str(report)


def test_no_such_log(tmp_path):
    import pellucid

    with pytest.raises(ValueError, match="no such file or directory"):
        pellucid.report(tmp_path / "missing")
    (tmp_path / "text").write_text("hello\n")
    with pytest.raises(ValueError, match="text: no Spark event log"):
        pellucid.report(tmp_path / "text")


def test_the_command():
    command = Path(__file__).parents[2] / "target" / "python" / "bin" / "pellucid"
    environment = {"PYTHONPATH": str(command.parents[1]), "PATH": "/usr/bin:/bin:/usr/local/bin"}
    done = subprocess.run([sys.executable, str(command), "report", str(LOG)], capture_output=True, text=True, env=environment)
    assert (done.returncode, "Spark 4.3.0" in done.stdout) == (0, True), done.stderr
    done = subprocess.run([sys.executable, str(command), "report"], capture_output=True, text=True, env=environment)
    assert done.returncode == 2
