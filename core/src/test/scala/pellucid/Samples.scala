package pellucid

import java.io.{ByteArrayInputStream, ByteArrayOutputStream, InputStream}
import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Path, Paths}

import scala.collection.mutable.ArrayBuffer

import pellucid.log.{Codec, EventLog}
import pellucid.trace.{IntColumn, LongColumn, Tasks, Trace}

/** Logs for the tests of the readers: where they lie, how to read them from memory, and how to compare what was read. */
object Samples {

  /** The logs of `src/test/logs`, wherever the tests run from. */
  lazy val logs: Path = upwards.map(_.resolve("core/src/test/logs")).find(Files.isDirectory(_)).get

  /** Recordings that are not part of the repository but may lie beside it. */
  def shared(path: String): Option[Path] =
    upwards
      .find(p => Files.exists(p.resolve("pom.xml")) && Files.exists(p.resolve(".git")))
      .map(_.resolve("../shared/data").resolve(path).normalize)
      .filter(Files.exists(_))

  private def upwards: Iterator[Path] =
    Iterator.iterate(Paths.get(sys.props("user.dir")).toAbsolutePath)(_.getParent).takeWhile(_ != null)

  // ---- reading

  def read(files: Array[Byte]*): Trace =
    EventLog.read(files.iterator.map(bytes => () => new ByteArrayInputStream(bytes): InputStream))

  def readLines(lines: String*): Trace = read(lines.map(_ + "\n").mkString.getBytes(UTF_8))

  /** One log: a file, or the event files of a rolling log's folder in their order. */
  def readPath(path: Path): Trace =
    EventLog.read(eventFiles(path).iterator.map(file => () => Files.newInputStream(file)))

  def eventFiles(path: Path): Seq[Path] =
    if (!Files.isDirectory(path)) Seq(path)
    else {
      val walk = Files.walk(path)
      try
        walk.toArray.toSeq
          .map(_.asInstanceOf[Path])
          .filter(_.getFileName.toString.startsWith("events_"))
          .sortBy(_.getFileName.toString.split('_')(1).toInt)
      finally walk.close()
    }

  /** The text of a log; of one that was cut short, as far as it goes. */
  def textOf(path: Path): Array[Byte] = {
    val out = new ByteArrayOutputStream
    for (file <- eventFiles(path)) {
      val in = Codec.decompress(Files.newInputStream(file))
      val chunk = new Array[Byte](1 << 16)
      try {
        var n = in.read(chunk)
        while (n >= 0) { out.write(chunk, 0, n); n = in.read(chunk) }
      } catch { case _: java.io.IOException => () }
      finally in.close()
    }
    out.toByteArray
  }

  def linesOf(path: Path): IndexedSeq[String] = new String(textOf(path), UTF_8).linesIterator.toIndexedSeq

  // ---- comparing

  private val columns = classOf[Tasks].getMethods.toIndexedSeq
    .filter(m => m.getReturnType == classOf[LongColumn] || m.getReturnType == classOf[IntColumn])
    .sortBy(_.getName)

  /** The rows of the task table with what they refer to written out, so that they do not depend on what stands in the other
    * tables, or on its order.
    */
  def rows(trace: Trace): IndexedSeq[Seq[(String, Any)]] = {
    val read: Seq[(String, Int => Any)] = columns.map { m =>
      val value: Int => Any = (m.invoke(trace.tasks): Any) match {
        case longs: LongColumn => longs(_)
        case ints: IntColumn => ints(_)
        case other => throw new MatchError(other)
      }
      val meaning: Int => Any = m.getName match {
        case "stage" => row => { val s = trace.stages(trace.tasks.stage(row)); s"${s.id}.${s.attempt}" }
        case "executor" => row => trace.executors(trace.tasks.executor(row)).id
        case "reason" => row => trace.reasons(trace.tasks.reason(row))
        case _ => value
      }
      m.getName -> meaning
    }
    (0 until trace.tasks.size).map(row => read.map { case (name, of) => name -> of(row) })
  }

  def ended(trace: Trace): IndexedSeq[Int] = (0 until trace.tasks.size).filter(trace.tasks.outcome(_) != Tasks.Running)

  def sum(trace: Trace)(column: (Tasks, Int) => Long): Long = ended(trace).map(column(trace.tasks, _)).sum

  /** All that was read, as text: equal for equal traces, and where two differ a comparison shows the line. */
  def describe(trace: Trace): String = {
    val out = ArrayBuffer.empty[String]
    out += show(trace.application)
    for (table <- Seq(trace.executors, trace.jobs, trace.stages, trace.sql, trace.reasons)) out ++= table.map(show)
    out += show(trace.intake)
    out ++= rows(trace).map(_.map { case (name, value) => s"$name=$value" }.mkString(" "))
    out.mkString("\n")
  }

