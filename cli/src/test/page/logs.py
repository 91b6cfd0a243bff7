"""Event logs written by hand: a few lines of JSON, just enough to be a report."""

import json

START = 1_700_000_000_000


def stage_info(stage, name, tasks, submitted=None, completed=None):
    info = {"Stage ID": stage, "Stage Attempt ID": 0, "Stage Name": name, "Number of Tasks": tasks, "RDD Info": [], "Parent IDs": [], "Details": ""}
    if submitted is not None:
        info["Submission Time"] = submitted
    if completed is not None:
        info["Completion Time"] = completed
    return info


def task_end(stage, task, launch, millis, executor, host, reason=None):
    return {
        "Event": "SparkListenerTaskEnd", "Stage ID": stage, "Stage Attempt ID": 0, "Task Type": "ResultTask",
        "Task End Reason": reason or {"Reason": "Success"},
        "Task Info": {"Task ID": task, "Index": task, "Attempt": 0, "Launch Time": launch, "Executor ID": executor, "Host": host,
                      "Locality": "ANY", "Speculative": False, "Getting Result Time": 0, "Finish Time": launch + millis,
                      "Failed": reason is not None, "Killed": False, "Accumulables": []},
        "Task Metrics": {"Executor Deserialize Time": millis // 20, "Executor Deserialize CPU Time": 0, "Executor Run Time": millis * 9 // 10,
                         "Executor CPU Time": millis * 500_000, "JVM GC Time": millis // 30, "Result Size": 100, "Result Serialization Time": 0,
                         "Memory Bytes Spilled": 0, "Disk Bytes Spilled": 0, "Input Metrics": {"Bytes Read": millis * 1000, "Records Read": 1}},
    }


def write(path, events):
    with open(path, "w", encoding="utf-8") as out:
        for event in events:
            out.write(json.dumps(event, ensure_ascii=False) + "\n")
    return path


def application(name, end, *events, user="user", host="host-1", executors=1, cores=2):
    return [
        {"Event": "SparkListenerLogStart", "Spark Version": "4.0.0"},
        {"Event": "SparkListenerApplicationStart", "App Name": name, "App ID": "app-1", "Timestamp": START, "User": user},
        *({"Event": "SparkListenerExecutorAdded", "Timestamp": START + 100, "Executor ID": str(e),
           "Executor Info": {"Host": host if executors == 1 else f"{host}-{e // 4}", "Total Cores": cores, "Log Urls": {}}} for e in range(executors)),
        *events,
        {"Event": "SparkListenerApplicationEnd", "Timestamp": START + end},
    ]


def hostile(path, text):
    """Every text of the log that the page shows is `text`."""
    at = START + 1000
    failure = {"Reason": "ExceptionFailure", "Class Name": text, "Description": text, "Stack Trace": [], "Full Stack Trace": text, "Accumulator Updates": []}
    return write(path, application(
        text, 9000,
        {"Event": "org.apache.spark.sql.execution.ui.SparkListenerSQLExecutionStart", "executionId": 0, "description": text, "details": text,
         "physicalPlanDescription": text, "sparkPlanInfo": {"nodeName": text, "simpleString": text, "children": [], "metadata": {}, "metrics": []}, "time": at},
        {"Event": "SparkListenerJobStart", "Job ID": 0, "Submission Time": at, "Stage Infos": [stage_info(0, text, 3)], "Stage IDs": [0],
         "Properties": {"spark.job.description": text, "spark.sql.execution.id": "0"}},
        {"Event": "SparkListenerStageSubmitted", "Stage Info": stage_info(0, text, 3, at), "Properties": {"spark.job.description": text}},
        task_end(0, 0, at, 3000, "0", text),
        task_end(0, 1, at, 500, "0", text, failure),
        task_end(0, 2, at + 600, 2000, "0", text),
        {"Event": "SparkListenerExecutorRemoved", "Timestamp": at + 4000, "Executor ID": "0", "Removed Reason": text},
        {"Event": "SparkListenerStageCompleted", "Stage Info": {**stage_info(0, text, 3, at, at + 3000), "Failure Reason": text}},
        {"Event": "SparkListenerJobEnd", "Job ID": 0, "Completion Time": at + 3000,
         "Job Result": {"Result": "JobFailed", "Exception": {"Message": text, "Stack Trace": []}}},
        {"Event": text},
        user=text, host=text))


