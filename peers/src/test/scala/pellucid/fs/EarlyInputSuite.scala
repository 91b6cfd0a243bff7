package pellucid.fs

import java.nio.file.{Files, Path => LocalPath}
import java.util.Arrays

import scala.jdk.CollectionConverters._
import scala.util.Random

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileSystem, FSDataInputStream, Path}
import org.apache.hadoop.hdfs.MiniDFSCluster
import org.apache.spark.{InputPart, SparkConf, SparkContext}
import org.junit.runner.RunWith
import org.scalatest.funsuite.AnyFunSuite
import org.scalatestplus.junit.JUnitRunner

import pellucid.log.EventLog
import pellucid.observe.TaskRecord
import pellucid.trace.Trace

/** A task's first chunks that another thread reads, on an HDFS of one machine in this JVM. */
@RunWith(classOf[JUnitRunner])
class EarlyInputSuite extends AnyFunSuite {
  import EarlyInputSuite._

  test("what was read early is what the task reads, counts as its own, and was read beside what it did until then") {
    val ((same, counted, earlyNanos), trace) = inTask { (file, fs) =>
      val counter = InputPart.counter()
      val began = System.nanoTime()
      early(file, 0, Size)
      val nanos = System.nanoTime() - began
      Thread.sleep(300)
      val content = readAs(fs, file, 0, Size)
      (Arrays.equals(content, bytes(1)), counter(), nanos)
    }
    assert((same, counted) === (true, Size.toLong))
    val table = trace.monotasks
    // of the last task, whose early chunks are the only monotasks of a disk: 1 MB first, and then the rest
    val input = (0 until table.size).filter(row => table.resources(table.resource(row)).startsWith("disk:"))
    assert(input.map(table.bytes(_)) === Seq(1 << 20, 2 << 20))
    val rows = input.head - 1 to input.last + 1
    assert(rows.map(row => table.resources(table.resource(row)).takeWhile(_.isLetter)) ===
      Seq("cpu", "disk", "disk", "cpu"))
    assert(input.map(table.ahead(_)) === Seq(1, 1))
    assert(input.map(table.serviceMicros(_)).sum <= earlyNanos / 1000)
    assert(table.queuedMicros(input.head) > table.queuedMicros(rows.head))
    assert(table.endMicros(input.last) <= table.endMicros(rows.head) - 290000)
    assert(trace.paths.filter(_.kind == "input").map(_.bytes).sum === Size.toLong)
  }

  test("a file that is opened again is read again: its first chunk is somebody else's by then") {
    val (same, _) = inTask { (file, fs) =>
      early(file, 0, Size)
      val first = readAs(fs, file, 0, Size)
      Arrays.fill(TaskRecord.current.multitask.get.memory.array(Size), 1.toByte)
      Seq(first, readAs(fs, file, 0, Size)).forall(Arrays.equals(_, bytes(1)))
    }
    assert(same)
  }

  test("of a file that was written anew meanwhile the task reads what is there now") {
    val ((was, same), _) = inTask { (file, fs) =>
      early(file, 0, Size)
      val writer = new Thread(() => write(fs, file, bytes(2))) // the task itself goes on computing
      writer.start()
      writer.join()
      (TaskRecord.current.multitask.get.opens().isDefined, Arrays.equals(readAs(fs, file, 0, Size), bytes(2)))
    }
    assert((was, same) === (true, true))
  }

  test(
    "what is read from a task's own stream, while that reads other parts, is what the file has, and counts when it is taken"
  ) {
    val ((first, taken, counted, left), _) = inTask { (file, fs) =>
      val counter = InputPart.counter()
      val task = TaskRecord.current.multitask.get
      val in = new FSDataInputStream(fs.open(file).getWrappedStream) // not what measures it
      def ahead(from: Int) = new InputAhead(task, in, fs, from.toLong, 1 << 20, "disk:a", "hdfs:a")
      val (next, other) = (ahead(1 << 20), ahead(2 << 20))
      assert(next.begin())
      val first = in.readNBytes(1 << 20)
      Thread.sleep(500)
      val before = counter()
      val taken = next.take(TaskRecord.current).get
      val content = Arrays.copyOf(taken.chunk, taken.bytes)
      assert(other.begin())
      in.close() // while it may be read
      task.drops(other)
      task.memory.release(taken.chunk.length.toLong)
      Thread.sleep(500)
      val late = System.nanoTime() + 10000000000L
      while (InputPart.executionMemory > 0 && System.nanoTime() < late)
        Thread.sleep(10) // until the read of `other` has ended
      (first, content, (before, counter()), InputPart.executionMemory)
    }
    val all = bytes(1)
    assert(Arrays.equals(first, Arrays.copyOf(all, 1 << 20)))
    assert(Arrays.equals(taken, Arrays.copyOfRange(all, 1 << 20, 2 << 20)))
    assert(counted === ((1L << 20, 2L << 20)))
    assert(left === 0)
  }

