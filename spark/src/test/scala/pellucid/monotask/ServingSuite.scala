package pellucid.monotask

import java.io.File
import java.nio.file.{Files, Path}
import java.util.concurrent.{ConcurrentLinkedQueue, CountDownLatch, TimeUnit}
import java.util.concurrent.atomic.AtomicInteger

import scala.jdk.CollectionConverters._

import org.apache.spark.network.buffer.FileSegmentManagedBuffer
import org.apache.spark.network.util.{MapConfigProvider, TransportConf}

import pellucid.observe.Served
import pellucid.plugin.Guard
import pellucid.sched.MonotaskPhase.{InputRead, ShuffleServe}

/** Files whose names begin with `disk` are on `disk:a` or `disk:b`, by the letter after that; those of `cache` and `shuffle` are on `disk:a`. Of what is `slow` each read takes 5 ms. */
class ServingSuite extends munit.FunSuite {
  import ServingSuite._
  private val folder = FunFixture[Path](_ => Files.createTempDirectory("serving"), _ => Guard.reset())

  private final class Disks {
    val resources = new Resources(cores = 1, new DiskSlots(Some(1), Nil), networkSlots = 1, outputSlots = 1)
    val reads = new ConcurrentLinkedQueue[(Long, Int)] // from where, how much
    @volatile var slow: Long => Boolean = _ => true // from where
    private def disk(file: File): Option[String] = file.getName match {
      case name if name.startsWith("disk") => Some(s"disk:${name.charAt(4)}")
      case name if name.startsWith("cache") || name.startsWith("shuffle") => Some("disk:a")
      case _ => None
    }
    val serving = new Serving(
      resources,
      disk,
      (in, into, at) => {
        val n = in.read(into, at)
        reads.add((at, n))
        if (slow(at)) Thread.sleep(5)
        n
      }
    )
    def gate(name: String): Gate = resources.of(s"disk:$name", ShuffleServe)
    def bytes: Long = reads.asScala.map(_._2.toLong).sum

    /** Answers of a request. */
    final class Request(blocks: FileSegmentManagedBuffer*) {
      val answers = new AtomicInteger
      private val answered = new CountDownLatch(1)
      @volatile var wanted = true
      serving.readBefore(blocks, () => wanted) { answers.incrementAndGet(); answered.countDown() }
      def isAnsweredWithin(seconds: Long): Boolean = answered.await(seconds, TimeUnit.SECONDS)
      def await(): Unit = assert(isAnsweredWithin(20))
    }
  }

  private def block(folder: Path, name: String, size: Int, from: Int = 0): FileSegmentManagedBuffer = {
    val file = folder.resolve(name)
    if (!Files.exists(file)) Files.write(file, new Array[Byte](from + size))
    new FileSegmentManagedBuffer(Conf, file.toFile, from.toLong, size.toLong)
  }

  private def eventually(what: => Boolean): Unit = {
    val came = Iterator.continually { Thread.sleep(5); what }.take(2000).contains(true)
    assert(came)
  }

  folder.test("what the page cache has waits for no turn, however long the disk's queue") { folder =>
    val disks = new Disks
    disks.slow = _ => false
    assert(disks.gate("a").enter(new Turn(1, InputRead)))
    val blocks = Seq(block(folder, "cache1", 300000, from = 7), block(folder, "cache2", 10))
    eventually { // a computer that is busy with something else may be as slow as a disk
      disks.reads.clear()
      val request = new disks.Request(blocks: _*)
      val answered = request.isAnsweredWithin(1)
      request.wanted = false
      if (!answered) {
        disks.gate("a").leave()
        request.await()
        disks.gate("a").enter(new Turn(1, InputRead))
      }
      answered
    }
    assertEquals((disks.bytes, disks.reads.peek()), (300010L, (7L, 64 << 10)))
    disks.gate("a").leave()
  }

  folder.test("what it has not waits for the disk's other monotasks; one request has the disk for 8 MB at a time") {
    folder =>
      val disks = new Disks
      val (size, from) = (12 << 20, 1000)
      Served.takeMonotasks()
      assert(disks.gate("a").enter(new Turn(1, InputRead)))
      val request = new disks.Request(block(folder, "shuffle_3_17_0.data", size, from))
      eventually(disks.gate("a").waits == 1)
      // 64 KB have shown that it is on disk
      assertEquals((request.answers.get, disks.reads.asScala.toSeq), (0, Seq((1000L, 64 << 10))))
      var readBefore = 0L
      val other = new Thread(() => {
        disks.gate("a").enter(new Turn(2, InputRead)) // no assertion: a suite has one at a time
        readBefore = disks.bytes
        disks.gate("a").leave()
      })
      other.start()
      eventually(disks.gate("a").waits == 2)
      disks.gate("a").leave()
      request.await()
      other.join()
      eventually(disks.bytes == size && disks.gate("a").runs == 0)
      assertEquals(request.answers.get, 1)
      // 64 KB, then a turn of 8 MB: reads of 1 MB until there are so many
      assertEquals(readBefore, (64L << 10) + (8L << 20))
      assertEquals(
        disks.reads.asScala.map(_._1).toSeq,
        disks.reads.asScala.scanLeft(1000L)(_ + _._2).toSeq.dropRight(1)
      )
      val monotasks = Served.takeMonotasks()
      assertEquals(
        monotasks.map(m => (m.resource, m.mapTask, m.bytes)),
        Seq(8L << 20, (4L << 20) - (64L << 10)).map(("disk:a=1", Some(17L), _)) // each read takes 5 ms and more
      )
      assert(monotasks.forall(m => m.serviceMicros >= 20000 && m.cpuMicros < m.serviceMicros), monotasks)
      assert(monotasks(1).queuedMicros >= monotasks(0).queuedMicros + monotasks(0).waitMicros + 40000, monotasks)
  }

