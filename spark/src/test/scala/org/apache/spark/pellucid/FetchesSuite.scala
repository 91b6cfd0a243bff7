package org.apache.spark.pellucid

import java.nio.ByteBuffer
import java.nio.file.Path
import java.util.concurrent.{
  BlockingQueue, CountDownLatch, Executors, LinkedBlockingDeque, LinkedBlockingQueue, TimeUnit
}
import java.util.concurrent.atomic.AtomicInteger

import scala.reflect.ClassTag

import org.apache.spark.network.buffer.{ManagedBuffer, NioManagedBuffer}
import org.apache.spark.network.shuffle.BlockFetchingListener

import pellucid.{Jobs, SparkSuite}
import pellucid.Jobs.Ran
import pellucid.monotask.AtOnce
import pellucid.observe.TaskRecord
import pellucid.trace.MonotaskTable

class FetchesSuite extends SparkSuite {
  private val on = Map("spark.pellucid.monotasks" -> "true", "spark.pellucid.monotasks.networkSlots" -> "2")

  folder.test(
    "what is there is read first; then requests are sent together, by two tasks at once, until all blocks are there"
  ) { folder =>
    Others.reset()
    val ran = Jobs.run(folder, conf = on) { spark =>
      spark.sparkContext.parallelize(0 until 8, 8).map { i =>
        val reducer = new Reducer(if (i % 2 == 0) classOf[LinkedBlockingQueue[_]] else classOf[LinkedBlockingDeque[_]])
        import reducer.{fetches, results}
        var sent = 0
        for (request <- 1 to 3) fetches.add(2, reducer) { listener =>
          sent += 1
          for (block <- 1 to 2) Others.send(() => listener.onBlockFetchSuccess(s"$request.$block", Others.block))
        }
        results.put("local")
        val first = results.take().toString
        val before = sent
        val others = Seq.fill(6)(results.take().toString)
        (first, before, others.sorted.mkString(" "), sent, results.isEmpty)
      }.collect().toSeq
    }
    assertEquals(ran.answer.distinct, Seq(("local", 0, "1.1 1.2 2.1 2.2 3.1 3.2", 3, true)))
    val table = ran.trace.monotasks
    val fetched = ofNetwork(table)
    assertEquals(fetched.groupMapReduce(table.task(_))(table.bytes(_))(_ + _).values.toSeq, Seq.fill(8)(6000L))
    val (rest, waited) = fetched.partition(table.ahead(_) == 1)
    assertEquals(waited.size, 8)
    assert(waited.forall(table.serviceMicros(_) >= 20000), waited.map(table.serviceMicros(_)))
    assert(rest.forall(table.bytes(_) <= 3000), rest.map(table.bytes(_))) // what comes when half is there
    assert(Others.most.get <= 2 * 6, Others.most) // that are under way, of two tasks
  }

  private def ofNetwork(table: MonotaskTable): Seq[Int] = (0 until table.size).filter(row =>
    table.resources(table.resource(row)) == "network"
  )

  /** One task, and its answer. */
  private def alone[A: ClassTag](folder: Path)(task: Reducer => A): Ran[A] = Jobs.run(folder, conf = on)(
    _.sparkContext.parallelize(Seq(0), 1).map(_ => task(new Reducer)).collect().head
  )

  folder.test("a task whose core would idle computes on the first half of its blocks while the others come") { folder =>
    val ran = alone(folder) { reducer =>
      reducer.asks(100, 200, 300, 400)
      val (first, after) = reducer.takes()
      val half = reducer.results.size
      AtOnce.spin(50)
      val second = reducer.takes()._1
      val third = reducer.takes()._1 // which comes 50 ms later
      AtOnce.spin(200)
      val last = reducer.takes()._1 // which has come
      (Seq(first, second, third, last).mkString(" "), after >= 190 && after < 290, half)
    }
    assertEquals(ran.answer, ("100 200 300 400", true, 1))
    // 200 ms until two are there; the third comes 100 ms after that, for which the task waits 50; the fourth 100 ms later, beside its computing
    val table = ran.trace.monotasks
    val rows = ofNetwork(table)
    assertEquals(rows.map(table.bytes(_)), Seq(2000L, 1000L, 1000L))
    assertEquals(rows.map(table.ahead(_)), Seq(0, 1, 1))
    def near(row: Int, millis: Int*) = {
      val is = Seq(table.serviceMicros(row), table.awaitedMicros(row)).map(_ / 1000)
      assert(is.zip(millis).forall { case (is, near) => math.abs(is - near) < 40 }, is)
    }
    near(rows(0), 200)
    near(rows(1), 100, 50)
    near(rows(2), 100, 0)
    for (row <- rows.drop(1)) assert(table.queuedMicros(row) < table.endMicros(row - 1), row)
  }

  folder.test("a core that idles after half of the blocks are there is noticed") { folder =>
    Others.reset()
    val ran = Jobs.run(folder, conf = on) { spark =>
      spark.sparkContext.parallelize(0 until 3, 3).map { i =>
        if (i > 0) { Others.compute(); AtOnce.spin(300); 0L }
        else {
          val reducer = new Reducer
          reducer.fetches.add(2, reducer) { listener =>
            Others.send { () => Others.computing.await(); listener.onBlockFetchSuccess("first", Others.block) }
            Others.send(() => listener.onBlockFetchSuccess("second", Others.block), millis = 3000)
          }
          val after = reducer.takes()._2
          reducer.takes()
          after
        }
      }.collect().toSeq
    }
    assert(ran.answer.head >= 250 && ran.answer.head < 2000, ran.answer) // not when the second one came
  }