def monotasks(path):
    """Two tasks on two cores: one reads 4 MB for a second after the other has, 0.5 s in the disk's queue."""
    at = START + 1000

    def task(number, *ran):
        end = task_end(0, number, at, 2500, "0", "host-1")
        text = f"[1;|{at * 1000};cpu=2 disk:sda=1;{';'.join(ran)}]"
        end["Task Info"]["Accumulables"] = [{"ID": 7, "Name": "pellucid.task", "Update": text}]
        return end

    setting = {"spark.plugins.internal.conf.pellucid.PellucidPlugin.task": "7"}
    return write(path, application(
        "monotasks", 5000,
        {"Event": "SparkListenerEnvironmentUpdate", "JVM Information": {}, "Spark Properties": setting, "System Properties": {}},
        {"Event": "SparkListenerStageSubmitted", "Stage Info": stage_info(0, "reads", 2, at), "Properties": {}},
        task(0, "c0,0,0,500000,500000", "i1,4000000,0,1000000,0", "c0,0,0,1000000,900000"),
        task(1, "c0,0,0,1000000,900000", "i1,4000000,500000,1000000,0"),
        {"Event": "SparkListenerStageCompleted", "Stage Info": stage_info(0, "reads", 2, at, at + 2500)}))


def shuffle(path, tasks=8, second_stage="sums"):
    """Two machines of two cores, a disk and a network each. Tasks of stage 0 read 40 MB in a second and compute half a second; those of
    stage 1 fetch 20 MB in half a second and compute one."""
    at, queue = START + 1000, tasks // 4
    setting = {"spark.plugins.internal.conf.pellucid.PellucidPlugin.task": "7"}

    def ended(stage, number, launch, millis, ran):
        end = task_end(stage, stage * tasks + number, launch, millis, str(number % 2), f"host-{number % 2 + 1}")
        text = f"[1;|{launch * 1000};cpu=2 disk:sda=1 network=4;{ran}]"
        end["Task Info"]["Accumulables"] = [{"ID": 7, "Name": "pellucid.task", "Update": text}]
        return end

    events = [
        {"Event": "SparkListenerEnvironmentUpdate", "JVM Information": {}, "Spark Properties": setting, "System Properties": {}},
        {"Event": "SparkListenerExecutorAdded", "Timestamp": START + 100, "Executor ID": "1", "Executor Info": {"Host": "host-2", "Total Cores": 2, "Log Urls": {}}},
        {"Event": "SparkListenerJobStart", "Job ID": 0, "Submission Time": at, "Stage IDs": [0, 1], "Properties": {},
         "Stage Infos": [stage_info(0, "reads", tasks), {**stage_info(1, second_stage, tasks), "Parent IDs": [0]}]},
        {"Event": "SparkListenerStageSubmitted", "Stage Info": stage_info(0, "reads", tasks, at), "Properties": {}}]
    for i in range(tasks):
        waited = i // 2  # seconds for the machine's one disk
        events.append(ended(0, i, at, waited * 1000 + 1500, f"i1,40000000,{waited * 1000000},1000000,0;c0,0,0,500000,500000"))
    middle = at + (tasks // 2 - 1) * 1000 + 1500
    second = {**stage_info(1, second_stage, tasks, middle), "Parent IDs": [0]}
    events.append({"Event": "SparkListenerStageCompleted", "Stage Info": stage_info(0, "reads", tasks, at, middle)})
    events.append({"Event": "SparkListenerStageSubmitted", "Stage Info": second, "Properties": {}})
    for i in range(tasks):
        round_ = i // 4  # of tasks on both cores
        events.append(ended(1, i, middle + round_ * 1500, 1500, "r2,20000000,0,500000,0;c0,0,0,1000000,1000000"))
    end = middle + queue * 1500
    events.append({"Event": "SparkListenerStageCompleted", "Stage Info": {**second, "Completion Time": end}})
    events.append({"Event": "SparkListenerJobEnd", "Job ID": 0, "Completion Time": end, "Job Result": {"Result": "JobSucceeded"}})
    return write(path, application("shuffle", end - START + 500, *events, host="host-1"))


def idle(path, executors):
    return write(path, application("nothing ran", 2000, executors=executors))


def large(path, tasks, executors=25, cores=8, stages=40):
    """Stages one after the other, their tasks dealt to all slots."""
    slots = executors * cores
    each = tasks // stages
    free = [START + 1000] * slots
    events = []
    for stage in range(stages):
        begin = max(free)
        free = [begin] * slots
        info = stage_info(stage, f"stage number {stage}", each, begin)
        events.append({"Event": "SparkListenerJobStart", "Job ID": stage, "Submission Time": begin, "Stage Infos": [info], "Stage IDs": [stage], "Properties": {}})
        events.append({"Event": "SparkListenerStageSubmitted", "Stage Info": info, "Properties": {}})
        for i in range(each):
            slot = i % slots
            millis = 40 + (i * 7919 + stage * 31) % 400
            events.append(task_end(stage, stage * each + i, free[slot], millis, str(slot // cores), f"host-1-{slot // cores // 4}"))
            free[slot] += millis + 2
        end = max(free)
        events.append({"Event": "SparkListenerStageCompleted", "Stage Info": {**info, "Completion Time": end}})
        events.append({"Event": "SparkListenerJobEnd", "Job ID": stage, "Completion Time": end, "Job Result": {"Result": "JobSucceeded"}})
    return write(path, application("large", max(free) - START + 100, *events, executors=executors, cores=cores))
