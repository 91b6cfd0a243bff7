package pellucid.observe

import java.util.concurrent.{LinkedBlockingQueue, TimeUnit}

import munit.FunSuite

class CountersSuite extends FunSuite {

  /** What an executor does, and the batches that it hands on. */
  private def counting[A](what: (Counters, LinkedBlockingQueue[String]) => A): A = counting(Seq.empty[QueueLevel])(what)
  private def counting[A](queues: => Seq[QueueLevel])(what: (Counters, LinkedBlockingQueue[String]) => A): A = {
    val handed = new LinkedBlockingQueue[String]
    val counters = new Counters(batch => { handed.add(batch); () }, () => queues)
    try what(counters, handed)
    finally counters.stop()
  }

  private def task(counters: Counters, millis: Long): Unit = {
    counters.taskStarts()
    Thread.sleep(millis)
    counters.taskEnds()
  }

  /** How long the first sample lasts of an executor whose only task takes 600 ms. */
  private def firstMillis(): Int = counting { (counters, handed) =>
    task(counters, 600)
    val batch = handed.poll(10, TimeUnit.SECONDS)
    batch.split(";")(5).split(",")(0).toInt
  }

  test("what is left is handed on as soon as no task runs, before the second is over") {
    val millis = Iterator.continually(firstMillis()).take(5).find(_ < 1000) // a busy computer may be late
    assert(millis.exists(_ >= 600), millis)
  }

  test("tasks that end all the time are no reason to look all the time") {
    val handed = counting { (counters, handed) =>
      for (_ <- 1 to 40) task(counters, 10) // a batch for each, if each was looked at
      handed
    }
    assert(handed.size <= 5, handed.size)
  }

  test("a batch ends with the queues of each second, and has none where there were none") {
    val seconds = Iterator(
      Seq(QueueLevel("cpu=2", 2, 1, 0)),
      Seq(QueueLevel("disk:sda=1", 1, 3, 2), QueueLevel("cpu=2", 1, 0, 0))
    ) ++ Iterator.continually(Nil)
    val batches = counting(seconds.next()) { (counters, handed) =>
      task(counters, 5500)
      Iterator.continually(handed.poll(10, TimeUnit.SECONDS)).take(3).toSeq // of one second, two, and what is left
    }
    val queues = batches.map(_.split("\\|", -1).drop(1).toSeq)
    assertEquals(queues, Seq(Seq("", "cpu=2;2,1,0"), Seq("", "disk:sda=1 cpu=2;1,3,2,1,0,0;0,0,0,0,0,0"), Nil))
  }

  test("a task may end after the executor has stopped") {
    val stopped = counting { (counters, _) => counters.taskStarts(); counters }
    Thread.sleep(600)
    stopped.taskEnds()
  }
}
