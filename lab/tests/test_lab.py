"""A lab of two machines with HDFS and Spark: it comes up, does what it says, and leaves nothing behind. Wants root on Linux."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import zlib
from collections import Counter
from pathlib import Path

import pytest

from lab import check, cluster, experiment, software, state
from lab.cluster import Cluster, LabError, down, up
from lab.tests.traces import inhabitants, throttle_rules, traces

NAME = "test"
CONFIG = {
    "name": NAME,
    "machines": 2,
    "machine": {"cpu": 0.8, "page_cache": "64MB", "nic": "100mbit", "executor_memory": "512MB",
                "disk": [{"kind": "ssd", "speed": 0.2, "size": "1GB"}]},
    "hdfs": {"block": "1MB"},
}  # fmt: skip
WHY_NOT = cluster.why_not()

pytestmark = pytest.mark.skipif(WHY_NOT is not None, reason=WHY_NOT or "")


@pytest.fixture(scope="module")
def lab():
    down(NAME)
    yield up(CONFIG)
    down(NAME)


def closest(measure, tries=3):
    """The measurement with the smallest error: what else the computer does only ever takes away from a limit."""
    best = None
    for _ in range(tries):
        rows = measure()
        if best is None or check.worst(rows) < check.worst(best):
            best = rows
        if check.worst(best) <= check.TOLERANCE:
            break
    return best


def test_limits_are_what_they_say(lab):
    # a busy computer may give less CPU than the limit allows; the rest is exact
    rows = closest(lambda: [row for row in check.measure(lab, quick=True) if row.what != "cpu"])
    assert {row.what for row in rows} >= {"nic.in", "nic.out", "disk1.read 30 KB", "disk1.write 1 MB", "page_cache"}
    assert check.worst(rows) <= check.TOLERANCE, check.table(rows)


def test_limits_change_while_it_runs(lab):
    lab.set("m1", {"nic": "10mbit", "disk1.read": "2MB/s"})
    time.sleep(3)  # what the queues held before has to go out first
    try:
        rows = closest(lambda: check._nic(lab, "m1", 3))  # a lost segment costs one connection a part of its window
        assert [row.what for row in rows] == ["nic.in", "nic.out"]
        for row in rows:
            assert row.measured == pytest.approx(10e6, rel=0.15)
        rows = {(r.machine, r.what): r for r in closest(lambda: check._disk(lab, 0, [1 << 20], 1.5))}
        assert rows["m1", "disk1.read 1 MB"].measured == pytest.approx(2 << 20, rel=0.15)
        assert rows["m2", "disk1.read 1 MB"].measured == pytest.approx(0.2 * 480 * 2**20, rel=0.15)
    finally:
        lab.set("m1", {"nic": "100mbit", "disk1": "ssd*0.2"})


JOB = """
from pyspark.sql import SparkSession
spark = SparkSession.builder.getOrCreate()
spark.range(0, 300000, 1, 4).selectExpr("id", "repeat(id, 4) text").write.mode("overwrite").csv("/numbers")
hosts = spark.sparkContext.parallelize(range(4), 4).map(lambda _: __import__("socket").gethostname()).distinct().collect()
print(spark.read.csv("/numbers").count(), sorted(hosts))
"""


# the executor that comes first would get all tasks of the job
ON_ALL = """
import socket, time
from pyspark.sql import SparkSession
def host(_):
    time.sleep(0.2)
    return socket.gethostname()
while len(set(SparkSession.builder.getOrCreate().sparkContext.parallelize(range(4), 4).map(host).collect())) < {machines}:
    pass
