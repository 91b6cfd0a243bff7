"""The small Spark jobs behind the test logs. `generate.py` runs this file; see there.

    python jobs.py run JOB --spark-home HOME --data-dir DIR [--conf KEY=VALUE ...]
    python jobs.py decode LOG=PLAIN ... --spark-home HOME

`run` executes one job of JOBS. `decode` turns a compressed log into plain text with Spark's own codecs.
`skewed_group_by` and `mixed` are plain SQL and run on every Spark; the others need a PySpark that this Python imports.
"""

import argparse
import os
import signal
import struct
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

READY_SECONDS = 60


# --- Two ways to a session ------------------------------------------------------------------------------------------


def start_gateway(spark_home, conf):
    """A JVM with Spark's Python gateway, without importing pyspark: old ones fail to import on new Pythons."""
    from py4j.java_gateway import GatewayParameters, JavaGateway

    connection = Path(tempfile.mkdtemp()) / "connection"
    flags = [word for key, value in conf.items() for word in ("--conf", f"{key}={value}")]
    environment = {**os.environ, "SPARK_HOME": spark_home, "_PYSPARK_DRIVER_CONN_INFO_PATH": str(connection)}
    command = [f"{spark_home}/bin/spark-submit", *flags, "pyspark-shell"]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, env=environment)
    deadline = time.monotonic() + READY_SECONDS
    while not connection.exists():
        if process.poll() is not None or time.monotonic() > deadline:
            sys.exit(f"no gateway from {spark_home}")
        time.sleep(0.1)
    port, length = struct.unpack(">ii", connection.read_bytes()[:8])
    token = connection.read_bytes()[8 : 8 + length].decode()
    return process, JavaGateway(gateway_parameters=GatewayParameters(port=port, auth_token=token, auto_convert=True))


class JvmSession:
    """SparkSession through py4j alone."""

    def __init__(self, spark_home, conf):
        self.process, self.gateway = start_gateway(spark_home, conf)
        self.jvm = self.gateway.jvm
        self.spark = self.jvm.org.apache.spark.sql.SparkSession.builder().getOrCreate()

    def describe(self, text):
        self.spark.sparkContext().setJobDescription(text)

    def sql(self, text):
        self.spark.sql(text).collect()

    def stop(self):
        self.spark.stop()
        self.gateway.shutdown()
        self.process.stdin.close()
        self.process.wait()


class PySession:
    """SparkSession through PySpark."""

    def __init__(self, spark_home, conf):
        from pyspark.sql import SparkSession

        builder = SparkSession.builder
        for key, value in conf.items():
            builder = builder.config(key, value)
        self.spark = builder.getOrCreate()
        self.sc = self.spark.sparkContext
        self.jvm = self.sc._jvm

    def describe(self, text):
        self.sc.setJobDescription(text)

    def sql(self, text):
        self.spark.sql(text).collect()

    def stop(self):
        self.spark.stop()


# --- Jobs -----------------------------------------------------------------------------------------------------------


def write_table(session, data, name, columns, query):
    """A Parquet folder and a view on it. The schema is given, so no job has to infer it."""
    session.sql(f"INSERT OVERWRITE DIRECTORY '{data}/{name}' USING parquet {query}")
    session.sql(f"CREATE TEMPORARY VIEW {name} ({columns}) USING parquet OPTIONS (path '{data}/{name}')")


def skewed_group_by(session, data):
    """80 % of the rows have k = 0: their window is one task."""
    session.describe("Write sales")
    skew = "CASE WHEN id % 10 < 8 THEN 0 ELSE id % 100 END"
    rows = f"SELECT id, {skew} AS k, id * 0.5D AS amount FROM range(0, 20000, 1, 4)"
    write_table(session, data, "sales", "id BIGINT, k BIGINT, amount DOUBLE", rows)
    session.describe("Skewed group-by")
    steps = "SELECT amount - lag(amount) OVER (PARTITION BY k ORDER BY id) AS step FROM sales"
    session.sql(f"SELECT avg(step) FROM ({steps})")


