package pellucid.monotask

import java.util.concurrent.{CountDownLatch, TimeUnit}
import java.util.concurrent.atomic.AtomicInteger

import pellucid.{Jobs, SparkSuite, Warnings}
import pellucid.observe.TaskRecord
import pellucid.plugin.Guard
import pellucid.sched.MonotaskPhase

class EarlySuite extends SparkSuite {
  import EarlySuite._
  private val on = Map("spark.pellucid.monotasks" -> "true")

  folder.test("a task waits for the monotask that runs for it, and takes what it did once; no other one begins") {
    folder =>
      val ran = Jobs.run(folder, conf = on) { spark =>
        val seen = spark.sparkContext.parallelize(Seq(0), 1).map { _ =>
          val task = TaskRecord.current.multitask.get
          val early = new Steps(task, steps = 3)
          Thread.sleep(100)
          val thread = early.start()
          early.running.await()
          val opener = new Thread(() => { Thread.sleep(200); early.goOn.countDown() })
          opener.start()
          val took = task.takes(early)
          thread.join()
          (took.exists(_ >= 190000000L), task.takes(early).isEmpty, early.done.get, early.discarded.get)
        }.collect().head
        (seen, Held.now(spark))
      }
      assertEquals(ran.answer, ((true, true, 1, 0), Held.Nothing))
      // 100 ms of the task's own, and then 200 ms of the monotask: what the task waited for it is no computing
      val table = ran.trace.monotasks
      val row = (0 until table.size).find(row => table.resources(table.resource(row)).startsWith("disk:early")).get
      assertEquals((table.bytes(row), table.waitMicros(row)), (Bytes.toLong, 0L))
      assert(table.serviceMicros(row) >= 190000, table.serviceMicros(row))
      assert(table.serviceMicros(row - 1) >= 95000, table.serviceMicros(row - 1))
      assert(table.serviceMicros(row + 1) < 190000, table.serviceMicros(row + 1))
  }

  folder.test(
    "what nobody takes is discarded once, whether the task does something else before or after it has ended"
  ) {
    folder =>
      val ran = Jobs.run(folder, conf = on) { spark =>
        val seen = spark.sparkContext.parallelize(Seq(false, true), 2).map { ends =>
          val task = TaskRecord.current.multitask.get
          val early = new Steps(task, steps = 1)
          val thread = early.start()
          early.running.await()
          if (ends) { early.goOn.countDown(); thread.join() }
          task.at("disk:other", MonotaskPhase.InputRead)(1)
          early.goOn.countDown()
          thread.join()
          (task.takes(early).isEmpty, early.done.get, early.discarded.get)
        }.collect().toSeq
        (seen, Held.now(spark))
      }
      assertEquals(ran.answer, (Seq.fill(2)((true, 1, 1)), Held.Nothing))
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
        (failed, task.takes(late), late.done.get)
      }.collect().head
      (seen, Held.now(spark))
    }
    assertEquals(ran.answer, ((None, None, 0), Held.Nothing))
  }

  folder.test("an exception in the hook is one warning, and the job as it was") { folder =>
    val hook = "reading input while a task waits"
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

private object EarlySuite {
  private final val Bytes = 1000

  /** As many monotasks of a disk, each of which runs until it may go on; -1 is one that throws an exception. */
  private final class Steps(task: Multitask, steps: Int) extends Early(task, "disk:early", MonotaskPhase.InputRead) {
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

    def start(): Thread = {
      val thread = new Thread(() =>
        try run()
        catch { case _: IllegalStateException => () }
      )
      thread.start()
      thread
    }
  }
}