  test("where tasks read other parts it soon ends; what they read is theirs, and the memory is given back") {
    val (tasks, _) = inTasks(2 * EarlyInput.Credit) { (file, fs) =>
      early(file, 0, Size / 2)
      val had = TaskRecord.current.multitask.get.opens().isDefined
      val content = readAs(fs, file, Size / 2, Size / 2)
      (had, Arrays.equals(content, Arrays.copyOfRange(bytes(1), Size / 2, Size)), InputPart.executionMemory)
    }
    assert(tasks === Seq(true, false).flatMap(had => Seq.fill(EarlyInput.Credit)((had, true, 0L))))
  }
}

private object EarlyInputSuite {
  private final val Size = 3 << 20

  private def bytes(seed: Int) = { val bytes = new Array[Byte](Size); new Random(seed).nextBytes(bytes); bytes }

  private def inTask[A](body: (Path, FileSystem) => A): (A, Trace) = {
    val (answers, trace) = inTasks(1)(body)
    (answers.head, trace)
  }

  /** Runs `body` in as many tasks, one after the other, of an executor that has written and opened a file of `bytes(1)`. */
  private def inTasks[A](count: Int)(body: (Path, FileSystem) => A): (Seq[A], Trace) = {
    EarlyInput.credit.set(EarlyInput.Credit) // whatever other tests left of it
    val conf = new Configuration
    conf.set(MiniDFSCluster.HDFS_MINIDFS_BASEDIR, Files.createTempDirectory("hdfs").toString)
    val hdfs = new MiniDFSCluster.Builder(conf).numDataNodes(1).build()
    try {
      hdfs.waitActive()
      val file = new Path(s"${hdfs.getURI}/folder/file")
      val logs = Files.createTempDirectory("logs")
      val sc = new SparkContext(
        new SparkConf().setMaster("local[2]").setAppName("early").set("spark.ui.enabled", "false")
          .set("spark.plugins", "pellucid.PellucidPlugin").set("spark.pellucid.monotasks", "true")
          .set("spark.eventLog.enabled", "true").set("spark.eventLog.dir", logs.toUri.toString)
          .set("spark.eventLog.rolling.enabled", "false").set("spark.eventLog.compress", "false")
      )
      EarlyInputSuite.body = () => body(file, file.getFileSystem(new Configuration))
      val answers =
        try {
          sc.parallelize(Seq(0), 1).foreach { _ =>
            val fs = file.getFileSystem(new Configuration)
            write(fs, file, bytes(1))
            fs.open(file).close()
          }
          for (_ <- 1 to count) yield {
            sc.parallelize(Seq(0), 1).foreach(_ => EarlyInputSuite.answer = EarlyInputSuite.body())
            EarlyInputSuite.answer.asInstanceOf[A]
          }
        } finally sc.stop()
      (answers, EventLog.read(Iterator(() => Files.newInputStream(only(logs)))))
    } finally hdfs.shutdown(true)
  }

  @volatile private var body: () => Any = _
  @volatile private var answer: Any = _

  private def only(folder: LocalPath) =
    Files.list(folder).iterator.asScala.filterNot(_.getFileName.toString.startsWith(".")).toSeq.head

  private def write(fs: FileSystem, file: Path, content: Array[Byte]): Unit = {
    val out = fs.create(file, true)
    out.write(content)
    out.close()
  }

  /** As the watch would have it read for the current task. */
  private def early(file: Path, start: Long, length: Long): Unit = {
    val task = TaskRecord.current.multitask.get
    val thread = new Thread(() => EarlyInput.begin(task, file, start, length))
    thread.start()
    thread.join()
  }

  /** As Spark's readers of text do. */
  private def readAs(fs: FileSystem, file: Path, start: Int, length: Int): Array[Byte] =
    InputPart.during(file.toString, start.toLong, length.toLong) {
      val in = fs.open(file)
      try {
        in.seek(start.toLong)
        in.readNBytes(length)
      } finally in.close()
    }
}
