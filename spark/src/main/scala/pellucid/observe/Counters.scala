package pellucid.observe

import java.util.concurrent.{Executors, RejectedExecutionException, ScheduledExecutorService, TimeUnit}
import java.util.concurrent.atomic.AtomicInteger

import scala.collection.mutable.ArrayBuffer

import pellucid.plugin.Guard
import pellucid.sched.MonotaskPhase

/** Reads an executor's and its machine's counters each second in which tasks run, or others fetch from it, and hands them on in batches: after one second,
  * after two more, and so on up to ten, so that a short application loses little of its end, and a long one sends few; and as soon
  * as no task runs: an application often ends with its last task, and what its executors hand on as they stop comes too late.
  *
  * @param queues of the executor's monotasks
  */
private[pellucid] final class Counters(send: String => Unit, queues: () => Seq[QueueLevel] = () => Nil) {
  import Counters._
  private val running = new AtomicInteger
  @volatile private var ranSince = false
  private var before = Machine.now()
  @volatile private var beforeNanos = System.nanoTime()
  private var batch = new Batch(before)
  private var sent = 0
  private val thread: ScheduledExecutorService =
    Executors.newSingleThreadScheduledExecutor(new Daemons("pellucid-counters"))
  thread.scheduleAtFixedRate(() => tick(), EveryMillis, EveryMillis, TimeUnit.MILLISECONDS)

  def taskStarts(): Unit = { running.incrementAndGet(); ranSince = true }
  def taskEnds(): Unit =
    if (running.decrementAndGet() == 0 && System.nanoTime() - beforeNanos > LeastNanos)
      try thread.execute(() => tick())
      catch { case _: RejectedExecutionException => () } // has stopped

  /** Hands on what is left. */
  def stop(): Unit = {
    thread.shutdown()
    guard(synchronized { sample(); hand() })
    ()
  }

  private def tick(): Unit = {
    guard(synchronized {
      sample()
      if (batch.size >= math.min(MostInBatch, sent + 1) || running.get == 0) hand()
    })
    ()
  }

  private def sample(): Unit = {
    val ran = ranSince || Served.some
    ranSince = running.get > 0
    val (now, nowNanos) = (Machine.now(), System.nanoTime())
    if (now.machineCpuMillis == 0 && before.machineCpuMillis > 0)
      return // it could not be read: the next one has it all
    if (ran) {
      if (!batch.fits(now)) { hand(); batch = new Batch(before) }
      batch.add(before, now, (nowNanos - beforeNanos) / 1000000, queues())
    } else hand()
    before = now
    beforeNanos = nowNanos
  }

  private def hand(): Unit = if (batch.size > 0) {
    send(batch.text)
    sent += 1
    batch = new Batch(before)
  }
}

private[pellucid] object Counters {
  private final val EveryMillis = 1000L
  private final val LeastNanos = 500000000L
  private final val MostInBatch = 10
  private val guard = new Guard("counting what the machine does")

  /** Samples one after another of the same devices, as docs/observed.md says they are written. */
  private final class Batch(first: Machine) {
    private val disks = first.disks.map(_._1)
    private val nics = first.nics.map(_._1)
    private val samples = ArrayBuffer.empty[String]
    private val monotasks = ArrayBuffer.empty[Served.One]
    private val queues = ArrayBuffer.empty[Seq[QueueLevel]] // of each sample
    private var startMillis = 0L
    def size: Int = samples.size
    def fits(now: Machine): Boolean = now.disks.map(_._1) == disks && now.nics.map(_._1) == nics

    def add(before: Machine, now: Machine, millis: Long, levels: Seq[QueueLevel]): Unit = {
      if (samples.isEmpty) startMillis = System.currentTimeMillis() - millis
      def grown(from: Seq[(String, Seq[Long])], to: Seq[(String, Seq[Long])]) =
        from.zip(to).flatMap { case ((_, a), (_, b)) => a.zip(b).map { case (x, y) => math.max(0, y - x) } }
      val fields = Seq(
        millis,
        (now.cpuNanos - before.cpuNanos) / 1000000,
        now.machineCpuMillis - before.machineCpuMillis,
        now.runnable.toLong,
        (now.throttledNanos - before.throttledNanos) / 1000000,
        now.heapBytes,
        now.gcMillis - before.gcMillis
      )
      val (served, servedBlocked, servedQueued) = Served.take()
      samples +=
        (fields.map(math.max(0L, _)) ++ grown(before.disks, now.disks) ++ grown(before.nics, now.nics) ++
          Seq(
            served,
            servedBlocked,
            math.max(0, now.containerCpuNanos - before.containerCpuNanos) / 1000000,
            servedQueued
          )).mkString(",")
      monotasks ++= Served.takeMonotasks()
      queues += levels
    }

    def text: String = {
      val counters = Seq("1", startMillis.toString, first.cores.toString, disks.mkString(","), nics.mkString(","))
      // what comes last is left out where there is nothing
      Seq(
        (counters ++ samples).mkString(";"),
        servedText,
        queuesText
      ).reverse.dropWhile(_.isEmpty).reverse.mkString("|")
    }

    private def servedText = if (monotasks.isEmpty) ""
    else {
      val resources = monotasks.map(_.resource).distinct
      val each = monotasks.map { m =>
        val resource = s"${MonotaskPhase.ShuffleServe.letter}${resources.indexOf(m.resource)}"
        val numbers =
          Seq(m.bytes, m.waitMicros, m.serviceMicros, m.cpuMicros, m.queuedMicros - startMillis * 1000) ++ m.mapTask
        (resource +: numbers.map(_.toString)).mkString(",")
      }
      (resources.mkString(" ") +: each).mkString(";")
    }

    private def queuesText = if (queues.forall(_.isEmpty)) ""
    else {
      val resources = queues.flatten.map(_.resource).distinct
      val each = queues.map { levels =>
        resources.map { resource =>
          val level = levels.find(_.resource == resource).getOrElse(QueueLevel(resource, 0, 0, 0))
          s"${level.running},${level.waiting},${level.overdrawn}"
        }.mkString(",")
      }
      (resources.mkString(" ") +: each).mkString(";")
    }
  }
}
