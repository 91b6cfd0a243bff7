"""100 small jobs, with a task killed every second, and an executor every ten seconds if a job has ended since the last one: where a new one takes long to
start, no job would end otherwise. Prints how many answers were right, and what the
executors that live have left: threads of ours but one of a name, unfinished and open files."""

import os
import random
import signal
import sys
import threading
import time

from leaks import executors, left, tasks_of, unfinished_files
from pyspark.sql import SparkSession

folder, chance = sys.argv[1], random.Random(int(sys.argv[2]))
spark = SparkSession.builder.getOrCreate()
sc = spark.sparkContext
stop = threading.Event()
killed = {"executors": 0, "tasks": 0}
ended = right = 0  # jobs


def running_tasks():
    tracker = sc._jsc.sc().statusStore()
    for stage in sc.statusTracker().getActiveStageIds():
        tasks = tracker.taskList(stage, 0, 50)
        for i in range(tasks.size()):
            if tasks.apply(i).status() == "RUNNING":
                yield tasks.apply(i).taskId()


def kill():
    turn = before = 0
    while not stop.wait(1):
        turn += 1
        try:
            if turn % 10 == 0 and ended > before and (found := list(executors(sc.applicationId))):
                os.kill(chance.choice(found), signal.SIGKILL)
                killed["executors"] += 1
                before = ended
            elif found := list(running_tasks()):
                sc._jsc.sc().killTaskAttempt(chance.choice(found), True, "on purpose")
                killed["tasks"] += 1
        except Exception as e:  # what was to be killed has ended by itself
            print("killer:", type(e).__name__, file=sys.stderr)


spark.range(0, 200000, 1, 8).selectExpr("concat(id % 101, ' ', repeat('y', 50)) AS value").write.mode("overwrite").text(f"{folder}/in")
killer = threading.Thread(target=kill)
killer.start()
while ended < 100:
    pairs = sc.textFile(f"{folder}/in", 8).map(lambda line: (line.split()[0], 1)).reduceByKey(lambda a, b: a + b, 4)
    right += sorted(count for _, count in pairs.collect()) == sorted(len(range(k, 200000, 101)) for k in range(101))
    ended += 1
stop.set()
killer.join()
for _ in range(60):
    time.sleep(1)
    alive = list(executors(sc.applicationId))
    if len(alive) == 2 and not any(tasks_of(executor) for executor in alive):
        break
time.sleep(2)  # what ended last is cleaned up
print("ANSWER", right, killed["executors"] > 0, killed["tasks"] > 0, len(alive), [what for executor in alive for what in tasks_of(executor) + left(executor)])
print("FILES", sorted(set().union(*(unfinished_files(executor) for executor in alive))))
print("killed", killed, file=sys.stderr)
spark.stop()