  private def show(value: Any): String = value match {
    case array: Array[_] => array.map(show(_)).mkString("[", ",", "]")
    case map: Map[_, _] => map.toSeq.map(show).sorted.mkString("{", ",", "}")
    case some: Iterable[_] => some.map(show(_)).mkString("(", ",", ")")
    case product: Product => product.productPrefix + product.productIterator.map(show).mkString("(", ",", ")")
    case other => String.valueOf(other)
  }

  // ---- writing, as Spark 3 and 4 do

  def taskStart(id: Long, stage: Int = 0, launch: Long = 1000, executor: String = "1", more: String = ""): String =
    s"""{"Event":"SparkListenerTaskStart","Stage ID":$stage,"Stage Attempt ID":0,"Task Info":{"Task ID":$id,"Index":$id,""" +
      s""""Attempt":0,"Launch Time":$launch,"Executor ID":"$executor","Host":"h$executor","Locality":"PROCESS_LOCAL",""" +
      s""""Speculative":false,"Getting Result Time":0,"Finish Time":0,"Failed":false,"Killed":false,"Accumulables":[]}$more}"""

  /** Of an application with the plugin, whose accumulator is number 7. */
  val environment: String =
    """{"Event":"SparkListenerEnvironmentUpdate","JVM Information":{},"Spark Properties":{"spark.app.id":"a",""" +
      """"spark.plugins.internal.conf.pellucid.PellucidPlugin.task":"7"},"System Properties":{}}"""

  def taskEnd(
      id: Long,
      stage: Int = 0,
      stageAttempt: Int = 0,
      launch: Long = 1000,
      finish: Long = 2000,
      executor: String = "1",
      attempt: Int = 0,
      flags: String = """"Speculative":false,"Getting Result Time":0""",
      end: String = """"Failed":false,"Killed":false""",
      reason: String = """{"Reason":"Success"}""",
      accumulables: String = "",
      metrics: String = """{"Executor Run Time":900,"Executor CPU Time":800000000}"""
  ): String =
    s"""{"Event":"SparkListenerTaskEnd","Stage ID":$stage,"Stage Attempt ID":$stageAttempt,"Task Type":"ResultTask",""" +
      s""""Task End Reason":$reason,"Task Info":{"Task ID":$id,"Index":$id,"Attempt":$attempt,"Partition ID":$id,""" +
      s""""Launch Time":$launch,"Executor ID":"$executor","Host":"h$executor","Locality":"NODE_LOCAL",$flags,""" +
      s""""Finish Time":$finish,$end,"Accumulables":[$accumulables]},"Task Executor Metrics":{"JVMHeapMemory":1},""" +
      s""""Task Metrics":$metrics}"""

  def stageSubmitted(id: Int, attempt: Int = 0, at: Long = 900, tasks: Int = 1, parent: Option[Int] = None): String =
    s"""{"Event":"SparkListenerStageSubmitted","Stage Info":{"Stage ID":$id,"Stage Attempt ID":$attempt,"Stage Name":"s$id",""" +
      s""""Number of Tasks":$tasks,"RDD Info":[],"Parent IDs":[${parent.mkString}],"Submission Time":$at,"Accumulables":[]},"Properties":{}}"""

  def stageCompleted(id: Int, attempt: Int = 0, from: Long = 900, to: Long = 2000, more: String = ""): String =
    s"""{"Event":"SparkListenerStageCompleted","Stage Info":{"Stage ID":$id,"Stage Attempt ID":$attempt,"Stage Name":"s$id",""" +
      s""""Number of Tasks":1,"RDD Info":[],"Parent IDs":[],"Submission Time":$from,"Completion Time":$to$more,"Accumulables":[]}}"""

  def jobStart(id: Int, at: Long, stages: Int*): String =
    s"""{"Event":"SparkListenerJobStart","Job ID":$id,"Submission Time":$at,"Stage Infos":[],"Stage IDs":${stages.mkString(
        "[",
        ",",
        "]"
      )}}"""

  def jobEnd(id: Int, at: Long, result: String = """{"Result":"JobSucceeded"}"""): String =
    s"""{"Event":"SparkListenerJobEnd","Job ID":$id,"Completion Time":$at,"Job Result":$result}"""

  def executorAdded(id: String, cores: Int, at: Long = 500, more: String = ""): String =
    s"""{"Event":"SparkListenerExecutorAdded","Timestamp":$at,"Executor ID":"$id",""" +
      s""""Executor Info":{"Host":"h$id","Total Cores":$cores,"Log Urls":{}$more}}"""

  val logStart = """{"Event":"SparkListenerLogStart","Spark Version":"4.1.0"}"""
  val applicationStart =
    """{"Event":"SparkListenerApplicationStart","App Name":"name","App ID":"app-1","Timestamp":400,"User":"user"}"""
  val applicationEnd = """{"Event":"SparkListenerApplicationEnd","Timestamp":3000}"""
}
