package pellucid.log

import java.io.{ByteArrayInputStream, ByteArrayOutputStream, IOException, InputStream}
import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.Files
import java.util.zip.{GZIPInputStream, GZIPOutputStream}

import scala.collection.mutable.ArrayBuffer
import scala.util.Random

import net.jpountz.lz4.LZ4BlockInputStream
import org.scalacheck.Gen
import org.scalacheck.Prop.forAll
import org.xerial.snappy.SnappyInputStream

import pellucid.Samples._
import pellucid.trace.Trace

/** What must hold of every log: of any cut, any junk, any way its bytes arrive. */
class AnyLogSuite extends pellucid.Properties {
  import AnyLogSuite._

  override def scalaCheckTestParameters = super.scalaCheckTestParameters.withMinSuccessfulTests(60)

  // ---- how the bytes arrive

  /** The bytes in reads of at most the given sizes, in turn. */
  private def trickle(bytes: Array[Byte], sizes: Seq[Int]): () => InputStream = () =>
    new ByteArrayInputStream(bytes) {
      private val turns = Iterator.continually(sizes).flatten
      override def read(into: Array[Byte], at: Int, most: Int): Int = super.read(into, at, math.min(most, turns.next()))
    }

  private val readSizes = Gen.nonEmptyListOf(
    Gen.frequency(
      3 -> Gen.choose(1, 9),
      3 -> Gen.choose(1, 3000),
      2 -> Gen.choose(1 << 15, 1 << 19),
      1 -> Gen.oneOf(1 << 16, (1 << 16) - 1)
    )
  )

  for (
    name <- Seq(
      "spark-2.4.8-plain",
      "spark-4.3.0-speculation.zstd",
      "spark-2.4.8-gzip.gz",
      "spark-2.4.8-lz4.lz4",
      "spark-3.5.9-snappy.snappy"
    )
  )
    property(s"$name reads the same however its bytes arrive") {
      val bytes = Files.readAllBytes(logs.resolve(name))
      val whole = describe(read(bytes))
      forAll(readSizes)(sizes => assertEquals(describe(EventLog.read(Iterator(trickle(bytes, sizes)))), whole))
    }

  property("lines longer than any buffer read the same however their bytes arrive") {
    val long = (1 to 4).map(i =>
      taskEnd(i.toLong, accumulables = s"""{"ID":1,"Name":"${"]" * (i * 150000)}","Update":1}""")
    )
    val bytes = (logStart +: long).mkString("\n").getBytes(UTF_8)
    val whole = describe(read(bytes))
    forAll(readSizes.map(_.map(_ * 50)))(sizes =>
      assertEquals(describe(EventLog.read(Iterator(trickle(bytes, sizes)))), whole)
    )
  }

  property("a log cut between lines into files, each compressed in its own way or not at all, is the same log") {
    val lines = linesOf(logs.resolve("spark-4.0.5-executor-lost.zstd"))
    val whole = describe(read(bytesOf(lines)))
    val cuts = Gen.listOf(Gen.choose(0, lines.size)).map(_.distinct.sorted)
    forAll(cuts, Gen.long) { (cuts, gzipped) =>
      val parts = (0 +: cuts).zip(cuts :+ lines.size).map { case (from, until) => bytesOf(lines.slice(from, until)) }
      val files = parts.zipWithIndex.map { case (part, i) => if ((gzipped >> i & 1) == 1) gzip(part) else part }
      assertEquals(describe(read(files: _*)), whole)
    }
  }

  // ---- where it stops

  /** Cut after each number of bytes: the rows are those of the TaskEnd lines that are whole by then. */
  private def prefixes(bytes: Array[Byte], cuts: Iterable[Int]): Unit = {
    val full = read(bytes)
    val all = rows(full)
    val ends = lineEnds(bytes)
    val taskEnds = ends.zip(new String(bytes, UTF_8).linesIterator.toSeq).collect {
      case (end, line) if line.contains("\"SparkListenerTaskEnd\"") => end
    }
    assertEquals(ended(full).size, taskEnds.size)
    for (cut <- cuts)
      tryRead(bytes.take(cut)) match {
        case None => assert(cut < ends.head, s"no event log after $cut bytes")
        case Some(trace) =>
          val n = taskEnds.count(_ <= cut)
          assertEquals(ended(trace), 0 until n, s"after $cut bytes")
          assertEquals(rows(trace).take(n), all.take(n), s"after $cut bytes")
          assertEquals(trace.intake.malformedLines, 0L, s"after $cut bytes")
          assertEquals(
            trace.intake.truncated,
            cut > 0 && bytes(cut - 1) != '\n' && !ends.contains(cut),
            s"after $cut bytes"
          )
      }
  }

