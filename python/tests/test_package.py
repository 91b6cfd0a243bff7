"""The installed package with a stock PySpark. Run with both on the path: `make test-python`."""

import json
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

LOG = Path(__file__).parents[2] / "core" / "src" / "test" / "logs" / "spark-4.3.0-zstd.zstd"

SESSION = """
import json, sys
import pellucid
from pyspark.sql import SparkSession

def refused(session, why):
    for wrong in (pellucid.start, pellucid.report):
        try:
            wrong(session)
        except RuntimeError as error:
            assert why in str(error), error
        else:
            raise AssertionError("it should have failed")

builder = SparkSession.builder.master("local[2]").appName("from Python").config("spark.ui.enabled", "false")
if "after another" in sys.argv:
    plain = builder.getOrCreate()
    refused(plain, "runs without Pellucid's plugin")
    plain.stop()
spark = pellucid.start(builder)
assert pellucid.start(spark) is spark
assert spark.sparkContext.getConf().get("spark.plugins") == "pellucid.PellucidPlugin"
spark.range(0, 100000, 1, 3).selectExpr("sum(hash(id))").collect()
spark.sparkContext._jsc.sc().listenerBus().waitUntilEmpty()
report = pellucid.report(spark)
assert "from Python" in str(report) and "Where the task time went" in str(report)
assert report._repr_html_().startswith("<iframe") and "&lt;main id=&quot;page&quot;" in report._repr_html_()
report.save("page.html")
said = report.json
spark.stop()
refused(spark, "has been stopped")
print(json.dumps({"tasks": said["application"]["tasks"], "observed": len(said["machines"]) + len(said["paths"])}))
"""


def run(code, folder, *arguments, **environment):
    script = folder / "script.py"
    script.write_text(code)
    return subprocess.run(
        [sys.executable, str(script), *arguments], cwd=folder, capture_output=True, text=True, timeout=300, env=os.environ | environment
    )


@pytest.mark.parametrize("arguments", [[], ["after another"]], ids=["first session", "second session"])
def test_a_session_with_the_plugin_and_its_report(tmp_path, arguments):
    done = run(SESSION, tmp_path, *arguments)
    assert done.returncode == 0, done.stderr[-3000:]
    said = json.loads(done.stdout.splitlines()[-1])
    assert said["tasks"] >= 4 and said["observed"] > 0
    assert "<main id=" in (tmp_path / "page.html").read_text()


JARS = """
import sys
import pellucid
from pyspark.sql import SparkSession

builder = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
for jar in sys.argv[1:]:
    builder.config("spark.jars", jar)
spark = pellucid.start(builder)
print([jar.rpartition("/")[2] for jar in spark.sparkContext.getConf().get("spark.jars").split(",")])
print(spark.sparkContext._jvm.java.lang.Thread.currentThread().getContextClassLoader().getResource("other.txt") is not None)
"""


@pytest.mark.parametrize("place", ["--jars", "spark-defaults.conf"])
def test_jars_that_are_wanted_already_stay(place, tmp_path):
    with zipfile.ZipFile(tmp_path / "other.jar", "w") as jar:
        jar.writestr("other.txt", "here")
    shutil.copy(tmp_path / "other.jar", tmp_path / "mine.jar")
    mine = ["mine.jar"] if place == "--jars" else []  # which spark-submit's arguments replace, and which replaces its defaults
    if place == "--jars":
        environment = {"PYSPARK_SUBMIT_ARGS": f"--jars {tmp_path}/other.jar pyspark-shell"}
    else:
        (tmp_path / place).write_text(f"spark.jars\t{tmp_path}/other.jar\n")
        environment = {"SPARK_CONF_DIR": str(tmp_path)}
    done = run(JARS, tmp_path, *mine, **environment)
    assert done.stdout.splitlines() == [str(["other.jar", *mine, "pellucid-spark.jar"]), "True"], done.stderr[-3000:]


THREADS = """
import threading
import pellucid
from pyspark import SparkConf, SparkContext

context = SparkContext(conf=SparkConf().setMaster("local[1]").set("spark.ui.enabled", "false"))
def other():
    try:
        pellucid.start()
    except RuntimeError as error:
        print(error)
thread = threading.Thread(target=other)
thread.start()
thread.join()
"""


def test_a_running_context_without_the_plugin_is_an_error_in_every_thread(tmp_path):
    done = run(THREADS, tmp_path)
    assert "runs without Pellucid's plugin" in done.stdout, done.stderr[-3000:]


@pytest.mark.parametrize("remote", ["SparkSession.builder.remote('sc://localhost')", "SparkSession.builder"])
def test_spark_connect_is_told_that_the_plugin_belongs_to_the_server(remote, tmp_path):
    done = run(f"import pellucid; from pyspark.sql import SparkSession; pellucid.start({remote})", tmp_path,
               **({} if "remote" in remote else {"SPARK_REMOTE": "sc://localhost"}))  # fmt: skip
    assert done.returncode == 1 and done.stderr.splitlines()[-1].startswith("RuntimeError: this is Spark Connect"), done.stderr[-3000:]


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
