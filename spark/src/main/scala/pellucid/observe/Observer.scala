package pellucid.observe

import org.apache.spark.TaskContext
import org.apache.spark.pellucid.{ObservedFetches, ObservedStreams}

import pellucid.fs.ObservedFileSystems
import pellucid.plugin.Guard

/** An executor's hooks: those that measure, set once, and the one at each task's start. */
private[pellucid] final class Observer(channel: Channel) {
  import Observer._

  tasks(CpuClock.nanos()) // what fails when it is first used fails here
  files(ObservedFileSystems.install())
  streams(ObservedStreams.install())
  fetches(ObservedFetches.install())

  /** On the task's thread. */
  def taskStarts(): Unit = {
    TaskRecord.end() // of a task whose end was not seen
    tasks {
      val record = TaskRecord.begin()
      // the first listener to be added is the last one called: streams that the task left open are closed then
      TaskContext.get().addTaskCompletionListener[Unit] { (_: TaskContext) =>
        TaskRecord.end()
        tasks(record.finish().foreach(channel.send))
        ()
      }
    }
    ()
  }
}

private object Observer {
  private val tasks = new Guard("observing tasks")
  private val files = new Guard("observing input and output")
  private val streams = new Guard("observing spills and shuffle files")
  private val fetches = new Guard("observing shuffle fetches")
}
