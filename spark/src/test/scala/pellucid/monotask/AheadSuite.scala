package pellucid.monotask

import java.util.concurrent.{CountDownLatch, TimeUnit}
import java.util.concurrent.atomic.AtomicInteger

import scala.concurrent.Await
import scala.concurrent.duration._
import scala.util.Try

import pellucid.{Jobs, SparkSuite, Warnings}
import pellucid.observe.TaskRecord
import pellucid.plugin.Guard
import pellucid.sched.MonotaskPhase
import pellucid.trace.MonotaskTable

class AheadSuite extends SparkSuite {
  import AheadSuite._
  private val on = Map("spark.pellucid.monotasks" -> "true")

  private def only(table: MonotaskTable): Int = (0 until table.size).find(row =>
    table.resources(table.resource(row)).startsWith("disk:ahead")
  ).get

  folder.test("a task waits for the monotask that runs for it, and takes what it did once; no other one begins") {
    folder =>
      val ran = Jobs.run(folder, conf = on) { spark =>
        val seen = spark.sparkContext.parallelize(Seq(0), 1).map { _ =>
          val task = TaskRecord.current.multitask.get
          val ahead = new Steps(task, steps = 3)
          Thread.sleep(100)
          val thread = ahead.start()
          ahead.running.await()
          val opener = new Thread(() => {
            while (task.computes) Thread.sleep(1) // until it waits
            Thread.sleep(200)
            ahead.goOn.countDown()
          })
          opener.start()
          val took = task.takes(ahead)
          thread.join()
          (took.exists(_ >= 190000000L), task.takes(ahead).isEmpty, ahead.done.get, ahead.discarded.get)
        }.collect().head
        (seen, Held.now(spark))
      }
      assertEquals(ran.answer, ((true, true, 1, 0), Held.Nothing))
      // 100 ms of the task's own, and then 200 ms of the monotask: what the task waited for it is no computing
      val table = ran.trace.monotasks
      val row = only(table)
      assertEquals((table.bytes(row), table.ahead(row)), (Bytes.toLong, 1))
      assert(table.awaitedMicros(row) >= 190000, table.awaitedMicros(row))
      assert(table.serviceMicros(row) >= table.awaitedMicros(row), table.serviceMicros(row))
      assert(table.serviceMicros(row - 1) >= 95000, table.serviceMicros(row - 1))
      assertEquals(table.queuedMicros(row + 1), table.endMicros(row))
      assert(table.serviceMicros(row + 1) < 190000, table.serviceMicros(row + 1))
  }

  folder.test("what has ended by the time the task comes to it ran beside what the task computed") { folder =>
    val ran = Jobs.run(folder, conf = on) {
      _.sparkContext.parallelize(Seq(0), 1).map { _ =>
        val task = TaskRecord.current.multitask.get
        val ahead = new Steps(task, steps = 1)
        ahead.goOn.countDown()
        ahead.start().join()
        AtOnce.spin(100)
        task.takes(ahead)
      }.collect().head
    }
    assertEquals(ran.answer, Some(0L))
    val table = ran.trace.monotasks
    val row = only(table)
    assertEquals((table.ahead(row), table.awaitedMicros(row)), (1, 0L))
    assert(table.queuedMicros(row) >= table.queuedMicros(row - 1), table.queuedMicros(row))
    assert(table.endMicros(row) <= table.endMicros(row - 1) - 95000, table.endMicros(row))
    assertEquals(table.queuedMicros(row + 1), table.endMicros(row - 1))
  }

  folder.test(
    "what nobody takes is discarded once, whether it has ended by then or not: what came early when the task does something else, the rest when it ends"
  ) {
    folder =>
      val ran = Jobs.run(folder, conf = on) { spark =>
        left.clear()
        val seen = spark.sparkContext.parallelize(Seq(false, true), 2).map { ends =>
          val task = TaskRecord.current.multitask.get
          val (early, dropped, stays) =
            (new Steps(task, 1), new Steps(task, 1, early = false), new Steps(task, 1, early = false))
          val all = Seq(early, dropped, stays)
          all.foreach { ahead => ahead.start(); ahead.running.await() }
          if (ends) all.foreach { ahead => ahead.goOn.countDown(); ahead.thread.join() }
          task.drops(dropped)
          task.at("disk:other", MonotaskPhase.InputRead)(1)
          left.add(stays)
          for (ahead <- Seq(early, dropped)) yield {
            ahead.goOn.countDown()
            ahead.thread.join()
            (task.takes(ahead).isEmpty, ahead.done.get, ahead.discarded.get, stays.discarded.get)
          }
        }.collect().toSeq.flatten
        left.forEach { ahead => ahead.goOn.countDown(); ahead.thread.join() }
        (seen, left.toArray(Array.empty[Steps]).toSeq.map(_.discarded.get), Held.now(spark))
      }
      assertEquals(ran.answer, (Seq.fill(4)((true, 1, 1, 0)), Seq(1, 1), Held.Nothing))
  }