def mixed(session, data):
    """Parquet tables, the skewed group-by, a sort-merge join, a cached RDD used twice, an output."""
    skewed_group_by(session, data)
    session.describe("Write names")
    names = "SELECT id AS k, concat('name-', id) AS name FROM range(0, 100, 1, 2)"
    write_table(session, data, "names", "k BIGINT, name STRING", names)
    session.describe("Join")
    session.sql("SELECT name, sum(amount) FROM sales JOIN names USING (k) GROUP BY name")
    session.describe("Cache")
    session.sql("CACHE TABLE big AS SELECT k, amount FROM sales WHERE amount > 5000")
    session.describe("Write the cached rows")
    session.sql(f"INSERT OVERWRITE DIRECTORY '{data}/output' USING parquet SELECT * FROM big DISTRIBUTE BY k")


def rolling(session, data):
    """Spark rolls at 10 MiB at least, so long descriptions fill the files; they compress to almost nothing."""
    for number in range(10):
        session.describe(f"Count {number} " + "because Spark rolls a log at 10 MiB at least " * 16_000)
        session.sc.parallelize(range(1000), 4).map(lambda i: (i % 3, i)).reduceByKey(max, 2).collect()


def failed_tasks(session, data):
    """Job 0: two tasks fail once and are retried. Job 1: one task fails four times, which fails the job."""
    from pyspark import TaskContext

    def fails_first(index, rows):
        if index in (1, 4) and TaskContext.get().attemptNumber() == 0:
            raise ValueError("fails the first time")
        return rows

    def fails_always(index, rows):
        if index == 2:
            raise ValueError("fails every time")
        return rows

    session.describe("Two tasks fail once")
    numbers = session.sc.parallelize(range(4000), 8)
    numbers.mapPartitionsWithIndex(fails_first).map(lambda i: (i % 5, i)).reduceByKey(max, 4).collect()
    session.describe("One task fails every time")
    try:
        numbers.mapPartitionsWithIndex(fails_always).count()
    except Exception as error:  # each version raises its own class
        print("the job failed, as it should:", type(error).__name__)


def kill_own_executor():
    """kill -9 of the JVM above this Python worker: worker -> daemon -> executor."""
    daemon = os.getppid()
    executor = int(Path(f"/proc/{daemon}/stat").read_text().rsplit(")", 1)[1].split()[1])
    os.kill(executor, signal.SIGKILL)
    time.sleep(60)


def executor_lost(session, data):
    """Job 0: an executor dies in the map stage, after finishing tasks. Job 1: one dies in the reduce stage."""
    from pyspark import TaskContext

    def dies_in(partition):
        def run(index, rows):
            time.sleep(0.5)
            context = TaskContext.get()
            if index == partition and context.attemptNumber() == 0 and not marker.exists():
                marker.touch()
                kill_own_executor()
            return rows

        marker = Path(data) / f"died-{partition}"
        return run

    numbers = session.sc.parallelize(range(4000), 8)
    pairs = numbers.map(lambda i: (i % 50, i))
    session.describe("An executor dies in the map stage")
    numbers.mapPartitionsWithIndex(dies_in(5)).map(lambda i: (i % 50, i)).reduceByKey(max, 4).collect()
    session.describe("An executor dies in the reduce stage")
    pairs.groupByKey(6).mapPartitionsWithIndex(dies_in(3)).count()
    time.sleep(2)


def speculation(session, data):
    """One task sleeps unless it is a copy: the copy wins and the first attempt is killed."""
    from pyspark import TaskContext

    def slow_once(index, rows):
        time.sleep(30 if index == 5 and TaskContext.get().attemptNumber() == 0 else 0.3)
        return rows

    session.describe("One straggler")
    numbers = session.sc.parallelize(range(4000), 10)
    numbers.mapPartitionsWithIndex(slow_once).map(lambda i: (i % 5, i)).reduceByKey(max, 4).collect()
    time.sleep(5)  # until the killed attempt has reported