"""


def submit(lab, tmp_path, job, *settings):
    """Runs a job of PySpark, once tasks run on all machines, with `--conf` before each of `settings`."""
    file = tmp_path / "job.py"
    file.write_text(ON_ALL.format(machines=len(lab.machines)) + job)
    line = ["spark-submit", *(word for setting in settings for word in ("--conf", setting)), str(file)]
    return lab.run(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)


def submit_as_monotasks(lab, tmp_path, job, *settings):
    """The same; what it has printed, and its event log."""
    known = set(lab.events.iterdir())
    plugin = [f"{key}={value}" for key, value in experiment.PLUGIN.items()]
    done = submit(lab, tmp_path, job, *plugin, "spark.pellucid.monotasks=true", *settings)
    assert done.returncode == 0 and "Pellucid" not in done.stderr, done.stderr[-2000:]
    (log,) = set(lab.events.iterdir()) - known
    return done.stdout.split(), log.read_text()


def task_ends(log):
    return [json.loads(line) for line in log.splitlines() if '"SparkListenerTaskEnd"' in line]


def test_a_spark_job_reads_and_writes_hdfs(lab, tmp_path):
    before = lab.counters()
    done = submit(lab, tmp_path, JOB)
    assert done.stdout.strip() == "300000 ['m1', 'm2']", done.stderr[-2000:]
    lab.sync()
    after = lab.counters()
    written = sum(after[m]["disks"][0]["write_bytes"] - before[m]["disks"][0]["write_bytes"] for m in lab.machines)
    listed = lab.run(["hdfs", "dfs", "-du", "-s", "/numbers"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    size, with_replicas = map(int, listed.stdout.split()[:2])
    assert with_replicas == 2 * size  # replication 3 on two machines is 2
    assert written >= with_replicas
    assert len(list(lab.events.iterdir())) == 1
    assert lab.ended() == []
    assert 0 < lab.compiler_seconds() < sum(each["cpu_seconds"] for each in lab.counters().values())


# what is broadcast takes a NIC of 100 Mbit a third of a second
BROADCAST = """
from pyspark.sql import SparkSession
from pyspark.sql.functions import broadcast
spark = SparkSession.builder.getOrCreate()
spark.range(0, 400000, 1, 4).selectExpr("id", "repeat(id, 3) text").write.mode("overwrite").csv("/words")
words = spark.read.schema("id long, text string").csv("/words")
hashes = spark.range(0, 400000, 7).selectExpr("id", "sha2(string(id), 512) hash")
print(words.count(), *words.join(broadcast(hashes), "id").selectExpr("count(*)", "sum(length(hash))").first())
"""


def test_tasks_that_wait_for_a_broadcast_have_their_input_read(lab, tmp_path):
    printed, log = submit_as_monotasks(lab, tmp_path, BROADCAST)
    rows = -(-400000 // 7)
    assert printed == ["400000", str(rows), str(rows * 128)]
    # a task that has done nothing but compute before it takes a chunk that was read ahead
    assert re.search(r"\|\d+;[^;]+(;c[^;]+)+;i\d+(,\d+){4},-?\d+;", log)


# 12.8 MB of each, then read
FORMATS = """
from pyspark.sql import SparkSession
spark = SparkSession.builder.getOrCreate()
rows = spark.range(0, 50000, 1, 4).selectExpr("concat(sha2(string(id), 512), sha2(string(-id), 512)) value")
formats = ("text", "csv", "json", "orc", "parquet")
for name in formats:
    rows.write.option("compression", "none").format(name).save("/formats/" + name)
for name in formats:
    print(spark.read.schema("value string").format(name).load("/formats/" + name).selectExpr("sum(length(value))").head()[0])