  folder.test("one that goes wrong, or comes when the task has begun by itself, is nothing to the task") { folder =>
    val ran = Jobs.run(folder, conf = on) { spark =>
      val seen = spark.sparkContext.parallelize(Seq(0), 1).map { _ =>
        val task = TaskRecord.current.multitask.get
        val broken = new Steps(task, steps = -1)
        val thread = broken.start()
        broken.running.await()
        broken.goOn.countDown()
        val failed = task.takes(broken)
        thread.join()
        task.opens()
        val late = new Steps(task, steps = 1)
        late.start().join()
        (failed, broken.discarded.get, task.takes(late), late.done.get)
      }.collect().head
      (seen, Held.now(spark))
    }
    assertEquals(ran.answer, ((None, 1, None, 0), Held.Nothing))
  }

  folder.test("where the task is interrupted as it waits for one, that is discarded once it has ended") { folder =>
    val ran = Jobs.run(folder, conf = on) { spark =>
      left.clear()
      val sc = spark.sparkContext
      sc.setJobGroup("killed", "killed", interruptOnCancel = true)
      val job = sc.parallelize(Seq(0), 1).foreachAsync { _ =>
        val task = TaskRecord.current.multitask.get
        val ahead = new Steps(task, steps = 1, early = false)
        ahead.start()
        ahead.running.await()
        left.add(ahead)
        try { task.takes(ahead); () }
        catch { case e: InterruptedException => interrupted.countDown(); throw e }
      }
      while (left.isEmpty) Thread.sleep(1)
      val ahead = left.peek
      while (ahead.task.computes) Thread.sleep(1)
      sc.cancelJobGroup("killed")
      assert(Try(Await.result(job, 1.minute)).isFailure)
      assert(interrupted.await(1, TimeUnit.MINUTES)) // the job's failure is told before its task is
      ahead.goOn.countDown()
      ahead.thread.join()
      (Held.now(spark), ahead.discarded.get)
    }
    assertEquals(ran.answer, (Held.Nothing, 1))
  }

  folder.test("a task goes ahead where nobody waits for the disk, or for a core") { folder =>
    val ran = Jobs.run(folder, conf = on + ("spark.pellucid.monotasks.diskSlots" -> "1")) {
      _.sparkContext.parallelize(Seq(0), 1).map { _ =>
        val task = TaskRecord.current.multitask.get
        val disk = task.resources.of("disk:busy", MonotaskPhase.InputRead)
        def may = task.mayGoAhead("disk:busy", MonotaskPhase.InputRead)
        val (alone, besideDisk, afterDisk) = (may, besideOthers(disk, 2)(may), may)
        (
          alone,
          besideDisk,
          afterDisk,
          besideOthers(task.resources.cpu, 1)(may),
          besideOthers(task.resources.cpu, 2)(may),
          may
        )
      }.collect().head
    }
    assertEquals(ran.answer, (true, false, true, true, false, true)) // of two cores the task has one
  }

  folder.test("an exception in the hook is one warning, and the job as it was") { folder =>
    val hook = "reading input ahead of tasks"
    Guard.sabotage(hook)
    val warnings = Warnings.during {
      val ran = Jobs.run(folder, conf = on) {
        _.sparkContext.parallelize(0 until 4, 4).map { n => Thread.sleep(300); n }.sum()
      }
      assertEquals(ran.answer, 6.0)
    }
    assertEquals(warnings.size, 1, warnings)
    assert(warnings.head.contains(s"$hook is switched off"), warnings)
  }
}

private object AheadSuite {
  private final val Bytes = 1000
  private val left = new java.util.concurrent.ConcurrentLinkedQueue[Steps]

  private val number = new AtomicInteger
  private val interrupted = new CountDownLatch(1)

  /** While as many other threads have a place there, or wait for one. */
  private def besideOthers[A](gate: Gate, many: Int)(what: => A): A = {
    val end = new CountDownLatch(1)
    val before = gate.runs + gate.waits
    val others = (1 to many).map { i =>
      val other =
        new Thread(() => { gate.enter(new Turn(1000L + i, MonotaskPhase.InputRead)); end.await(); gate.leave() })
      other.start()
      while (gate.runs + gate.waits < before + i) Thread.onSpinWait()
      other
    }
    try what
    finally { end.countDown(); others.foreach(_.join()) }
  }

  /** As many monotasks of a disk of its own, each of which runs until it may go on; -1 is one that throws an exception. */
  private final class Steps(val task: Multitask, steps: Int, early: Boolean = true)
      extends Ahead(task, s"disk:ahead${number.incrementAndGet()}", MonotaskPhase.InputRead) {
    val running, goOn = new CountDownLatch(1)
    val done, discarded = new AtomicInteger

    override protected def io(): Int = {
      running.countDown()
      goOn.await(60, TimeUnit.SECONDS)
      if (steps < 0) throw new IllegalStateException("on purpose")
      done.incrementAndGet()
      Bytes
    }
    override protected def isComplete: Boolean = done.get >= steps
    override protected def discard(): Unit = { discarded.incrementAndGet(); () }

    lazy val thread: Thread = new Thread(() =>
      try if (!early || task.beginsEarly(this)) run()
      catch { case _: IllegalStateException => () }
    )
    def start(): Thread = {
      if (!early) task.begins(this)
      thread.start()
      thread
    }
  }
}
