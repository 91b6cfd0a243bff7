package pellucid.log

import java.io.{ByteArrayInputStream, InputStream}
import java.nio.file.{Files, Path}

import scala.util.Random

import org.scalacheck.{Gen, Prop}
import pellucid.Logs
import pellucid.trace.{Tasks, Trace}

class ReaderPropertySuite extends munit.ScalaCheckSuite {
  override def scalaCheckTestParameters = super.scalaCheckTestParameters.withMinSuccessfulTests(200)

  private val plain: Array[Byte] = Files.readAllBytes(Logs.repo("core/src/test/logs/spark-2.4.8-plain"))
  private val whole: Seq[String] = Logs.content(Logs.read(plain))
  private val small: Array[Byte] = lines(plain).filterNot(_.length > 20000).flatten.toArray // without the environment

  private def lines(bytes: Array[Byte]): Seq[Array[Byte]] = {
    val ends = bytes.indices.filter(bytes(_) == '\n')
    (-1 +: ends).zip(ends).map { case (a, b) => bytes.slice(a + 1, b + 1) }
  }

  /** Gives the bytes in pieces of the given sizes, over and over. */
  private def pieces(bytes: Array[Byte], sizes: Seq[Int]): InputStream = new ByteArrayInputStream(bytes) {
    private val next = Iterator.continually(sizes).flatten
    override def read(b: Array[Byte], off: Int, len: Int): Int = super.read(b, off, math.min(len, next.next()))
  }

  property("any split of the bytes into reads gives the same trace") {
    Prop.forAllNoShrink(Gen.nonEmptyListOf(Gen.frequency(1 -> Gen.choose(1, 7), 3 -> Gen.choose(1, 70000)))) { sizes =>
      Logs.content(Logs.read(pieces(plain, sizes))) == whole
    }
  }

  property("any cut into files at the ends of lines gives the same trace") {
    val all = lines(plain)
    Prop.forAllNoShrink(Gen.listOfN(3, Gen.choose(0, all.size))) { cuts =>
      val ends = (0 +: cuts.sorted :+ all.size).distinct
      val files = ends.zip(ends.tail).map { case (a, b) => all.slice(a, b).flatten.toArray }
      val trace = EventLog.read(files.iterator.map(f => () => new ByteArrayInputStream(f)))
      Logs.content(trace) == whole
    }
  }

  /** The rows of tasks that ended, one line each. */
  private def ended(trace: Trace): Seq[String] = (0 until trace.tasks.size).filter(trace.tasks.outcome(_) !=
    Tasks.Running).map(Logs.task(trace, _))

  property("any truncation gives a prefix") {
    val full = ended(Logs.read(small))
    Prop.forAllNoShrink(Gen.choose(0, small.length)) { length =>
      val cut = small.take(length)
      try {
        val trace = Logs.read(cut)
        val complete = cut.count(_ == '\n')
        full.startsWith(ended(trace)) && trace.intake.malformedLines == 0 &&
        trace.intake.lines >= complete && trace.intake.lines <= complete + 1
      } catch { case _: NotAnEventLog => cut.indexOf('\n'.toByte) < 0 }
    }
  }

  property("a compressed log cut anywhere gives a prefix, and never an exception") {
    val full = ended(Logs.read(small))
    val zstd = com.github.luben.zstd.Zstd.compress(small)
    val gzip = {
      val bytes = new java.io.ByteArrayOutputStream
      val out = new java.util.zip.GZIPOutputStream(bytes)
      out.write(small)
      out.close()
      bytes.toByteArray
    }
    Prop.forAllNoShrink(Gen.oneOf(zstd, gzip), Gen.choose(0.0, 1.0)) { (packed, share) =>
      try full.startsWith(ended(Logs.read(packed.take((packed.length * share).toInt))))
      catch { case _: NotAnEventLog => true }
    }
  }

