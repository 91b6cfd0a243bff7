"""What a process of Spark's that has nothing to do has left: tasks, threads, open and unfinished files."""

import os
import re
import subprocess
from pathlib import Path


def executors(application):
    """Processes of its executors."""
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if (line := path.read_bytes()) and b"CoarseGrainedExecutorBackend" in line and application.encode() in line:
                yield int(path.parent.name)
        except OSError:  # it ended
            pass


def tasks_of(executor):
    """That it still runs: of stages that were given up, too. A thread that has nothing to do keeps its last task's name for a minute."""
    running = (stack for stack in stacks(executor).split("\n\n") if "TaskRunner.run(" in stack)
    return [name for stack in running for name in re.findall(r'^"(Executor task launch worker for task[^"]*)"', stack, re.M)]


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
