package org.apache.spark.pellucid

import java.nio.ByteBuffer
import java.util.concurrent.{BlockingQueue, Executors, LinkedBlockingDeque, LinkedBlockingQueue, TimeUnit}
import java.util.concurrent.atomic.AtomicInteger

import org.apache.spark.network.buffer.{ManagedBuffer, NioManagedBuffer}
import org.apache.spark.network.shuffle.BlockFetchingListener

import pellucid.{Jobs, SparkSuite}
import pellucid.observe.TaskRecord

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
    val fetched = (0 until table.size).filter(row => table.resources(table.resource(row)) == "network")
    assertEquals(fetched.map(table.bytes(_)), Seq.fill(8)(6000L))
    assert(fetched.forall(table.serviceMicros(_) >= 20000), fetched.map(table.serviceMicros(_)))
    assert(Others.most.get <= 2 * 6, Others.most) // that are under way, of two tasks
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

/** The other executors: each block comes after 20 ms. */
object Others {
  private val later = Executors.newScheduledThreadPool(1)
  val block = new NioManagedBuffer(ByteBuffer.allocate(1000))
  val most = new AtomicInteger
  private val underWay = new AtomicInteger

  def reset(): Unit = Seq(most, underWay).foreach(_.set(0))

  def send(arrives: () => Unit): Unit = {
    most.accumulateAndGet(underWay.incrementAndGet(), math.max)
    later.schedule((() => { underWay.decrementAndGet(); arrives() }): Runnable, 20, TimeUnit.MILLISECONDS)
    ()
  }
}
