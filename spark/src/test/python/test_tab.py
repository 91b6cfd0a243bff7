"""The tab in a real browser: in the UI of a running application, and in the History Server."""

import json
import os
import socket
import subprocess
import time
import urllib.request
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import sync_playwright
from test_versions import VERSIONS, report

from lab import software
from lab.config import Config

STAYING = Path(__file__).parent / "staying.py"


@pytest.fixture(scope="module")
def browser():
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        yield chromium
        chromium.close()


@contextmanager
def opened(browser, address):
    """A browser's tab with the page, in which no script fails and no policy is broken."""
    said = []
    tab = browser.new_page(viewport={"width": 1400, "height": 1000})
    tab.on("pageerror", lambda error: said.append(str(error)))
    tab.on("console", lambda message: said.append(message.text) if message.type == "error" else None)
    tab.goto(address)
    yield tab
    assert said == []
    tab.close()


@contextmanager
def running(version, folder):
    """The application while it waits: (address of its UI, its id, its event logs' folder, what it says)."""
    environment = environment_of(version)
    logs = folder / "logs"
    logs.mkdir()
    conf = {"spark.master": "local[2]", "spark.jars": str(software.JAR), "spark.plugins": "pellucid.PellucidPlugin", "spark.ui.port": str(free_port()),
            "spark.eventLog.enabled": "true", "spark.eventLog.dir": logs.as_uri(), "spark.sql.warehouse.dir": (folder / "warehouse").as_uri()}  # fmt: skip
    submit = [str(software.spark_home(version) / "bin" / "spark-submit"), *(x for k, v in conf.items() for x in ("--conf", f"{k}={v}"))]
    with open(folder / "stderr", "w") as stderr:
        process = subprocess.Popen([*submit, str(STAYING), str(folder)], env=environment, cwd=folder, stdout=subprocess.PIPE, stderr=stderr, text=True)
    try:
        started = process.stdout.readline().split()
        assert started[:1] == ["UI"], (folder / "stderr").read_text()[-3000:]
        yield started[1], started[2], logs, process.stdout
        (folder / "end").touch()
        assert process.stdout.read().splitlines()[-1].startswith("ANSWER [(0, ")
        assert process.wait(60) == 0
        assert "WARN pellucid" not in (folder / "stderr").read_text()
    finally:
        process.kill()


@contextmanager
def history_server(version, logs, folder):
    """Its address."""
    port = free_port()
    options = f"-Dspark.history.fs.logDirectory={logs.as_uri()} -Dspark.history.ui.port={port}"
    environment = environment_of(version) | {"SPARK_DAEMON_CLASSPATH": str(software.JAR), "SPARK_HISTORY_OPTS": options}
    command = [str(software.spark_home(version) / "bin" / "spark-class"), "org.apache.spark.deploy.history.HistoryServer"]
    with open(folder / "history", "w") as output:
        process = subprocess.Popen(command, env=environment, cwd=folder, stdout=output, stderr=output)
    try:
        soon(lambda: fetched(f"http://localhost:{port}/api/v1/applications") != [])
        yield f"http://localhost:{port}"
        assert "WARN pellucid" not in (folder / "history").read_text()
    finally:
        process.kill()


def environment_of(version):
    home = software.spark(version)
    return os.environ | {"PYSPARK_PYTHON": str(home / "bin" / "python"), "SPARK_HOME": str(software.spark_home(version)), "SPARK_LOCAL_IP": "127.0.0.1"}


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def soon(what, seconds=60):
    until = time.monotonic() + seconds
    while True:
        try:
            if what():
                return
        except OSError:
            pass
        assert time.monotonic() < until, "it did not come"
        time.sleep(0.2)


def fetched(address):
    with urllib.request.urlopen(address) as answer:
        return json.loads(answer.read())


def inside(tab):
    """The report in the tab, when it has been drawn."""
    frame = tab.frame_locator("#pellucid-report")
    frame.locator("h1").wait_for()
    return frame


@pytest.mark.parametrize("version", VERSIONS or [Config.spark_version])
def test_the_tab(version, browser, tmp_path):
    with running(version, tmp_path) as (ui, application, logs, said):
        with opened(browser, f"{ui}/jobs/") as tab:
            tab.locator("a.nav-link", has_text="Pellucid").click()
            page = inside(tab)
            assert page.locator("h1").inner_text() == "staying <b>here</b>"
            assert page.locator("header .figures").inner_text().split("\n")[:2][1] == "up to now"
            assert page.locator("#stages tbody tr").count() == 2
            tab.screenshot(path=tmp_path / "live.png")
            row = page.locator("#stages tbody tr").first
            row.click()
            (tmp_path / "more").touch()
            tab.get_by_role("button", name="Load again").wait_for()  # details that are read stay
            assert page.locator("#stages tr.detail").count() == 1
            row.click()
            soon(lambda: page.locator("#stages tbody tr").count() > 2)  # by itself
            assert said.readline() == "MORE\n"
            soon(lambda: [job["ended"] for job in fetched(f"{ui}/pellucid/report/report.json")["jobs"]] == [True] * 3)
            live = fetched(f"{ui}/pellucid/report/report.json")
    assert live["application"]["id"] == application and not live["application"]["ended"]

    (log,) = logs.iterdir()
    command = report(log)
    # the same tasks, told by the running application and by its log
    for key in ("breakdown", "demand", "paths", "stragglers"):
        assert live[key] == command[key], key

    with history_server(version, logs, tmp_path) as server:
        address = f"{server}/history/{application}"
        with opened(browser, f"{address}/pellucid/") as tab:
            page = inside(tab)
            assert page.locator("header .figures").inner_text().split("\n")[1] == "duration"
            page.locator("#timeline-section canvas").first.wait_for()
            tab.screenshot(path=tmp_path / "history.png")
        assert fetched(f"{address}/pellucid/report/report.json") == command