  /** In one of many tries: a computer that is busy with something else may be as slow as a disk. */
  private def eventuallyReads(
      expected: Seq[Int],
      blocks: Seq[FileSegmentManagedBuffer]
  )(slow: Long => Boolean): Unit = {
    val disks = new Disks
    disks.slow = slow
    eventually {
      Served.takeMonotasks()
      disks.reads.clear()
      new disks.Request(blocks: _*).await()
      eventually(disks.bytes == blocks.map(_.size).sum && disks.gate("a").runs == 0)
      Served.takeMonotasks().map(_.bytes) == expected
    }
  }

  folder.test("a turn ends where the page cache has what follows, which is nothing that the disk has read") { folder =>
    // 64 KB, then pieces of 1 MB in a turn: those from 64 KB, 1088 KB and 2112 KB on are waited for, the one from 3136 KB on is not;
    // the rest is there but for 4608 to 5120 KB: of that 64 KB are read without a turn, a piece of 1 MB with one
    eventuallyReads(Seq(3 << 20), Seq(block(folder, "cache", 8 << 20)))(_ < (3 << 20))
    eventuallyReads(Seq(3 << 20, 1 << 20), Seq(block(folder, "cache", 8 << 20))) { at =>
      at < (3 << 20) || at >= (4608 << 10) && at < (5 << 20)
    }
  }

  folder.test("blocks of a few KB that the page cache has between others end no turn, and the disk did not read them") {
    folder =>
      val blocks = (0 until 100).map(i => block(folder, "cache", 1000, from = 1000 * i))
      Files.write(folder.resolve("cache"), new Array[Byte](100000))
      // of 100 every second is waited for, the first of them without a turn
      eventuallyReads(Seq(49000), blocks)(_ % 2000 == 0)
  }

  folder.test("a request is answered once, when its blocks of all disks are there") { folder =>
    val disks = new Disks
    assert(disks.gate("a").enter(new Turn(1, InputRead)))
    val blocks = Seq("diska1", "diska2", "diskb", "elsewhere").map(block(folder, _, 1000)) :+
      block(folder, "diskb", 500, from = 500)
    val request = new disks.Request(blocks: _*)
    eventually(disks.gate("a").waits == 1 && disks.reads.size == 3)
    assertEquals(request.answers.get, 0)
    disks.gate("a").leave()
    request.await()
    assertEquals((request.answers.get, disks.bytes), (1, 3500L))
  }

  folder.test("of one that nobody waits for any more nothing else is read; of a large block no more than 16 MB") {
    folder =>
      val disks = new Disks
      assert(disks.gate("a").enter(new Turn(1, InputRead)))
      val request = new disks.Request(block(folder, "diska", 1 << 20))
      eventually(disks.gate("a").waits == 1)
      request.wanted = false
      disks.gate("a").leave()
      request.await()
      assertEquals(disks.bytes, 64L << 10)
      new disks.Request(block(folder, "diskb", 20 << 20)).await()
      eventually(disks.bytes == (64L << 10) + (16L << 20) && disks.gate("b").runs == 0)
  }

  folder.test(
    "what cannot be read, is on no known disk, or goes wrong is answered: who sends it says what is the matter"
  ) { folder =>
    val disks = new Disks
    val gone = block(folder, "diska", 1000)
    Files.delete(gone.getFile.toPath)
    val requests = Seq(
      new disks.Request(gone, block(folder, "diskb", 100)),
      new disks.Request(block(folder, "elsewhere", 1000)),
      new disks.Request(new FileSegmentManagedBuffer(
        Conf,
        folder.resolve("diskb").toFile,
        50,
        1000
      )) // the file ends before
    )
    requests.foreach(_.await())
    assertEquals(disks.bytes, 100L + 50 - 1) // of a file's end -1
    Guard.sabotage("reading shuffle files as monotasks before they are sent")
    val after = new disks.Request(block(folder, "diska", 1000))
    after.await()
    assertEquals(disks.bytes, 149L)
    assertEquals((requests :+ after).map(_.answers.get), Seq.fill(4)(1))
    Seq("a", "b").foreach(name => eventually(disks.gate(name).runs == 0))
  }
}

private object ServingSuite {
  private val Conf = new TransportConf("shuffle", MapConfigProvider.EMPTY)
}