  test("a log that stops at any byte has the tasks that had ended by then") {
    // each kind of event once, and each task's end
    val lines = linesOf(logs.resolve("spark-2.4.8-plain")).filter(_.length < 8000)
    val first = lines.distinctBy(eventOf) ++ lines.filter(eventOf(_) == "SparkListenerTaskEnd").take(3)
    val bytes = bytesOf(lines.filter(first.contains(_)))
    prefixes(bytes, 0 to bytes.length)
  }

  for (name <- Seq("spark-2.4.8-plain", "spark-4.0.5-executor-lost.zstd", "spark-3.5.9-failed-tasks.zstd"))
    test(s"$name: so does the whole log, at each line end and at 1000 other bytes") {
      val bytes = textOf(logs.resolve(name))
      val random = new Random(7)
      prefixes(
        bytes,
        lineEnds(bytes).flatMap(end => Seq(end - 1, end, end + 1)).filter(_ <= bytes.length) ++
          Seq.fill(1000)(random.nextInt(bytes.length))
      )
    }

  for (name <- compressed)
    test(s"$name: the compressed file may stop at any byte too") {
      val bytes = Files.readAllBytes(logs.resolve(name))
      val all = rows(read(bytes))
      var readable = 0
      for (cut <- (20 until 300) ++ (300 until bytes.length by 211) ++ (bytes.length - 60 until bytes.length))
        tryRead(bytes.take(cut)).foreach { trace =>
          readable += 1
          val n = ended(trace).size
          assertEquals(ended(trace), 0 until n)
          assertEquals(rows(trace).take(n), all.take(n), s"after $cut bytes")
          assertEquals(trace.intake.malformedLines, 0L, s"after $cut bytes")
        }
      assert(readable > 0)
    }

  /** What a decompressor gives of it, byte by byte, until it fails. */
  private def decodable(bytes: Array[Byte], by: InputStream => InputStream): Array[Byte] = {
    val out = new ByteArrayOutputStream
    try {
      val in = by(new ByteArrayInputStream(bytes))
      Iterator.continually(in.read()).takeWhile(_ >= 0).foreach(out.write)
    } catch { case _: IOException => }
    out.toByteArray
  }

  for (
    (name, by) <- Seq[(String, InputStream => InputStream)](
      "spark-2.4.8-gzip.gz" -> (new GZIPInputStream(_)),
      "spark-2.4.8-lz4.lz4" -> (LZ4BlockInputStream.newBuilder().build(_)),
      "spark-3.5.9-snappy.snappy" -> (new SnappyInputStream(_))
    )
  )
    test(s"$name: cut anywhere, all tasks are there whose lines can be decompressed") {
      val bytes = Files.readAllBytes(logs.resolve(name))
      for (cut <- 3000 until bytes.length by 2503) {
        val text = new String(decodable(bytes.take(cut), by), UTF_8)
        val whole = text.take(text.lastIndexOf('\n') + 1).linesIterator
        val rest = text.drop(text.lastIndexOf('\n') + 1)
        val ends = whole.count(_.contains("\"SparkListenerTaskEnd\"")) +
          (if (rest.contains("\"SparkListenerTaskEnd\"") && SlowJson.parse(rest).nonEmpty) 1 else 0)
        assertEquals(tryRead(bytes.take(cut)).fold(0)(ended(_).size), ends, s"after $cut bytes")
      }
    }

  test("a block that is damaged ends the log, in the part that tells what kind of log it is, too") {
    val bytes = Files.readAllBytes(logs.resolve("spark-2.4.8-lz4.lz4"))
    val whole = read(bytes)
    for (at <- Seq(7000, 9000, 11000)) { // of the second block of 32 KB
      val damaged = bytes.clone()
      damaged(at) = (damaged(at) ^ 1).toByte
      for (trace <- tryRead(damaged)) {
        assert(trace.intake.truncated, s"at $at")
        assertEquals(trace.intake.malformedLines, 0L)
        assertEquals(rows(trace).take(ended(trace).size), rows(whole).take(ended(trace).size))
      }
    }
  }

