package pellucid.report

import pellucid.trace.NotUnderstood

/** Everything that `pellucid report` says of one application. The terminal, the page and any other reader only render it.
  *
  * Moments are seconds since `application.startMillis`; durations are seconds; sizes are bytes. docs/report.md defines each
  * number, and docs/report-schema.md the JSON form, which is this class field by field. `schemaVersion` grows when a field
  * changes its meaning or goes away; new fields may come at any time.
  */
final case class Report(
    schemaVersion: Int,
    application: Application,
    intake: IntakeSummary,
    window: Option[TimeWindow],
    breakdown: Breakdown,
    sampled: Seq[Sampled],
    completion: Completion,
    replay: ReplayError,
    stragglers: Stragglers,
    demand: Demand,
    coreUse: CoreUse,
    driverOnly: DriverOnly,
    criticalPath: Path,
    workLost: WorkLost,
    advice: Seq[Advice],
    longestTasks: Seq[LongTask],
    slowNodes: Seq[SlowNode],
    paths: Seq[PathRequests],
    machines: Seq[MachineUse],
    monotasks: Option[MonotaskUse],
    sql: Seq[SqlQuery],
    jobs: Seq[Job],
    stages: Seq[Stage]
)

final case class Application(
    id: String,
    name: String,
    user: String,
    sparkVersion: String,
    startMillis: Long,
    seconds: Double,
    ended: Boolean,
    executors: Int,
    hosts: Int,
    /** The most slots there were at one moment. */
    slots: Int,
    jobs: Int,
    stages: Int,
    tasks: Int,
    properties: Map[String, String]
)

/** What was read and what was not understood. */
final case class IntakeSummary(
    lines: Long,
    bytes: Long,
    malformedLines: Long,
    malformedExamples: Seq[String],
    unknownEvents: Map[String, Long],
    truncated: Boolean,
    notes: Seq[String]
) extends NotUnderstood

/** Only tasks, jobs and stages that ran, at least partly, between the two moments are in the report. */
final case class TimeWindow(fromSeconds: Double, toSeconds: Double)

/** Task time by phase (keys: [[pellucid.breakdown.Phase]]), summed over tasks; the phases add up to `taskSeconds`. */
final case class Breakdown(
    tasks: Int,
    taskSeconds: Double,
    phases: Map[String, Double],
    waitingAtMost: WaitingAtMost
)

/** What tasks were seen at when Pellucid's plugin looked at their stacks: `kind` is `python`, `driver`, `wait`, `io` or `spillWait`, all
  * waiting, or `decompress` or `deserialize`, which are a part of computing.
  */
final case class Sampled(kind: String, what: String, seconds: Double)

/** Upper bounds on how much of the phases `waiting` and `computeOrWaiting` each cause can explain; they overlap. */
final case class WaitingAtMost(input: Double, output: Double, spill: Double, pythonWorker: Double) {

  /** Those that can explain any, in words. */
  def parts: Seq[(String, Double)] =
    Seq("input" -> input, "output" -> output, "spills" -> spill, "Python workers" -> pythonWorker).filter(_._2 > 0)
}

/** Blocked-time analysis: completion time recorded, replayed, and what the replay saves without a resource. */
final case class Completion(
    recordedSeconds: Double,
    simulatedSeconds: Double,
    noDisk: Saving,
    noNetwork: Saving,
    neither: Saving,
    noStragglersSeconds: Double
)

/** Seconds of the simulated time saved without the blocked time that the log states, and at most, if all unnamed waiting that
  * can be the resource's is.
  */
final case class Saving(loggedSeconds: Double, atMostSeconds: Double)

/** Error of the replay of the recorded task times against the recorded job times, over jobs longer than a second. */
final case class ReplayError(jobs: Int, median: Double, p95: Double, worst: Double, worstJob: Option[Int])

final case class Stragglers(
    count: Int,
    explained: Int,
    /** Their time beyond what they would have taken at their stage's median progress rate. */
    excessSeconds: Double,
    /** A straggler may have several causes. */
    causes: Seq[CauseShare]
)

final case class CauseShare(cause: String, label: String, tasks: Int, excessSeconds: Double)

final case class Demand(
    cpuSeconds: Double,
    inputBytes: Long,
    outputBytes: Long,
    shuffleReadBytes: Long,
    shuffleRemoteBytes: Long,
    shuffleWriteBytes: Long,
    diskSpilledBytes: Long,
    memorySpilledBytes: Long,
    diskMBPerCpuSecond: Option[Double],
    networkMbPerCpuSecond: Option[Double],
    shuffleToInput: Option[Double],
    outputToInput: Option[Double]
)

/** Averages over equal buckets of time: slots there, slots with a task, and cores' worth of CPU time; and the shares of all
  * slots' time in which they had a task, and computed.
  */
final case class CoreUse(
    runningShare: Double,
    onCpuShare: Double,
    fromSeconds: Double,
    bucketSeconds: Double,
    slots: Seq[Double],
    running: Seq[Double],
    onCpu: Seq[Double]
)

/** Time in which no task ran. */
final case class DriverOnly(
    seconds: Double,
    beforeFirstTaskSeconds: Double,
    afterLastTaskSeconds: Double,
    longest: Seq[Gap]
)

/** @param inJob that ran all the while, if one did; otherwise the job before and the one after it are told */
final case class Gap(
    fromSeconds: Double,
    seconds: Double,
    afterJob: Option[Int],
    beforeJob: Option[Int],
    inJob: Option[Int] = None
)

/** The longest chain of dependent stages: how many, their time, the time between them, and each. */
final case class Path(stages: Int, stageSeconds: Double, betweenSeconds: Double, steps: Seq[PathStep])

