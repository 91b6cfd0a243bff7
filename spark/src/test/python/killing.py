"""100 small jobs, with an executor killed every ten seconds and a task every second. Prints how many answers were right, and what the
executors that live have left: threads of ours but one of a name, unfinished and open files."""

import os
import random
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

from pyspark.sql import SparkSession

folder, chance = sys.argv[1], random.Random(int(sys.argv[2]))
spark = SparkSession.builder.getOrCreate()
sc = spark.sparkContext
stop = threading.Event()
killed = {"executors": 0, "tasks": 0}


def executors():
    """Processes of this application's executors."""
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if (line := path.read_bytes()) and b"CoarseGrainedExecutorBackend" in line and sc.applicationId.encode() in line:
                yield int(path.parent.name)
        except OSError:  # it ended
            pass


def tasks_of(executor):
    """That it still runs: of stages that were given up, too."""
    return re.findall(r'^"(Executor task launch worker for task[^"]*)"', stacks(executor), re.M)


def stacks(executor):
    return subprocess.run(["jstack", str(executor)], capture_output=True, text=True, check=True).stdout


def left(executor):
    """What one that has nothing to do should not have: two threads of ours of one name, open files."""
    threads = re.findall(r'^"(pellucid[^"]*)"', stacks(executor), re.M)
    opened = [str(path) for path in map(Path.resolve, Path(f"/proc/{executor}/fd").iterdir())]
    return [name for name in threads if threads.count(name) > 1] + [path for path in opened if path.startswith(tuple(folders_of(executor)))]


def unfinished_files(executor):
    """Their kinds: what stock Spark leaves when a task is killed may be there too."""
    names = (file.name for folder in folders_of(executor) for file in Path(folder).rglob("*"))
    return {re.sub("_?[0-9a-f-]{36}|[0-9]+", "", name) for name in names if "temp" in name.lower() or name.endswith(".tmp")}


def folders_of(executor):
    environment = Path(f"/proc/{executor}/environ").read_text().split("\0")
    (folders,) = [entry.partition("=")[2] for entry in environment if entry.startswith("SPARK_EXECUTOR_DIRS=")]
    return folders.split(os.pathsep)


def running_tasks():
    tracker = sc._jsc.sc().statusStore()
    for stage in sc.statusTracker().getActiveStageIds():
        tasks = tracker.taskList(stage, 0, 50)
        for i in range(tasks.size()):
            if tasks.apply(i).status() == "RUNNING":
                yield tasks.apply(i).taskId()


def kill():
    turn = 0
    while not stop.wait(1):
        turn += 1
        try:
            if turn % 10 == 0 and (found := list(executors())):
                os.kill(chance.choice(found), signal.SIGKILL)
                killed["executors"] += 1
            elif found := list(running_tasks()):
                sc._jsc.sc().killTaskAttempt(chance.choice(found), True, "on purpose")
                killed["tasks"] += 1
        except Exception as e:  # what was to be killed has ended by itself
            print("killer:", type(e).__name__, file=sys.stderr)


spark.range(0, 200000, 1, 8).selectExpr("concat(id % 101, ' ', repeat('y', 50)) AS value").write.mode("overwrite").text(f"{folder}/in")
killer = threading.Thread(target=kill)
killer.start()
right = 0
for number in range(100):
    pairs = sc.textFile(f"{folder}/in", 8).map(lambda line: (line.split()[0], 1)).reduceByKey(lambda a, b: a + b, 4)
    right += sorted(count for _, count in pairs.collect()) == sorted(len(range(k, 200000, 101)) for k in range(101))
stop.set()
killer.join()
for _ in range(60):
    time.sleep(1)
    alive = list(executors())
    if len(alive) == 2 and not any(tasks_of(executor) for executor in alive):
        break
time.sleep(2)  # what ended last is cleaned up
print("ANSWER", right, killed["executors"] > 0, killed["tasks"] > 0, len(alive), [what for executor in alive for what in tasks_of(executor) + left(executor)])
print("FILES", sorted(set().union(*(unfinished_files(executor) for executor in alive))))
print("killed", killed, file=sys.stderr)
spark.stop()