  test("of a pipe, a file in gzip that comes after another one is read, too") {
    val lines = linesOf(logs.resolve("spark-2.4.8-plain"))
    val (first, second) = lines.splitAt(lines.size / 2)
    val parts = Iterator(first, second).map(part => gzip(bytesOf(part)))
    val pipe = new InputStream {
      private var now = new ByteArrayInputStream(parts.next())
      override def available(): Int = now.available() // nothing, before the next one is there
      override def read(): Int = throw new AssertionError
      override def read(into: Array[Byte], at: Int, most: Int): Int = now.read(into, at, most) match {
        case -1 if parts.hasNext => now = new ByteArrayInputStream(parts.next()); now.read(into, at, most)
        case n => n
      }
    }
    assertEquals(describe(EventLog.read(Iterator(() => pipe))), describe(read(bytesOf(lines))))
  }

  for (name <- compressed)
    test(s"$name: a byte changed in the compressed file breaks it off, and no more") {
      val bytes = Files.readAllBytes(logs.resolve(name))
      val random = new Random(11)
      for (_ <- 1 to 300) {
        val broken = bytes.clone()
        broken(12 + random.nextInt(bytes.length - 12)) = random.nextInt(256).toByte
        tryRead(broken).foreach(trace => assert(trace.intake.lines > 0))
      }
    }

  // ---- what is in the lines

  test("no line cut short is taken for an event, of any kind and version") {
    for ((source, lines) <- corpus) {
      val cut = lines.flatMap(line => (1 until line.length by 5).map(line.take))
      val trace = readLines(logStart +: cut :+ taskEnd(1): _*)
      assertEquals(trace.intake.malformedLines, cut.size.toLong, source)
      assertEquals(rows(trace), rows(readLines(taskEnd(1))), source)
    }
  }