  folder.test("blocks that come while requests are still being sent count") { folder =>
    val ran = alone(folder) { reducer =>
      reducer.fetches.add(1, reducer)(_.onBlockFetchSuccess("first", Others.block))
      reducer.asks(1000)
      val after = reducer.takes()._2
      reducer.takes()
      after
    }
    assert(ran.answer < 500, ran.answer)
  }

  folder.test("of a task that does not read all that it asked for, what has come is a monotask, too") { folder =>
    val ran = alone(folder) { reducer =>
      reducer.asks(100, 200, 300, 2000)
      reducer.takes()
      AtOnce.spin(200) // two were there; the third comes
    }
    val rows = ofNetwork(ran.trace.monotasks)
    assertEquals(rows.map(ran.trace.monotasks.bytes(_)), Seq(2000L, 1000L))
  }

  folder.test("requests that come while a task goes on take their turn at the network") { folder =>
    val ran = alone(folder) { reducer =>
      reducer.asks(20, 300)
      val first = reducer.takes()._1
      reducer.asks(100)
      Seq(first, reducer.takes()._1, reducer.takes()._1).mkString(" ")
    }
    assertEquals(ran.answer, "20 100 300")
    val table = ran.trace.monotasks
    val rows = ofNetwork(table)
    assertEquals(rows.map(table.ahead(_)), Seq(0, 1, 0, 1))
    assertEquals(rows.map(table.bytes(_)), Seq(1000L, 0L, 1000L, 1000L))
  }

  folder.test("a wait for the rest that is cut short is the network's, not the core's") { folder =>
    val ran = alone(folder) { reducer =>
      reducer.asks(20, 2000)
      reducer.takes()
      val waits = Thread.currentThread
      Others.send(() => waits.interrupt(), millis = 300)
      try reducer.takes()._1
      catch { case _: InterruptedException => "interrupted" }
    }
    assertEquals(ran.answer, "interrupted")
    val table = ran.trace.monotasks
    val rest = ofNetwork(table).last
    assert(table.ahead(rest) == 1 && table.serviceMicros(rest) > 200000, table.serviceMicros(rest))
    for (row <- 0 until table.size) {
      val waited = table.beginMicros(row) - table.queuedMicros(row)
      assert(row == rest || waited < 150000, waited)
    }
  }

  folder.test("a task that is interrupted before it asks, and reads on, gets what it wants") { folder =>
    val ran = alone(folder) { reducer =>
      reducer.asks(20, 50)
      Thread.currentThread.interrupt()
      val first =
        try reducer.takes()._1
        catch { case _: InterruptedException => "interrupted" }
      Seq(first, reducer.takes()._1, reducer.takes()._1).mkString(" ")
    }
    assertEquals(ran.answer, "interrupted 20 50")
  }

  folder.test("a failure is seen at once, and the next requests are sent and waited for") { folder =>
    val ran = alone(folder) { reducer =>
      var late: () => Unit = () => ()
      reducer.fetches.add(2, reducer) { listener =>
        listener.onBlockFetchFailure("failure", new Exception)
        late = () => listener.onBlockFetchSuccess("late", Others.block)
      }
      val failure = reducer.takes()._1
      reducer.fetches.add(1, reducer) { listener =>
        Others.send { () => listener.onBlockFetchSuccess("again", Others.block); late() }
      }
      Seq(failure, reducer.takes()._1, reducer.takes()._1).mkString(" ")
    }
    assertEquals(ran.answer, "failure again late")
  }
}

/** As Spark's iterator over a shuffle's blocks, of the task on whose thread it is made. */
private final class Reducer(stock: Class[_] = classOf[LinkedBlockingDeque[_]]) extends BlockFetchingListener {
  val fetches = new Fetches(TaskRecord.current.multitask.get)
  val results: BlockingQueue[AnyRef] = Fetches.results(stock, fetches)
  def onBlockFetchSuccess(blockId: String, data: ManagedBuffer): Unit = results.put(blockId)
  def onBlockFetchFailure(blockId: String, e: Throwable): Unit = results.put(blockId)

  /** For blocks that come after so many milliseconds each, and are named after these. */
  def asks(millis: Long*): Unit = fetches.add(millis.size, this) { listener =>
    millis.foreach(after => Others.send(() => listener.onBlockFetchSuccess(after.toString, Others.block), after))
  }

  /** And the milliseconds that it took. */
  def takes(): (String, Long) = {
    val began = System.nanoTime()
    (results.take().toString, (System.nanoTime() - began) / 1000000)
  }
}

/** The other executors: each block comes after 20 ms. */
object Others {
  private val later = Executors.newScheduledThreadPool(1)
  val block = new NioManagedBuffer(ByteBuffer.allocate(1000))
  val most = new AtomicInteger
  private val underWay = new AtomicInteger

  def reset(): Unit = { Seq(most, underWay).foreach(_.set(0)); computing = new CountDownLatch(2) }

  /** Two tasks that have both cores. */
  @volatile var computing = new CountDownLatch(2)
  def compute(): Unit = { computing.countDown(); computing.await() }

  def send(arrives: () => Unit, millis: Long = 20): Unit = {
    most.accumulateAndGet(underWay.incrementAndGet(), math.max)
    later.schedule((() => { underWay.decrementAndGet(); arrives() }): Runnable, millis, TimeUnit.MILLISECONDS)
    ()
  }
}