print(spark.sparkContext.textFile("/formats/text")._jrdd.count())
"""
MONOTASKS = r"\|\d+;[^;|]+((?:;[a-z]\d+(?:,-?\d+)+)+)"  # of a task


def test_input_of_each_format_is_monotasks_which_take_few_bytes_of_the_log(lab, tmp_path):
    printed, log = submit_as_monotasks(lab, tmp_path, FORMATS)
    assert printed == ["12800000"] * 5 + ["50000"]
    read, of_monotasks = Counter(), Counter()
    for ended in task_ends(log):
        read[ended["Stage ID"]] += ended["Task Metrics"]["Input Metrics"]["Bytes Read"]
        of_monotasks[ended["Stage ID"]] += sum(map(int, re.findall(r";i\d+,(\d+)", json.dumps(ended))))
    assert len([stage for stage in read if read[stage] > 12_800_000]) == 6
    assert not {stage: size for stage, size in read.items() if size > 12_800_000 and of_monotasks[stage] < 0.9 * size}
    monotasks = sum(found[1].count(";") for found in re.finditer(MONOTASKS, log))
    with_them, without = (len(zlib.compress(text.encode())) for text in (log, re.sub(MONOTASKS, "", log)))
    assert monotasks > 100
    assert 0 < with_them - without <= 60 * monotasks


# a file of 24 MB that one machine has, which both read
ONE_REPLICA = """
from pyspark.sql import SparkSession
spark = SparkSession.builder.getOrCreate()
spark.sparkContext._jsc.hadoopConfiguration().set("dfs.replication", "1")
spark.range(0, 100000, 1, 1).selectExpr("repeat(sha2(string(id), 512), 2) value").write.mode("overwrite").text("/one")
print(spark.sparkContext.textFile("/one", 4)._jrdd.count())
"""


def test_a_block_of_this_machine_comes_from_its_disk_and_one_of_another_through_the_network(lab, tmp_path):
    printed, log = submit_as_monotasks(lab, tmp_path, ONE_REPLICA, "spark.locality.wait=0")
    assert printed == ["100000"]
    used = {}
    for ended in task_ends(log):
        measured = json.dumps(ended["Task Info"]["Accumulables"])
        of_host = set(re.findall(r"input,hdfs:(\w+)", measured))
        if of_host:
            names, monotasks = re.search(r"\|\d+;([^;]+);([^\]]+)", measured).groups()
            reads = re.findall(r"\bi(\d+),", monotasks)
            kinds = {re.sub(r"=.*|DS-.*", "", names.split()[int(number)]) for number in reads}
            used.setdefault(of_host == {ended["Task Info"]["Host"]}, []).extend(kinds)
    assert {is_here: set(kinds) for is_here, kinds in used.items()} == {True: {"disk:"}, False: {"network"}}


# tasks 0 and 1 could run on either machine, 2 and 3 on m1 alone, and all have a core at once
PREFERENCES = """
from pyspark.sql import SparkSession
spark = SparkSession.builder.getOrCreate()
sc, jvm = spark.sparkContext, spark.sparkContext._jvm
def seq(items):
    each = jvm.java.util.ArrayList()
    for item in items:
        each.add(item)
    return jvm.org.apache.spark.api.python.PythonUtils.toSeq(each)