  test("100,000 lines with bytes flipped, deleted, inserted, doubled and swapped: no exception, nothing lost") {
    val random = new Random(2015)
    val lines = corpus.values.flatten.map(_.getBytes(UTF_8)).toIndexedSeq
    val batch = 500
    var malformed, notJson = 0L
    val start = System.nanoTime()
    for (_ <- 1 to 100000 / batch) {
      val mutated = Seq.fill(batch)(mutate(lines(random.nextInt(lines.size)), random))
      val out = new ByteArrayOutputStream
      out.write(s"$logStart\n$sentinelPlan\n".getBytes(UTF_8))
      mutated.zip(sentinels).foreach { case (line, sentinel) =>
        out.write(line); out.write('\n'); out.write(sentinel); out.write('\n')
      }
      val trace = read(out.toByteArray)

      // all lines are there, and at most the mutated ones are malformed; what stands between them is as if it stood alone
      assertEquals(trace.intake.lines, 2L + 2 * batch)
      assert(trace.intake.malformedLines <= batch)
      val left = rows(trace).filter(_.contains("executor" -> "sentinel"))
      if (left != sentinelRows) assertEquals(left, sentinelRows)
      malformed += trace.intake.malformedLines
      notJson += mutated.count(line => SlowJson.parse(new String(line, UTF_8)).isEmpty)
    }
    println(f"fuzz: 100000 lines mutated, $notJson of them no JSON, $malformed found malformed; ${(System.nanoTime() -
        start) / 1e9}%.1f s")
    // what a reader must look into to skip it is checked for balance only: some lines that are no JSON pass
    assert(malformed > 100000 / 4 && malformed <= 100000)
  }

  test("malformed lines and events add up: each line is judged by itself") {
    val random = new Random(1972)
    val lines = corpus.values.flatten.map(_.getBytes(UTF_8)).toIndexedSeq
    def malformed(lines: Seq[Array[Byte]]) = {
      val trace = read(bytesOf(Seq(logStart, sentinelPlan)) ++ lines.flatMap(_ :+ '\n'.toByte))
      assertEquals(trace.intake.lines, 2L + lines.size)
      trace.intake.malformedLines
    }
    for (_ <- 1 to 40) {
      val mutated = Seq.fill(50)(mutate(lines(random.nextInt(lines.size)), random))
      assertEquals(malformed(mutated), mutated.map(line => malformed(Seq(line))).sum)
    }
  }

  /** Reads `name` with one line mutated, many times over, and hands the line's number, class and the trace on. */
  private def withOneMutated(
      name: String,
      times: Int
  )(check: (IndexedSeq[String], Int, String, Trace) => Unit): Unit = {
    val lines = linesOf(logs.resolve(name)).filter(_.length < 20000)
    val random = new Random(name.hashCode)
    for (_ <- 1 to times) {
      val i = 1 + random.nextInt(lines.size - 1) // the first stays, so that it is an event log
      val mutated = mutate(lines(i).getBytes(UTF_8), random)
      if (!mutated.forall(b => b == ' ' || b == '\t' || b == '\r'))
        check(
          lines,
          i,
          new String(mutated, UTF_8),
          read(bytesOf(lines.take(i)) ++ mutated ++ "\n".getBytes ++ bytesOf(lines.drop(i + 1)))
        )
    }
  }

  for (name <- mutatedLogs)
    test(
      s"$name: a mutation inside one line does not change what other lines tell of tasks, jobs, stages and queries"
    ) {
      val whole = readPath(logs.resolve(name))
      val original = rows(whole).take(ended(whole).size)
      withOneMutated(name, 700) { (lines, i, mutated, trace) =>
        val event = eventOf(lines(i))
        val before = lines.take(i).count(eventOf(_) == "SparkListenerTaskEnd")
        val own = if (event == "SparkListenerTaskEnd") 1 else 0
        // a changed plan may time other accumulators, and that is its own contribution
        def comparable(row: Seq[(String, Any)]) =
          if (event.contains("SQL")) row.filterNot { case (column, _) =>
            column == "scanNanos" || column == "pythonNanos"
          }
          else row
        val now = rows(trace).take(ended(trace).size)
        val extra = now.size - (original.size - own)
        assert(extra == 0 || extra == 1, s"$extra rows of one line: $mutated")
        assertEquals(now.take(before).map(comparable), original.take(before).map(comparable), mutated)
        assertEquals(now.drop(before + extra).map(comparable), original.drop(before + own).map(comparable), mutated)
        if (event.startsWith("SparkListenerTask")) {
          val plain = describe(trace.copy(
            executors = Vector.empty,
            stages = Vector.empty,
            tasks = none,
            reasons = Vector.empty,
            application = whole.application,
            intake = whole.intake
          ))
          assertEquals(
            plain,
            describe(whole.copy(executors = Vector.empty, stages = Vector.empty, tasks = none, reasons = Vector.empty)),
            mutated
          )
          def stagesOf(t: Trace) = t.stages.filter(_.numTasks > 0).map(s =>
            (s.id, s.attempt, s.name, s.submissionMillis, s.completionMillis, s.failure, s.jobs.toSeq)
          )
          assertEquals(stagesOf(trace), stagesOf(whole), mutated)
        }
      }
    }

  for (name <- mutatedLogs)
    test(s"$name: with a line that is malformed, the log reads as it would without the line") {
      var seen = 0
      withOneMutated(name, 700) { (lines, i, mutated, trace) =>
        if (trace.intake.malformedLines == 1) {
          seen += 1
          val without = read(bytesOf(lines.patch(i, Nil, 1)))
          assertEquals(describe(trace.copy(intake = without.intake)), describe(without), mutated)
          assertEquals(trace.intake.ended, without.intake.ended, mutated)
        }
      }
      assert(seen > 100, s"$seen malformed")
    }
}

object AnyLogSuite {
  private val none = new pellucid.trace.Tasks
  private val compressed =
    Seq("spark-4.3.0-speculation.zstd", "spark-2.4.8-gzip.gz", "spark-2.4.8-lz4.lz4", "spark-3.5.9-snappy.snappy")
  private val mutatedLogs =
    Seq("spark-2.4.8-plain", "spark-3.5.9-failed-tasks.zstd", "spark-4.0.5-executor-lost.zstd", "spark-4.3.0-zstd.zstd")

  private def bytesOf(lines: Seq[String]): Array[Byte] = lines.map(_ + "\n").mkString.getBytes(UTF_8)

  private def gzip(bytes: Array[Byte]): Array[Byte] = {
    val out = new ByteArrayOutputStream
    val gz = new GZIPOutputStream(out)
    gz.write(bytes)
    gz.close()
    out.toByteArray
  }

  /** Where each line's text ends. */
  private def lineEnds(bytes: Array[Byte]): IndexedSeq[Int] = bytes.indices.filter(bytes(_) == '\n')

  /** None where it is no event log; any other exception is let through. */
  private def tryRead(bytes: Array[Byte]): Option[Trace] =
    try Some(read(bytes))
    catch { case _: NotAnEventLog => None }

