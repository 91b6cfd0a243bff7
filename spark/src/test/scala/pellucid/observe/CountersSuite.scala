package pellucid.observe

import java.util.concurrent.{LinkedBlockingQueue, TimeUnit}

import munit.FunSuite

class CountersSuite extends FunSuite {

  /** How long the first sample lasts of an executor whose only task takes 600 ms. */
  private def firstMillis(): Int = {
    val handed = new LinkedBlockingQueue[String]
    val counters = new Counters(batch => { handed.add(batch); () })
    try {
      counters.taskStarts()
      Thread.sleep(600)
      counters.taskEnds()
      val batch = handed.poll(10, TimeUnit.SECONDS)
      batch.split(";")(5).split(",")(0).toInt
    } finally counters.stop()
  }

  test("what is left is handed on as soon as no task runs, before the second is over") {
    val millis = Iterator.continually(firstMillis()).take(5).find(_ < 1000) // a busy computer may be late
    assert(millis.exists(_ >= 600), millis)
  }

  test("tasks that end all the time are no reason to look all the time") {
    val handed = new LinkedBlockingQueue[String]
    val counters = new Counters(batch => { handed.add(batch); () })
    try for (_ <- 1 to 1000) { counters.taskStarts(); counters.taskEnds() }
    finally counters.stop()
    assert(handed.size <= 5, handed.size)
  }

  test("a task may end after the executor has stopped") {
    val counters = new Counters(_ => ())
    counters.taskStarts()
    counters.stop()
    Thread.sleep(600)
    counters.taskEnds()
  }
}
