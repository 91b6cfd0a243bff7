package org.apache.spark.pellucid

import java.nio.ByteBuffer
import java.util.concurrent.{
  BlockingQueue, CountDownLatch, Executors, LinkedBlockingDeque, LinkedBlockingQueue, TimeUnit
}
import java.util.concurrent.atomic.AtomicInteger

import org.apache.spark.network.buffer.{ManagedBuffer, NioManagedBuffer}
import org.apache.spark.network.shuffle.BlockFetchingListener

import pellucid.{Jobs, SparkSuite}
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
        val fetches = new Fetches(TaskRecord.current.multitask.get)
        val stock = if (i % 2 == 0) classOf[LinkedBlockingQueue[_]] else classOf[LinkedBlockingDeque[_]]
        val results = Fetches.results(stock, fetches)
        var sent = 0
        for (request <- 1 to 3) fetches.add(2, new Received(results)) { listener =>
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

  folder.test("a task whose core would idle computes on the first half of its blocks while the others come") { folder =>
    val ran = Jobs.run(folder, conf = on) { spark =>
      spark.sparkContext.parallelize(Seq(0), 1).map { _ =>
        val fetches = new Fetches(TaskRecord.current.multitask.get)
        val results = Fetches.results(classOf[LinkedBlockingDeque[_]], fetches)
        fetches.add(4, new Received(results)) { listener =>
          for (block <- 1 to 4)
            Others.send(() => listener.onBlockFetchSuccess(block.toString, Others.block), millis = 100L * block)
        }
        val began = System.nanoTime()
        val first = results.take()
        val after = (System.nanoTime() - began) / 1000000
        val half = results.size
        AtOnce.spin(50)
        val second = results.take()
        val third = results.take() // which comes 50 ms later
        AtOnce.spin(200)
        val last = results.take() // which has come
        (Seq(first, second, third, last).mkString(" "), after >= 190 && after < 290, half)
      }.collect().head
    }
    assertEquals(ran.answer, ("1 2 3 4", true, 1))
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
    Computes.reset()
    val ran = Jobs.run(folder, conf = on + ("spark.master" -> "local[1]")) { spark =>
      spark.sparkContext.parallelize(0 until 2, 2).map { i =>
        if (i == 1) { Computes.begin(); AtOnce.spin(300); 0L }
        else {
          val fetches = new Fetches(TaskRecord.current.multitask.get)
          val results = Fetches.results(classOf[LinkedBlockingDeque[_]], fetches)
          fetches.add(2, new Received(results)) { listener =>
            Others.send { () => Computes.await(); listener.onBlockFetchSuccess("first", Others.block) }
            Others.send(() => listener.onBlockFetchSuccess("second", Others.block), millis = 3000)
          }
          val began = System.nanoTime()
          results.take()
          val after = (System.nanoTime() - began) / 1000000
          results.take()
          after
        }
      }.collect().toSeq
    }
    assert(ran.answer.head >= 250 && ran.answer.head < 2000, ran.answer) // not when the second one came
  }

  folder.test("blocks that come while requests are still being sent count") { folder =>
    val ran = Jobs.run(folder, conf = on) { spark =>
      spark.sparkContext.parallelize(Seq(0), 1).map { _ =>
        val fetches = new Fetches(TaskRecord.current.multitask.get)
        val results = Fetches.results(classOf[LinkedBlockingDeque[_]], fetches)
        fetches.add(1, new Received(results))(_.onBlockFetchSuccess("first", Others.block))
        fetches.add(1, new Received(results)) { listener =>
          Others.send(() => listener.onBlockFetchSuccess("second", Others.block), millis = 1000)
        }
        val began = System.nanoTime()
        results.take()
        val after = (System.nanoTime() - began) / 1000000
        results.take()
        after
      }.collect().head
    }
    assert(ran.answer < 500, ran.answer)
  }

  folder.test("of a task that does not read all that it asked for, what has come is a monotask, too") { folder =>
    val ran = Jobs.run(folder, conf = on) { spark =>
      spark.sparkContext.parallelize(Seq(0), 1).map { _ =>
        val fetches = new Fetches(TaskRecord.current.multitask.get)
        val results = Fetches.results(classOf[LinkedBlockingDeque[_]], fetches)
        fetches.add(4, new Received(results)) { listener =>
          for (block <- 1 to 4)
            Others.send(
              () => listener.onBlockFetchSuccess(block.toString, Others.block),
              if (block < 4) 100L * block else 2000
            )
        }
        results.take()
        AtOnce.spin(200) // two were there; the third comes
      }.collect()
    }
    val rows = ofNetwork(ran.trace.monotasks)
    assertEquals(rows.map(ran.trace.monotasks.bytes(_)), Seq(2000L, 1000L))
  }

  folder.test("requests that come while a task goes on take their turn at the network") { folder =>
    val ran = Jobs.run(folder, conf = on) { spark =>
      spark.sparkContext.parallelize(Seq(0), 1).map { _ =>
        val fetches = new Fetches(TaskRecord.current.multitask.get)
        val results = Fetches.results(classOf[LinkedBlockingDeque[_]], fetches)
        def ask(blocks: Long*): Unit = fetches.add(blocks.size, new Received(results)) { listener =>
          for (millis <- blocks)
            Others.send(() => listener.onBlockFetchSuccess(millis.toString, Others.block), millis)
        }
        ask(20, 300)
        val first = results.take()
        ask(100)
        (first, results.take(), results.take())
      }.collect().head
    }
    assertEquals(ran.answer.toString, "(20,100,300)")
    val table = ran.trace.monotasks
    val rows = ofNetwork(table)
    assertEquals(rows.map(table.ahead(_)), Seq(0, 1, 0, 1))
    assertEquals(rows.map(table.bytes(_)), Seq(1000L, 0L, 1000L, 1000L))
  }

  folder.test("a wait for the rest that is cut short is the network's, not the core's") { folder =>
    val ran = Jobs.run(folder, conf = on) { spark =>
      spark.sparkContext.parallelize(Seq(0), 1).map { _ =>
        val fetches = new Fetches(TaskRecord.current.multitask.get)
        val results = Fetches.results(classOf[LinkedBlockingDeque[_]], fetches)
        fetches.add(2, new Received(results)) { listener =>
          Others.send(() => listener.onBlockFetchSuccess("first", Others.block))
          Others.send(() => listener.onBlockFetchSuccess("second", Others.block), millis = 2000)
        }
        results.take()
        val waits = Thread.currentThread
        Others.send(() => waits.interrupt(), millis = 300)
        try results.take().toString
        catch { case _: InterruptedException => "interrupted" }
      }.collect().head
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

  folder.test("a failure is seen at once, and the next requests are sent and waited for") { folder =>
    val ran = Jobs.run(folder, conf = on) { spark =>
      spark.sparkContext.parallelize(Seq(0), 1).map { _ =>
        val fetches = new Fetches(TaskRecord.current.multitask.get)
        val results = Fetches.results(classOf[LinkedBlockingDeque[_]], fetches)
        var late: () => Unit = () => ()
        fetches.add(2, new Received(results)) { listener =>
          listener.onBlockFetchFailure("failure", new Exception)
          late = () => listener.onBlockFetchSuccess("late", Others.block)
        }
        val failure = results.take()
        fetches.add(1, new Received(results)) { listener =>
          Others.send { () => listener.onBlockFetchSuccess("again", Others.block); late() }
        }
        Seq(failure, results.take(), results.take()).mkString(" ")
      }.collect().head
    }
    assertEquals(ran.answer, "failure again late")
  }
}

/** As Spark's iterator over a shuffle's blocks. */
private final class Received(results: BlockingQueue[AnyRef]) extends BlockFetchingListener {
  def onBlockFetchSuccess(blockId: String, data: ManagedBuffer): Unit = results.put(blockId)
  def onBlockFetchFailure(blockId: String, e: Throwable): Unit = results.put(blockId)
}

/** Another task. */
object Computes {
  @volatile private var begun = new CountDownLatch(1)
  def reset(): Unit = begun = new CountDownLatch(1)
  def begin(): Unit = begun.countDown()
  def await(): Unit = begun.await()
}

/** The other executors: each block comes after 20 ms. */
object Others {
  private val later = Executors.newScheduledThreadPool(1)
  val block = new NioManagedBuffer(ByteBuffer.allocate(1000))
  val most = new AtomicInteger
  private val underWay = new AtomicInteger

  def reset(): Unit = Seq(most, underWay).foreach(_.set(0))

  def send(arrives: () => Unit, millis: Long = 20): Unit = {
    most.accumulateAndGet(underWay.incrementAndGet(), math.max)
    later.schedule((() => { underWay.decrementAndGet(); arrives() }): Runnable, millis, TimeUnit.MILLISECONDS)
    ()
  }
}