  test("100,000 mutated lines: no crash, every line counted, and no line changes what the others say") {
    val random = new Random(20140417)
    val sources: Seq[Path] = Seq(
      "spark-2.4.8-plain",
      "spark-3.0.3-zstd.zstd",
      "spark-3.5.9-failed-tasks.zstd",
      "spark-4.0.5-executor-lost.zstd",
      "spark-4.3.0-speculation.zstd"
    ).map(n => Logs.repo(s"core/src/test/logs/$n"))
    val originals: IndexedSeq[Array[Byte]] = sources.flatMap { path =>
      lines(Codec.decompress(Files.newInputStream(path)).readAllBytes())
    }.filter(_.length < 8000).map(_.dropRight(1)).toIndexedSeq
    // a stage and a task of its own between all mutated lines, at ids and moments that no other line has
    val marker =
      """{"Event":"SparkListenerTaskEnd","Stage ID":987654,"Stage Attempt ID":0,"Task Type":"ResultTask",""" +
        """"Task End Reason":{"Reason":"Success"},"Task Info":{"Task ID":%d,"Index":0,"Attempt":0,"Launch Time":1700000000000,""" +
        """"Executor ID":"marker","Host":"h","Locality":"ANY","Speculative":false,"Getting Result Time":0,"Finish Time":1700000000009,""" +
        """"Failed":false,"Killed":false,"Accumulables":[]},"Task Metrics":{"Executor Run Time":7,"Executor CPU Time":5000000}}"""
    val batches = 1000
    val perBatch = 100
    var malformed, understood = 0L
    for (batch <- 0 until batches) {
      val out = new java.io.ByteArrayOutputStream
      out.write(marker.format(900000000L + 2 * batch).getBytes)
      out.write('\n')
      for (_ <- 0 until perBatch) {
        out.write(mutate(random, originals(random.nextInt(originals.size))))
        out.write('\n')
      }
      out.write(marker.format(900000001L + 2 * batch).getBytes)
      out.write('\n')
      val trace = Logs.read(out.toByteArray)
      assertEquals(trace.intake.lines, perBatch + 2L)
      val markers = (0 until trace.tasks.size).filter(r =>
        trace.tasks.taskId(r) >= 900000000L && trace.executors(trace.tasks.executor(r)).id == "marker"
      )
      assertEquals(
        markers.map(r =>
          (trace.tasks.taskId(r), trace.tasks.durationMillis(r), trace.tasks.runMillis(r), trace.tasks.cpuNanos(r))
        ).toList,
        List((900000000L + 2 * batch, 9, 7, 5000000L), (900000001L + 2 * batch, 9, 7, 5000000L))
      )
      pellucid.report.Analysis.report(trace) // whatever was understood can be analysed
      malformed += trace.intake.malformedLines
      understood += perBatch - trace.intake.malformedLines
    }
    println(s"fuzz: $malformed of ${batches * perBatch} mutated lines were malformed")
    assertEquals(malformed + understood, batches * perBatch.toLong)
    assert(malformed > batches * perBatch / 10, "the mutations hardly break anything")
  }

  /** One to three random edits; a line end never comes of them. */
  private def mutate(random: Random, line: Array[Byte]): Array[Byte] = {
    var bytes = line
    for (_ <- 0 to random.nextInt(3)) {
      val at = random.nextInt(bytes.length + 1)
      val length = random.nextInt(30)
      val junk = Array.fill(1 + random.nextInt(4))(random.nextInt(256).toByte).filter(_ != '\n')
      bytes = random.nextInt(5) match {
        case 0 => bytes.take(at) ++ junk ++ bytes.drop(at + junk.length)
        case 1 => bytes.take(at) ++ bytes.drop(at + length)
        case 2 => bytes.take(at) ++ junk ++ bytes.drop(at)
        case 3 => bytes.take(at) ++ bytes.slice(at, at + length) ++ bytes.slice(at, at + length) ++
            bytes.drop(at + length)
        case _ => bytes.take(at) ++ bytes.takeRight(length) ++ bytes.drop(at)
      }
      if (bytes.isEmpty) bytes = Array('{')
    }
    bytes
  }
}
