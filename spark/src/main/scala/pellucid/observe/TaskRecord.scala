package pellucid.observe

import pellucid.monotask.Multitask
import pellucid.sched.MonotaskPhase

/** What is measured of one running task. */
final class TaskRecord {
  val thread: Thread = Thread.currentThread
  private val startedNanos = System.nanoTime()
  private var all = List.empty[Requests]
  RunQueue.know()

  /** The task as monotasks, where it runs so. */
  var multitask: Option[Multitask] = None

  /** Its map output is measured where it is written, and not where Spark takes it to be. */
  var gathers = false

  /** What its calls of name servers and object stores have taken so far. */
  private[pellucid] var inCallsNanos = 0L

  /** Runs `io`, a request for `size` bytes, at its resource, where it is worth a monotask.
    *
    * @param seeks it is elsewhere than the last one
    */
  def monotask(size: Long, resource: => String, phase: MonotaskPhase, seeks: Boolean = false)(io: => Int): Int =
    multitask match {
      case Some(task) if size >= Requests.Large => task.at(resource, phase)(io)
      case Some(task) if seeks => task.beside(resource, phase)(io)
      case _ => io
    }

  /** Those of a kind and path; beyond [[TaskRecord.MostPaths]] of them, paths are counted together as `others`. */
  def requests(kind: Kind, path: String): Requests = synchronized {
    def find(path: String) = all.find(r => (r.kind eq kind) && r.path == path)
    def make(path: String) = { val made = new Requests(kind, path, thread); all ::= made; made }
    val name = TaskRecord.plain(path)
    find(name).getOrElse(if (all.size < TaskRecord.MostPaths) make(name) else find("others").getOrElse(make("others")))
  }

  /** What a look at its stack showed, charged with the time since the look before. */
  def sampled(kind: Kind, path: String, nanos: Long): Unit = synchronized {
    val places = all.count(r => (r.kind eq kind) && r.path != path)
    requests(kind, if (places < TaskRecord.MostPlaces) path else "others").sampled(nanos)
  }

  /** On the task's own thread: `version;microseconds ready to run without a CPU;requests;requests;...|monotasks` (docs/observed.md);
    * None of a short task that asked for nothing.
    */
  def finish(): Option[String] = synchronized {
    val short = System.nanoTime() - startedNanos < RunQueue.ShortNanos
    val asked = all.filterNot(_.isEmpty)
    Option.when(!short || asked.nonEmpty) {
      val queued = if (short) -1 else RunQueue.waitedNanos()
      val out = new StringBuilder(TaskRecord.Version)
      out += ';'
      if (queued >= 0) out ++= (queued / 1000).toString
      asked.foreach { r => out += ';'; r.write(out) }
      multitask.flatMap(_.text).foreach { monotasks => out += '|'; out ++= monotasks }
      out.toString
    }
  }
}

object TaskRecord {
  final val Version = "1"
  private final val MostPaths = 24

  /** That a task is seen at, of a kind: what it reads and writes needs the rest. */
  private final val MostPlaces = 4

  private val ofThread = new ThreadLocal[TaskRecord]

  /** Of the task that the current thread runs; null where it runs none. */
  def current: TaskRecord = ofThread.get

  private[observe] def begin(): TaskRecord = { val record = new TaskRecord; ofThread.set(record); record }
  private[observe] def end(): Unit = ofThread.set(null)

  /** Without the characters that separate fields. */
  private def plain(path: String): String =
    if (path.forall(isPlain)) path else path.map(c => if (isPlain(c)) c else '_')

  private def isPlain(c: Char): Boolean = c > ' ' && c < 127 && ",;|[]".indexOf(c.toInt) < 0
}
