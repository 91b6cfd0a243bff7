package pellucid.trace

import pellucid.Samples._
import pellucid.breakdown.{Phase, TaskPhases}

/** Times that were sampled, of tasks shorter and longer than the time between two looks. */
class SampledTimeSuite extends munit.FunSuite {

  /** Runs for `run` ms, half of them on the CPU. */
  private def task(id: Long, run: Int, seen: String, stage: Int = 0) = taskEnd(
    id,
    stage = stage,
    finish = 1000 + run,
    accumulables = s"""{"ID":7,"Name":"pellucid.task","Update":"[1;0$seen]"}""",
    metrics = s"""{"Executor Run Time":$run,"Executor CPU Time":${run * 500000}}"""
  )

  private def phases(lines: String*)
      : Seq[(Long, Long, Long)] = { // milliseconds of Python, driver, unnamed of each task
    val tasks = readLines(environment +: lines: _*).tasks
    val of = new TaskPhases(tasks)
    (0 until tasks.size).map { row =>
      of.load(row)
      val ms = Seq(Phase.PythonWorker, Phase.Driver, Phase.Waiting).map(p => (of(p) / 1e6).round)
      (ms(0), ms(1), ms(2))
    }
  }

  test("a long task keeps what was seen of it") {
    assertEquals(phases(task(1, 1000, ";python,worker,3,0,300000,;driver,rpc,1,0,100000,")), Seq((300L, 100L, 100L)))
  }

  test("a short task that was seen stands for those of its stage that were not") {
    // four tasks wait 10 ms each; one was seen once, 30 ms: 10 are its own, the other 20 belong to the others' 30
    val four = phases(task(1, 20, ";python,worker,1,0,30000,"), task(2, 20, ""), task(3, 20, ""), task(4, 20, ""))
    assertEquals(four, Seq((10L, 0L, 0L), (7L, 0L, 3L), (7L, 0L, 3L), (7L, 0L, 3L)))
  }

  test("no more than there is waiting, and never of another stage") {
    val both = phases(
      task(1, 20, ";python,worker,1,0,60000,;driver,rpc,1,0,40000,"),
      task(2, 20, ""),
      task(3, 20, "", stage = 1)
    )
    assertEquals(both, Seq((6L, 4L, 0L), (6L, 4L, 0L), (0L, 0L, 10L)))
  }
}
