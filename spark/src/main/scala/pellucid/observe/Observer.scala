package pellucid.observe

import scala.util.Try

import org.apache.spark.{SparkEnv, TaskContext, TaskFailedReason}
import org.apache.spark.pellucid.{ObservedFetches, ObservedServing, ObservedStreams}

import pellucid.fs.{ClassesByName, ObservedFileSystems}
import pellucid.monotask.{Monotasks, WantOfMemory}
import pellucid.plugin.Guard

/** An executor's hooks: those that measure, set once, and the one at each task's start. */
private[pellucid] final class Observer(
    channel: Channel,
    looks: Boolean,
    monotasks: Option[Monotasks],
    send: String => Unit
) {
  import Observer._

  tasks(CpuClock.nanos()) // what fails when it is first used fails here
  files(ObservedFileSystems.install())
  streams(ObservedStreams.install())
  fetches(ObservedFetches.install())
  serving(ObservedServing.install())
  private val env = SparkEnv.get
  private val counters = machine(new Counters(
    text => send(s"${env.executorId} ${env.blockManager.blockManagerId.host} $text"),
    () => monotasks.fold(Seq.empty[QueueLevel])(_.queues())
  ))

  private val sampler = if (looks) samples(new Sampler) else None

  /** On the task's thread. */
  def taskStarts(): Unit = {
    val observed = tasks {
      val wanted = TaskContext.get().getLocalProperty(Property) != "false"
      if (wanted) observe()
      wanted
    }
    if (!observed.contains(true)) {
      TaskRecord.end() // of a task whose end was not seen
      others(monotasks.foreach(_.passes()))
      ()
    }
  }

  private def observe(): Unit = {
    counters.foreach(_.taskStarts())
    files(ClassesByName.ofThisThread())
    val record = TaskRecord.begin()
    sampler.foreach(_.taskStarts(record))
    // the first listener to be added is the last one called: streams that the task left open are closed then
    TaskContext.get().addTaskCompletionListener[Unit] { (_: TaskContext) =>
      TaskRecord.end()
      for (runtime <- monotasks; multitask <- record.multitask) Try(runtime.end(multitask))
      sampler.foreach(_.taskEnds(record))
      counters.foreach(_.taskEnds())
      tasks(record.finish().foreach(channel.send))
      ()
    }
    record.multitask = monotasks.flatMap(_.begin())
  }

  /** On the task's thread. */
  def taskFailed(why: TaskFailedReason): Unit = {
    tasks(if (WantOfMemory.of(why)) monotasks.foreach(_.memoryFailed()))
    ()
  }

  def stop(): Unit = {
    sampler.foreach(_.stop())
    counters.foreach(_.stop())
    monotasks.foreach(_.stop())
  }
}

private object Observer {

  /** Of a job, as `SparkContext.setLocalProperty` sets it: false, and its tasks are left alone. */
  private final val Property = "spark.pellucid.observe"
  private val tasks = new Guard("observing tasks")
  private val others = new Guard("giving way to tasks that are not observed")
  private val files = new Guard("observing input and output")
  private val streams = new Guard("observing spills and shuffle files")
  private val fetches = new Guard("observing shuffle fetches")
  private val serving = new Guard("observing what is served of shuffle files")
  private val samples = new Guard("sampling tasks")
  private val machine = new Guard("observing the machine")
}
