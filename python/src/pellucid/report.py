"""Reports on a running application, or on an event log."""

import html
import json
import subprocess
import tempfile
from functools import cached_property
from pathlib import Path

from pellucid.command import command
from pellucid.session import refuse


class Report:
    """What `pellucid report` says. In a notebook it shows itself as the page; `print` has the text, `json` the numbers by name
    (docs/report-schema.md), and `save(file)` writes the page."""

    def __init__(self, text, numbers, page):
        self._text = text
        self._numbers = numbers
        self._page = page

    @cached_property
    def json(self):
        return json.loads(self._numbers)

    def save(self, file):
        Path(file).write_text(self._page, encoding="utf-8")

    def __str__(self):
        return self._text

    __repr__ = __str__

    def _repr_html_(self):
        return f'<iframe title="Pellucid report" srcdoc="{html.escape(self._page)}" style="width: 100%; height: 50rem; border: 0"></iframe>'


def report(spark_or_log):
    """Of a session that runs with the plugin, up to now; or of an event log: a file, or a folder with the parts of one."""
    if isinstance(spark_or_log, (str, Path)):
        return _of_log(str(spark_or_log))
    return _of_session(spark_or_log)


def _of_session(spark):
    from py4j.java_gateway import JavaClass

    refuse(spark)
    live = spark.sparkContext._jvm.org.apache.spark.pellucid.LiveTab  # a package where there is no such class
    told = live.now() if isinstance(live, JavaClass) else None
    if told is None:
        raise RuntimeError("this Spark application runs without Pellucid's plugin, or with spark.pellucid.ui=false: see pellucid.start")
    return Report(*told)


def _of_log(log):
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "page.html"
        text = _run("report", log, "--html", str(page))
        numbers = _run("report", log, "--json")
        said = text.rpartition("\nThe page is in ")[0]
        return Report(said, numbers, page.read_text(encoding="utf-8"))


def _run(*arguments):
    done = subprocess.run(command(*arguments, encoding="UTF-8"), capture_output=True, text=True, encoding="utf-8")
    if done.returncode != 0:
        raise ValueError(done.stderr.strip().removeprefix("pellucid: ") or f"pellucid ended with status {done.returncode}")
    return done.stdout