  private def eventOf(line: String): String = "\"Event\":\"([^\"]*)\"".r.findFirstMatchIn(line).fold("")(_.group(1))

  /** Lines of logs of several versions: up to three of each class of event, of a size that can be mutated often. */
  private lazy val corpus: Map[String, Seq[String]] = {
    val names = Seq(
      "spark-2.4.8-plain",
      "spark-3.0.3-gzip.gz",
      "spark-3.5.9-failed-tasks.zstd",
      "spark-4.0.5-executor-lost.zstd",
      "spark-4.3.0-speculation.zstd",
      "spark-4.3.0-streaming.zstd"
    )
    val real = names.map { name =>
      name -> linesOf(logs.resolve(name)).filter(_.length < 8000).groupBy(eventOf).toSeq.sortBy(_._1).flatMap {
        case (_, same) =>
          same.sortBy(_.length).grouped(math.max(1, same.size / 3)).map(_.head).take(3)
      }
    }
    val old = Seq(
      """{"Event":"SparkListenerTaskEnd","Stage ID":0,"Task Type":"ResultTask","Task End Reason":{"Reason":"Success"},"Task Info":""" +
        """{"Task ID":5,"Index":2,"Launch Time":1000,"Executor ID":"0","Host":"w","Locality":"ANY","Finish Time":1600,"Failed":false},""" +
        """"Task Metrics":{"Host Name":"w","Executor Run Time":500,"Input Metrics":{"Data Read Method":"Hadoop","Bytes Read":4096}}}""",
      """{"Event":"SparkListenerJobStart","Job ID":0,"Stage IDs":[0]}"""
    )
    (real :+ ("spark-1" -> old)).toMap
  }

  // ---- lines between the mutated ones, told by their executor; they have a timing of their own

  private val sentinelPlan =
    """{"Event":"org.apache.spark.sql.execution.ui.SparkListenerSQLExecutionStart","executionId":0,"sparkPlanInfo":{"nodeName":"Scan",""" +
      """"children":[],"metrics":[{"name":"scan time","accumulatorId":987654321,"metricType":"nsTiming"}]},"time":1}"""
  private val sentinelTexts = (0 until 500).map { i =>
    taskEnd(
      1000000L + i,
      stage = 4321,
      launch = 5000L + i,
      finish = 6000L + 2 * i,
      executor = "sentinel",
      accumulables = s"""{"ID":987654321,"Name":"scan time","Update":"${i +
          1}"},{"ID":3,"Name":"]},\\"Task Metrics\\":","Update":5}""",
      metrics = s"""{"Executor Run Time":$i,"Executor CPU Time":${i *
          1000L},"Shuffle Write Metrics":{"Shuffle Bytes Written":$i}}"""
    )
  }
  private val sentinels = sentinelTexts.map(_.getBytes(UTF_8))
  private lazy val sentinelRows = rows(readLines(sentinelPlan +: sentinelTexts: _*))

  // ---- mutations: none makes or removes a line end

  private val meaningful = "{}[]\",:\\0123456789-.eEnulltruefas \t\r".getBytes(UTF_8)

  private def mutate(line: Array[Byte], random: Random): Array[Byte] = {
    val out = ArrayBuffer.from(line)
    for (_ <- 0 to (if (random.nextInt(3) == 0) random.nextInt(4) else 0) if out.nonEmpty) {
      val at = random.nextInt(out.size)
      val length = 1 + random.nextInt(math.min(if (random.nextBoolean()) 4 else 60, out.size - at))
      random.nextInt(8) match {
        case 0 => out(at) = (out(at) ^ (1 << random.nextInt(8))).toByte
        case 1 => out(at) = meaningful(random.nextInt(meaningful.length))
        case 2 => out.remove(at, length)
        case 3 => out.insertAll(at, Array.fill(length)(random.nextInt(256).toByte))
        case 4 => out.insertAll(at, Array.fill(math.min(length, 4))(meaningful(random.nextInt(meaningful.length))))
        case 5 => out.insertAll(at, out.slice(at, at + length).toArray)
        case 6 => out.takeInPlace(at)
        case _ => // swaps two chunks
          val other = random.nextInt(out.size)
          val n = math.min(length, math.min(out.size - at, out.size - other))
          for (k <- 0 until n) { val b = out(at + k); out(at + k) = out(other + k); out(other + k) = b }
      }
    }
    out.toArray.map(b => if (b == '\n') 0.toByte else b)
  }
}
