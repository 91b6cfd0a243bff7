package org.apache.spark.pellucid

import java.nio.ByteBuffer
import java.nio.file.Path
import java.util.concurrent.{
  BlockingQueue, ConcurrentHashMap, CountDownLatch, Executors, LinkedBlockingDeque, LinkedBlockingQueue, TimeUnit
}
import java.util.concurrent.atomic.{AtomicBoolean, AtomicInteger}

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
    "what is there is read first; then requests are sent together, by as many tasks at once as the network has slots, until all blocks are there"
  ) { folder =>
    Others.reset()
    val ran = Jobs.run(folder, conf = on + ("spark.pellucid.monotasks.networkSlots" -> "1")) { spark =>
      spark.sparkContext.parallelize(0 until 8, 8).map { i =>
        val reducer = new Reducer(if (i % 2 == 0) classOf[LinkedBlockingQueue[_]] else classOf[LinkedBlockingDeque[_]])
        import reducer.{fetches, results}
        var sent = 0
        val there = new AtomicInteger
        for (request <- 1 to 3) fetches.add(2, reducer) { listener =>
          if (sent == 0) Others.asks()
          sent += 1
          for (block <- 1 to 2) Others.send { () =>
            if (there.incrementAndGet() == 3) Others.hasHalf()
            listener.onBlockFetchSuccess(s"$request.$block", Others.block)
          }
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
    assertEquals(Others.most.get, 1)
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
      reducer.asks("a b", whenTold = "c d")
      val first = reducer.takes()
      AtOnce.spin(50)
      val half = reducer.results.size
      val second = reducer.takes()
      Others.comes("c", afterWaiting = Some(Thread.currentThread))
      val third = reducer.takes()
      Others.comes("d")
      while (Others.came("d").isEmpty) {} // it computes
      (Seq(first, second, third, reducer.takes()), half)
    }
    val (taken, half) = ran.answer
    assertEquals((taken.map(_.block).mkString(" "), half), ("a b c d", 1))
    val table = ran.trace.monotasks
    val rows = ofNetwork(table)
    assertEquals(rows.map(table.bytes(_)), Seq(2000L, 1000L, 1000L))
    assertEquals(rows.map(table.ahead(_)), Seq(0, 1, 1))
    // it waits for b, and for c 50 ms and more; d is there before it asks
    assertBetween(table.endMicros(rows(0)), Others.came("b").get._1, taken(0).ended)
    assertBetween(table.endMicros(rows(1)), Others.came("c").get._1, taken(2).ended)
    assertBetween(table.endMicros(rows(2)), Others.came("d").get._1, Others.came("d").get._2)
    assertBetween(table.awaitedMicros(rows(1)), 50000, taken(2).ended - taken(2).began)
    assertEquals(table.awaitedMicros(rows(2)), 0L)
    // the rest begins where the task goes on, beside its computing
    assertBetween(table.queuedMicros(rows(1)), Others.came("b").get._1, taken(0).ended)
    assertBetween(table.queuedMicros(rows(2)), Others.came("c").get._1, taken(2).ended)
    for (row <- rows.drop(1)) assert(table.queuedMicros(row) < table.endMicros(row - 1), row)
  }

  private def assertBetween(value: Long, least: Long, most: Long): Unit =
    assert(value >= least && value <= most, (value, least, most))

  folder.test("a core that idles after half of the blocks are there is noticed") { folder =>
    Others.reset()
    val ran = Jobs.run(folder, conf = on) { spark =>
      spark.sparkContext.parallelize(0 until 3, 3).map { i =>
        if (i > 0) { Others.compute(); AtOnce.spin(300); Others.computed.countDown(); true }
        else {
          val reducer = new Reducer
          reducer.fetches.add(2, reducer) { listener =>
            Others.send { () => Others.computing.await(); listener.onBlockFetchSuccess("first", Others.block) }
            Others.hold("second", listener)
          }
          reducer.takes()
          val between = Others.computed.getCount < 2 && Others.came("second").isEmpty
          Others.comes("second")
          reducer.takes()
          between
        }
      }.collect().toSeq
    }
    assert(ran.answer.head)
  }

  /** A task has asked for four blocks, of which the first `come`, one every 150 ms, and the others when a second task has asked for its own.
    *
    * @return how many of the four had come by then, and how many milliseconds it took
    */
  private def besideAnother(folder: Path, bytes: Long, come: Int): (Int, Long) = {
    Others.reset()
    Jobs.run(folder, conf = on) { spark =>
      spark.sparkContext.parallelize(0 until 2, 2).map { i =>
        val reducer = new Reducer(bytes = bytes)
        val names = Seq("a", "b", "c", "d")
        var asked = (0, 0L)
        if (i == 0) {
          reducer.fetches.add(4, reducer) { listener =>
            names.foreach(Others.hold(_, listener))
            Others.computing.countDown()
          }
          names.foreach(_ => reducer.takes())
        } else {
          while (Others.computing.getCount == 2) Thread.sleep(1) // the first has not asked
          val began = AtOnce.micros
          for ((name, i) <- names.take(come).zipWithIndex) Others.comes(name, millis = 150 * (i + 1))
          reducer.fetches.add(1, reducer) { listener =>
            asked = (names.count(Others.came(_).nonEmpty), (AtOnce.micros - began) / 1000)
            names.foreach(Others.comes(_))
            Others.send(() => listener.onBlockFetchSuccess("e", Others.block))
          }
          reducer.takes()
        }
        asked
      }.collect().last
    }.answer
  }

  folder.test("requests for many bytes are sent one task's after the other's, when half of the blocks are there") {
    folder =>
      val (came, millis) = besideAnother(folder, bytes = 4L << 20, come = 2)
      assert(came > 0 && millis >= 300, (came, millis)) // the second may not have been noted as one that came
  }

  folder.test("or after a second") { folder =>
    val (came, millis) = besideAnother(folder, bytes = 4L << 20, come = 0)
    assert(came == 0 && millis >= 1000, (came, millis))
  }

  folder.test("no task begins beyond one that stands in line for its turn") { folder =>
    Others.reset()
    val ran = Jobs.run(folder, conf = on) { spark =>
      spark.sparkContext.parallelize(0 until 4, 4).map { i =>
        val began = AtOnce.micros
        var asks, asked = began
        if (i == 0) while (Others.computed.getCount > 0) {} // so that cores are idle only while the third waits
        else if (i < 3) {
          val reducer = new Reducer(bytes = 4L << 20)
          while (i == 2 && Others.computing.getCount == 2) {} // the second has not asked
          reducer.fetches.add(1, reducer) { listener =>
            asked = AtOnce.micros
            Others.hold(i.toString, listener)
            if (i == 1) Others.computing.countDown()
            else {
              for (name <- Seq("1", "2")) Others.comes(name)
              for (_ <- 1 to 2) Others.computed.countDown()
            }
          }
          asks = AtOnce.micros
          reducer.takes()
        }
        (began, asks, asked)
      }.collect()
    }
    val (_, asks, asked) = ran.answer(2)
    val (began, _, _) = ran.answer(3)
    assert(asked - asks >= 1000000 && began >= asked, (asks, asked, began))
  }

  folder.test("a task that comes back for the rest of many bytes does not wait for those who ask") { folder =>
    Others.reset()
    val ran = Jobs.run(folder, conf = on) { spark =>
      spark.sparkContext.parallelize(0 until 2, 2).map { i =>
        val reducer = new Reducer(bytes = 4L << 20)
        if (i == 0) {
          reducer.asks("a b", whenTold = "c d")
          reducer.takes()
          Others.computing.countDown() // it has gone on with half
          Others.computed.await()
          reducer.takes()
          for (name <- Seq("c", "d")) Others.comes(name)
          val back = reducer.takes()
          Others.comes("e")
          (back.ended - back.began) / 1000
        } else {
          while (Others.computing.getCount == 2) Thread.sleep(1)
          reducer.fetches.add(1, reducer) { listener =>
            Others.hold("e", listener)
            for (_ <- 1 to 2) Others.computed.countDown()
          }
          reducer.takes()
          0
        }
      }.collect().head
    }
    assert(ran.answer < 1000, ran.answer)
  }

  folder.test("those for few bytes are sent beside others") { folder =>
    val (came, _) = besideAnother(folder, bytes = (4L << 20) - 1, come = 2)
    assertEquals(came, 0)
  }

  folder.test("blocks that come while requests are still being sent count") { folder =>
    val ran = alone(folder) { reducer =>
      reducer.fetches.add(1, reducer)(_.onBlockFetchSuccess("first", Others.block))
      reducer.asks("", whenTold = "second")
      val first = reducer.takes().block
      val before = Others.came("second").isEmpty
      Others.comes("second")
      (first, before, reducer.takes().block)
    }
    assertEquals(ran.answer, ("first", true, "second"))
  }

  folder.test("of a task that does not read all that it asked for, what has come is a monotask, too") { folder =>
    val ran = alone(folder) { reducer =>
      reducer.asks("a b", whenTold = "c d")
      reducer.takes()
      Others.comes("c")
      while (Others.came("c").isEmpty) {}
    }
    val rows = ofNetwork(ran.trace.monotasks)
    assertEquals(rows.map(ran.trace.monotasks.bytes(_)), Seq(2000L, 1000L))
  }

  folder.test("requests that come while a task goes on take their turn at the network") { folder =>
    val ran = alone(folder) { reducer =>
      reducer.asks("a", whenTold = "b")
      val first = reducer.takes().block
      reducer.asks("c")
      val second = reducer.takes().block
      Others.comes("b")
      Seq(first, second, reducer.takes().block).mkString(" ")
    }
    assertEquals(ran.answer, "a c b")
    val table = ran.trace.monotasks
    val rows = ofNetwork(table)
    assertEquals(rows.map(table.ahead(_)), Seq(0, 1, 0, 1))
    assertEquals(rows.map(table.bytes(_)), Seq(1000L, 0L, 1000L, 1000L))
  }

  folder.test("a wait for the rest that is cut short is the network's, not the core's") { folder =>
    val ran = alone(folder) { reducer =>
      reducer.asks("a", whenTold = "b")
      reducer.takes()
      val waits = Thread.currentThread
      Others.send(() => waits.interrupt(), millis = 1000)
      try reducer.takes().block
      catch { case _: InterruptedException => "interrupted" }
    }
    assertEquals(ran.answer, "interrupted")
    val table = ran.trace.monotasks
    val rest = ofNetwork(table).last
    assert(table.ahead(rest) == 1 && table.serviceMicros(rest) >= 1000000, table.serviceMicros(rest))
    for (row <- 0 until table.size) {
      val waited = table.beginMicros(row) - table.queuedMicros(row)
      assert(row == rest || waited < 150000, waited)
    }
  }

  folder.test("a task that is interrupted before it asks, and reads on, gets what it wants") { folder =>
    val ran = alone(folder) { reducer =>
      reducer.asks("a b")
      Thread.currentThread.interrupt()
      val first =
        try reducer.takes().block
        catch { case _: InterruptedException => "interrupted" }
      Seq(first, reducer.takes().block, reducer.takes().block).mkString(" ")
    }
    assertEquals(ran.answer, "interrupted a b")
  }

  folder.test("a failure is seen at once, and the next requests are sent and waited for") { folder =>
    val ran = alone(folder) { reducer =>
      var late: () => Unit = () => ()
      reducer.fetches.add(2, reducer) { listener =>
        listener.onBlockFetchFailure("failure", new Exception)
        late = () => listener.onBlockFetchSuccess("late", Others.block)
      }
      val failure = reducer.takes().block
      reducer.fetches.add(1, reducer) { listener =>
        Others.send { () => listener.onBlockFetchSuccess("again", Others.block); late() }
      }
      Seq(failure, reducer.takes().block, reducer.takes().block).mkString(" ")
    }
    assertEquals(ran.answer, "failure again late")
  }
}

/** As Spark's iterator over a shuffle's blocks, of the task on whose thread it is made. */
private final class Reducer(stock: Class[_] = classOf[LinkedBlockingDeque[_]], bytes: Long = 1000)
    extends BlockFetchingListener {
  val fetches = new Fetches(TaskRecord.current.multitask.get, () => bytes)
  val results: BlockingQueue[AnyRef] = Fetches.results(stock, fetches)

  /** The task may have it, and end, before the thread that brings it goes on. */
  def onBlockFetchSuccess(blockId: String, data: ManagedBuffer): Unit = { results.put(blockId); Thread.sleep(1) }
  def onBlockFetchFailure(blockId: String, e: Throwable): Unit = results.put(blockId)

  /** For blocks of these names that come soon, and others that do when they are told to. */
  def asks(soon: String, whenTold: String = ""): Unit = {
    def names(of: String) = of.split(' ').toSeq.filter(_.nonEmpty)
    fetches.add(names(soon).size + names(whenTold).size, this) { listener =>
      names(soon ++ " " ++ whenTold).foreach(Others.hold(_, listener))
      names(soon).foreach(Others.comes(_))
    }
  }

  def takes(): Taken = {
    val began = AtOnce.micros
    Taken(results.take().toString, began, AtOnce.micros)
  }
}

/** When a task asked for a block, and had it, microseconds. */
private final case class Taken(block: String, began: Long, ended: Long)

/** The other executors: each block comes after 20 ms, or when it is told to. */
object Others {
  private val later = Executors.newScheduledThreadPool(1)
  val block = new NioManagedBuffer(ByteBuffer.allocate(1000))

  /** Tasks at once that have asked and not half of their blocks. */
  val most = new AtomicInteger
  private val asking = new AtomicInteger
  def asks(): Unit = { most.accumulateAndGet(asking.incrementAndGet(), math.max); () }
  def hasHalf(): Unit = { asking.decrementAndGet(); () }
  private val held = new ConcurrentHashMap[String, Held]

  def reset(): Unit = {
    Seq(most, asking).foreach(_.set(0))
    held.clear()
    computing = new CountDownLatch(2)
    computed = new CountDownLatch(2)
  }

  /** Two tasks that have both cores, and have had them. */
  @volatile var computing, computed = new CountDownLatch(2)
  def compute(): Unit = { computing.countDown(); computing.await() }

  def send(arrives: () => Unit, millis: Long = 20): Unit = {
    later.schedule((() => arrives()): Runnable, millis, TimeUnit.MILLISECONDS)
    ()
  }

  /** A block that comes when it is told to, or so late that what waits for it has failed. */
  def hold(name: String, listener: BlockFetchingListener): Unit = {
    val one = new Held(() => listener.onBlockFetchSuccess(name, block))
    held.put(name, one)
    later.schedule((() => one.comes()): Runnable, 20, TimeUnit.SECONDS)
    ()
  }

  /** @param afterWaiting a thread that is to have waited 50 ms by then */
  def comes(name: String, afterWaiting: Option[Thread] = None, millis: Long = 20): Unit = send(
    () => {
      for (thread <- afterWaiting) {
        while (thread.getState != Thread.State.WAITING && came(name).isEmpty) Thread.sleep(1)
        Thread.sleep(50)
      }
      held.get(name).comes()
    },
    millis
  )

  /** Microseconds before and after its task was told; None where it has not come. */
  def came(name: String): Option[(Long, Long)] = held.get(name).came

  private final class Held(arrives: () => Unit) {
    private val told = new AtomicBoolean
    @volatile var came = Option.empty[(Long, Long)]

    def comes(): Unit = if (!told.getAndSet(true)) {
      val before = AtOnce.micros
      arrives()
      came = Some((before, AtOnce.micros))
    }
  }
}
