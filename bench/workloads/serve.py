"""One application that does workloads as it is told: each line of standard input is a program's name and its arguments.

    sort generate --data URI --mb 512
    sort run --data URI --output URI
    set PROPERTY VALUE

Each line is answered by one JSON object: the program's own, {"done": line} if it prints none, {"error": ...} if it fails.
Between a job and what checks its answer it prints {"paused": line} and waits for a line, so that counters can be read.
What a job leaves, its output too, is deleted as soon as its answer is known: else that would go on while the next one is timed.
The session and its executors stay, so the second run of a workload finds compiled code, as in a long-running process.
"""

import contextlib
import importlib
import io
import json
import shlex
import sys
import traceback

import workload
from pyspark import cloudpickle
from pyspark.sql import SparkSession


def do(line, spark):
    """The JSON answer of one line."""
    program, *arguments = shlex.split(line)
    if program == "ready":
        return json.dumps({"done": line})
    if program == "set":  # of the jobs that follow
        spark.sparkContext.setLocalProperty(*arguments)
        return json.dumps({"done": line})
    spark.sparkContext.setJobDescription(line)
    module = importlib.import_module(program)
    cloudpickle.register_pickle_by_value(module)  # executors do not have it
    said = io.StringIO()
    workload.job_done = lambda: pause(line)
    with contextlib.redirect_stdout(said):
        module.main(arguments)
    workload.unpersist(spark)
    if "--output" in arguments:
        workload.delete(spark, arguments[arguments.index("--output") + 1])
    spark._jvm.System.gc()  # Spark deletes shuffles and broadcasts that nobody holds any more
    answers = [text for text in said.getvalue().splitlines() if text.startswith("{")]
    return answers[-1] if answers else json.dumps({"done": line})


def pause(line):
    print(json.dumps({"paused": line}), file=sys.__stdout__, flush=True)
    sys.stdin.readline()


def main():
    spark = SparkSession.builder.getOrCreate()
    for line in sys.stdin:
        try:
            answer = do(line.strip(), spark)
        except Exception as e:
            traceback.print_exc()
            answer = json.dumps({"error": f"{type(e).__name__}: {str(e)[:300]}"})
        print(answer, flush=True)
    spark.stop()


if __name__ == "__main__":
    main()