def concurrent_jobs(session, data):
    """Two threads, one job each, in two fair pools and two job groups."""
    def count(pool):
        session.sc.setLocalProperty("spark.scheduler.pool", pool)
        session.sc.setJobGroup(f"group-{pool}", f"Count in pool {pool}")
        slow = session.sc.parallelize(range(4000), 8).map(lambda i: (time.sleep(0.0003), i % 5))
        slow.map(lambda pair: (pair[1], 1)).reduceByKey(lambda a, b: a + b, 4).collect()

    threads = [threading.Thread(target=count, args=(pool,)) for pool in ("reports", "interactive")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def streaming(session, data):
    """Four micro-batches, one file each, with a stateful count."""
    skewed_group_by(session, data)
    session.describe(None)
    sales = session.spark.readStream.schema("id long, k long, amount double").option("maxFilesPerTrigger", 1)
    counts = sales.parquet(f"{data}/sales").groupBy("k").count()
    query = counts.writeStream.queryName("counts").outputMode("complete").format("noop")
    query.option("checkpointLocation", f"{data}/checkpoint").trigger(availableNow=True).start().awaitTermination()


def die_after(session, completed):
    """kill -9 of the driver once the running stage has completed so many of its tasks."""
    tracker, driver = session.sc.statusTracker(), session.jvm.java.lang.ProcessHandle.current().pid()
    while not any(tracker.getStageInfo(stage).numCompletedTasks >= completed for stage in tracker.getActiveStageIds()):
        time.sleep(0.02)
    os.kill(driver, signal.SIGKILL)
    os._exit(0)


def killed(session, data, completed=5):
    """The driver dies in the middle of a job."""

    def slow(i):
        time.sleep(0.002)
        return i % 5, i

    threading.Thread(target=die_after, args=(session, completed)).start()
    session.describe("Killed in the middle")
    session.sc.parallelize(range(8000), 80).map(slow).reduceByKey(max, 4).collect()


def killed_late(session, data):
    """A complete job, then one that dies after a block of zstd (128 KB) is logged: the cut is inside a frame."""
    session.describe("Completed")
    session.sc.parallelize(range(1000), 4).map(lambda i: (i % 3, i)).reduceByKey(max, 2).collect()
    killed(session, data, completed=45)


JOBS = {
    job.__name__: job
    for job in (
        skewed_group_by, mixed, rolling, failed_tasks, executor_lost,
        speculation, concurrent_jobs, streaming, killed, killed_late,
    )
}


# --- Decoding -------------------------------------------------------------------------------------------------------


def decode(session, log, plain):
    """What the History Server does to read a log, then a copy to a file."""
    jvm = session.jvm
    path = jvm.org.apache.hadoop.fs.Path(str(Path(log).resolve()))
    file_system = path.getFileSystem(session.spark.sparkContext().hadoopConfiguration())
    stream = jvm.org.apache.spark.deploy.history.EventLogFileReader.openEventLog(path, file_system)
    jvm.org.apache.commons.io.FileUtils.copyInputStreamToFile(stream, jvm.java.io.File(str(Path(plain).resolve())))


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(dest="command", required=True)
    run = commands.add_parser("run")
    run.add_argument("job", choices=JOBS)
    run.add_argument("--data-dir", required=True)
    run.add_argument("--conf", action="append", default=[], metavar="KEY=VALUE")
    run.add_argument("--without-pyspark", action="store_true", help="drive the JVM through py4j alone")
    decoding = commands.add_parser("decode")
    decoding.add_argument("pairs", nargs="+", metavar="LOG=PLAIN")
    for command in (run, decoding):
        command.add_argument("--spark-home", required=True)
    return parser.parse_args()


def main():
    arguments = parse_arguments()
    if arguments.command == "decode":
        session = JvmSession(arguments.spark_home, {"spark.master": "local[1]", "spark.ui.enabled": "false"})
        for pair in arguments.pairs:
            decode(session, *pair.split("="))
    else:
        conf = dict(pair.split("=", 1) for pair in arguments.conf)
        session = (JvmSession if arguments.without_pyspark else PySession)(arguments.spark_home, conf)
        JOBS[arguments.job](session, arguments.data_dir)
    session.stop()


if __name__ == "__main__":
    main()