/** A stage on the longest chain of dependent stages, and the time before it in which none of the chain ran. */
final case class PathStep(
    jobId: Option[Int],
    stageId: Int,
    attempt: Int,
    fromSeconds: Double,
    seconds: Double,
    gapBeforeSeconds: Double
)

final case class WorkLost(seconds: Double, tasks: Int, attempts: Seq[LostAttempts], executors: Seq[LostExecutor])
final case class LostAttempts(kind: String, reason: String, tasks: Int, seconds: Double)
final case class LostExecutor(id: String, host: String, atSeconds: Double, reason: String, released: Boolean)

/** One line of advice. `savesSeconds` is what the analysis predicts for the application's completion time;
  * `upperBound` says that it cannot be more, not that it will be as much.
  */
final case class Advice(
    kind: String,
    title: String,
    savesSeconds: Double,
    upperBound: Boolean,
    detail: String,
    stages: Seq[Int],
    tasks: Seq[Long],
    analysis: String
)

final case class LongTask(
    taskId: Long,
    stageId: Int,
    attempt: Int,
    index: Int,
    host: String,
    executor: String,
    seconds: Double,
    stageMedianSeconds: Double,
    readBytes: Long,
    reason: String
)

/** Hosts whose tasks are slow net of their data size: their median of task time per byte over the stage's median. */
final case class SlowNode(host: String, slowdown: Double, stages: Int, tasks: Int)

/** The requests of one kind that tasks on a host sent along one path: a block device, a datanode, another host. Only with
  * Pellucid's plugin. `seconds`: task time blocked; of `shuffleFetch` the time in which the other side had something to send.
  */
final case class PathRequests(
    kind: String,
    host: String,
    path: String,
    requests: Long,
    bytes: Long,
    seconds: Double,
    meanRequestBytes: Long,
    requestSizes: Seq[RequestSizes]
)

/** What monotasks used and waited for, and averages over equal buckets of time. Only of applications that ran as monotasks. */
final case class MonotaskUse(
    fromSeconds: Double,
    bucketSeconds: Double,
    resources: Seq[ResourceUse],
    load: Seq[ResourceLoad]
)

/** Of one kind of resource: `cpu`, `disk` or `network`. */
final case class ResourceUse(
    resource: String,
    monotasks: Long,
    /** CPU time, and how long tasks waited for Python's workers; of disks and the network the time in which requests were served. */
    busySeconds: Double,
    /** Of the CPU: what computes, and of the other resources the threads that ask for something and take it. */
    cpuSeconds: Double,
    queuedSeconds: Double,
    bytes: Long,
    /** How long it would take if nothing but this resource were used, and all of it all the time (thesis section 5.6.1). */
    idealSeconds: Double
)

/** `slots` can run at once; how many did, and how many were queued, and how often one more began, since nothing had ended there for long. */
final case class ResourceLoad(
    resource: String,
    slots: Int,
    running: Seq[Double],
    queued: Seq[Double],
    overdrawn: Long
)

/** What a machine did in the `seconds` in which tasks ran and its counters were read. Only with Pellucid's plugin. */
final case class MachineUse(
    host: String,
    seconds: Double,
    cores: Int,
    /** Of all cores, by whatever ran there. */
    cpuShare: Double,
    /** Of the executors' own processes. */
    executorsCpuSeconds: Double,
    /** Threads that ran or could have run, on average. */
    runnable: Double,
    /** In which a limit on the container's CPU held threads up. */
    throttledSeconds: Double,
    /** Of the executor with the most. */
    maxHeapBytes: Long,
    gcSeconds: Double,
    /** Of shuffle files, to other executors, how long the machine's disks kept the threads that do it, and how long it waited for other monotasks before. */
    servedBytes: Long,
    servedBlockedSeconds: Double,
    servedQueuedSeconds: Double,
    disks: Seq[DiskUse],
    nics: Seq[NicUse],
    checks: Seq[Check]
)
final case class DiskUse(
    name: String,
    busyShare: Double,
    reads: Long,
    readBytes: Long,
    writes: Long,
    writtenBytes: Long
)
final case class NicUse(name: String, inBytes: Long, outBytes: Long)

/** What was measured of tasks beside what the machine's counters say: of `disk` the seconds in which tasks were blocked on it and
  * in which its busiest one was busy, of `network` the bytes that tasks read through it and that came in.
  */
final case class Check(
    resource: String,
    tasks: Double,
    machine: Double,
    unit: String,
    agrees: Boolean,
    note: Option[String]
)

/** `requests` of `fromBytes` up to twice as many. */
final case class RequestSizes(fromBytes: Long, requests: Long)

final case class SqlQuery(
    id: Long,
    description: String,
    startSeconds: Double,
    seconds: Double,
    jobs: Seq[Int],
    failure: Option[String]
)

final case class Job(
    id: Int,
    description: Option[String],
    sqlExecution: Option[Long],
    startSeconds: Double,
    seconds: Double,
    ended: Boolean,
    failure: Option[String],
    stages: Seq[Int],
    criticalPath: Seq[Int],
    breakdown: Breakdown,
    completion: Completion,
    demand: Demand
)

final case class Stage(
    id: Int,
    attempt: Int,
    name: String,
    description: Option[String],
    sqlExecution: Option[Long],
    jobs: Seq[Int],
    parents: Seq[Int],
    startSeconds: Double,
    seconds: Double,
    ended: Boolean,
    failure: Option[String],
    tasks: Int,
    taskSeconds: Quantiles,
    breakdown: Breakdown,
    completion: Completion,
    stragglers: Stragglers,
    demand: Demand,
    monotasks: Seq[ResourceUse],
    bottleneck: Option[String]
)

final case class Quantiles(min: Double, p25: Double, median: Double, p75: Double, max: Double)