sc.parallelize(range(4), 4).count()
tasks = seq(jvm.scala.Tuple2(i, seq(hosts)) for i, hosts in enumerate([["m1", "m2"], ["m1", "m2"], ["m1"], ["m1"]]))
print(sc._jsc.sc().makeRDD(tasks, sc._jsc.emptyRDD().classTag()).count())
"""


def test_a_machine_takes_the_tasks_whose_input_no_other_has(lab, tmp_path):
    printed, log = submit_as_monotasks(lab, tmp_path, PREFERENCES)
    assert printed == ["4"]
    ended = task_ends(log)
    hosts = {each["Task Info"]["Index"]: each["Task Info"]["Host"] for each in ended if each["Stage ID"] == ended[-1]["Stage ID"]}
    assert [hosts[task] for task in range(4)] == ["m2", "m2", "m1", "m1"]


# map output that the page cache has no more: of two reductions of it the second one has to read it from disk
COLD = """
import glob, os
from pyspark.sql import SparkSession
sc = SparkSession.builder.getOrCreate().sparkContext
shuffled = sc.parallelize(range(4), 4).flatMap(lambda _: ((key, os.urandom(500)) for key in range(8000))).partitionBy(8)
def evict(_):
    for folder in os.environ["SPARK_LOCAL_DIRS"].split(","):
        for file in glob.glob(f"{folder}/**/shuffle_*.data", recursive=True):
            with open(file, "rb") as written:
                os.fsync(written.fileno())
                os.posix_fadvise(written.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
print(shuffled.count())
sc.parallelize(range(8), 8).foreach(evict)
print(shuffled.map(lambda pair: len(pair[1])).sum())
"""


def test_what_is_served_of_shuffle_files_on_disk_is_in_the_log_one_by_one(lab, tmp_path):
    lab.set("all", {"disk1.read": "5MB/s"})  # a disk that nobody takes for a page cache
    try:
        printed, log = submit_as_monotasks(lab, tmp_path, COLD, "spark.pellucid.monotasks.shuffleMemory=0")
    finally:
        lab.set("all", {"disk1": "ssd*0.2"})
    assert printed == ["32000", "16000000"]
    served = re.findall(r"[|;]s\d+,(\d+)(?:,\d+){3},-?\d+,(\d+)\b", log)
    of_maps = {each["Task Info"]["Task ID"] for each in task_ends(log) if each["Task Type"] == "ShuffleMapTask"}
    assert len(of_maps) == 4 and {int(task) for _, task in served} <= of_maps
    assert 0 < sum(int(size) for size, _ in served) <= 16_500_000


def test_the_logs_of_a_lab_can_be_kept(lab):
    kept = lab.keep_logs()
    try:
        for part in ("log", "events"):
            assert sorted(path.name for path in (kept / part).iterdir()) == sorted(path.name for path in (lab.folder / part).iterdir())
        assert any("namenode" in path.name for path in (kept / "log").iterdir())
    finally:
        shutil.rmtree(kept)


def test_commands_and_their_errors(lab):
    def command(*arguments, name=("--name", NAME)):
        return subprocess.run([str(software.REPOSITORY / "pellucid-lab"), *name, *arguments], capture_output=True, text=True)

    status = command("status").stdout
    assert "m1  10.66.0.11" in status and "disk1" in status
    assert command("run", "--on", "m2", "--", "hostname").stdout == "m2\n"
    assert command("run", "--", "sh", "-c", "exit 7").returncode == 7
    assert command("run", "--", "sh", "-c", "kill -TERM $$").returncode == 143
    for arguments, said in [
        (["set", "m9", "nic=1mbit"], "no machine 'm9': there are m1, m2"),
        (["set", "m1", "nic"], "nic: is not like nic=1mbit"),
        (["set", "m1", "nic=fast"], "'fast' is not like 100mbit"),
        (["experiment", "nothing"], "--name: an experiment names its labs itself"),
        (["--name", "/", "down"], "name: '/' has other than letters, digits, - and _"),
        (["--name", "", "down"], "name: '' has other than letters, digits, - and _"),
        (["up", "ssd"], f"lab {NAME!r} is up already"),
    ]:
        done = command(*arguments)
        assert (done.returncode, said in done.stderr) == (2, True), done.stderr
    done = command("experiment", "nothing", name=())
    assert (done.returncode, "no experiment 'nothing'; there are" in done.stderr) == (2, True), done.stderr
    with pytest.raises(LabError, match="is up already"):
        up(CONFIG)


def test_dropped_caches_are_empty(lab):
    with check._file(lab, "m1", 0, 32 << 20) as path:
        assert check.probe(lab, "m1", "resident", path) > 30 << 20  # half of what the cache may hold; the kernel may still drop a page
        lab.drop_caches()
        assert lab.counters()["m1"]["page_cache_bytes"] < 4 << 20


def test_a_check_that_a_disk_has_no_room_for_leaves_it_as_it_was(lab):
    folder = lab.machine("m1")["disks"][0]["mount"]
    with pytest.raises(subprocess.CalledProcessError), check._file(lab, "m1", 0, 2 << 30):
        pass
    assert "check" not in lab.run(["ls", folder], "m1", cwd="/", capture_output=True, text=True).stdout.split()


def test_dropped_caches_know_directories_and_inodes(lab):
    folder = Path(lab.machine("m1")["disks"][0]["mount"]) / "many"
    lab.run(["sh", "-c", f"mkdir -p {folder}/$0/$0 && touch $(seq -f {folder}/$0/$0/%g 500)", "x" * 200], "m1", cwd="/")
    lab.drop_caches()
    before = lab.counters()["m1"]["disks"][0]["reads"]
    assert len(lab.run(["ls", "-lR", folder], "m1", cwd="/", capture_output=True).stdout.splitlines()) > 500
    assert lab.counters()["m1"]["disks"][0]["reads"] == before
    lab.run(["rm", "-r", folder], "m1", cwd="/")


@pytest.mark.skipif(not Path("/sys/fs/cgroup/blkio").exists(), reason="only control groups version 1 tell what a limit has counted")
def test_blocks_side_by_side_are_one_request_to_the_limit(lab):
    each = lab.machine("m1")["disks"][0]

    def counted():
        rows = [line.split() for line in Path("/sys/fs/cgroup/blkio/blkio.throttle.io_serviced").read_text().splitlines()]
        return sum(int(row[2]) for row in rows if row[:2] == [each["limited"], "Write"])

    folder = Path(each["mount"]) / "small"
    lab.run(["sh", "-c", f"mkdir {folder}; sync"], "m1", cwd="/")
    before = counted()
    # 192 files of 30 KB: their 8 blocks each are side by side, and so are most files; the file system asks for each file apart
    lab.run(["sh", "-c", f"for i in $(seq 192); do head -c 30000 /dev/zero > {folder}/$i; done; sync"], "m1", cwd="/")
    assert 5_760_000 / (1280 << 10) < counted() - before < 96  # a request is at most 1280 KB
    lab.run(["rm", "-r", folder], "m1", cwd="/")


@pytest.mark.skipif(not Path("/sys/fs/cgroup/blkio").exists(), reason="control groups version 1 keep limits of disks that are no more")
def test_limits_that_a_killed_lab_left_are_lifted(lab):
    free = subprocess.run(["losetup", "--find"], capture_output=True, text=True, check=True).stdout.strip()
    device = f"7:{free.removeprefix('/dev/loop')}"
    lab.groups.set_disk("", device, {"read_iops": 1600})
    assert throttle_rules()
    down("test-of-another-name")
    assert not throttle_rules()


def test_down_leaves_nothing_behind(lab):
    assert set(traces(NAME)) >= {"processes", "loop devices", "control groups", "files"}
    before = inhabitants(NAME)
    assert len(before) >= 9  # the holder; what keeps each machine, its datanode and its worker; namenode and master
    assert down(NAME)
    assert not traces(NAME)
    assert not [process for process in before if state.alive(process)]
    assert not down(NAME)
    with pytest.raises(LabError, match="no lab 'test' is up"):
        Cluster(NAME)


def test_a_disk_with_one_head(tmp_path):
    try:
        software.fuse()
    except software.Missing as e:
        pytest.skip(str(e))
    disk = {"kind": "hdd", "speed": 0.2, "one_head": True, "size": "1GB"}
    lab = up(CONFIG | {"machines": 1, "machine": CONFIG["machine"] | {"disk": [disk]}})
    try:
        rows = closest(lambda: check._disk(lab, 0, [30 << 10, 1 << 20], 1.5))
        assert [row.what for row in rows] == ["disk1.read 30 KB", "disk1.read 1 MB", "disk1.write 1 MB"]
        # a seek is 10 ms, and 26 MB/s move 30 KB in 1.13 ms and 1 MB in 38.5 ms
        for row, wanted in zip(rows, [30 / 1024 / 0.01113, 1 / 0.0485, 1 / 0.0485]):
            assert row.wanted == pytest.approx(wanted * 2**20, rel=0.01)
        assert check.worst(rows) <= check.TOLERANCE, check.table(rows)
        lab.set("m1", {"disk1": "hdd*0.1"})
        slower = closest(lambda: check._disk(lab, 0, [1 << 20], 1.5))
        assert check.worst(slower) <= check.TOLERANCE, check.table(slower)
        assert slower[0].wanted == pytest.approx(rows[1].wanted / 2, rel=0.01)
        assert submit(lab, tmp_path, JOB).stdout.strip() == "300000 ['m1']"
    finally:
        down(NAME)
    assert not traces(NAME)


@pytest.mark.parametrize("after_seconds", [0.2, 0.6, 4])
def test_a_killed_up_is_cleaned_away(after_seconds, tmp_path):
    code = f"from lab.cluster import up; up({CONFIG!r})"
    environment = os.environ | {"PYTHONPATH": str(software.REPOSITORY)}
    half = subprocess.Popen([sys.executable, "-c", code], env=environment, start_new_session=True)
    time.sleep(after_seconds)
    half.send_signal(signal.SIGKILL)
    half.wait()
    with pytest.raises(LabError):
        Cluster(NAME)
    down(NAME)
    assert not traces(NAME)
