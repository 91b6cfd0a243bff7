package pellucid.observe

import java.util.regex.Pattern

/** What a thread does at a moment, as far as its stack tells and nothing else measures it. The innermost frame that says
  * anything decides: what is farther out asked for it.
  */
private[pellucid] object Activity {

  /** The kind and, where there are several, which one; None of computing, and of waits that are measured otherwise. */
  def of(stack: Array[StackTraceElement], state: Thread.State): Option[(Kind, String)] = {
    val inner = stack.find(f => !library.exists(f.getClassName.startsWith))
    if (stack.isEmpty || inner.exists(_.getClassName.startsWith("pellucid.")) || deserializesTask(stack)) None
    else if (state != Thread.State.RUNNABLE) waiting(stack, Kind.Wait, inner)
    else if (inSystemCall(stack(0))) waiting(stack, Kind.Io, inner)
    else if (loadsClass(stack)) None
    else stack.iterator.take(Near).flatMap(f => formats.find(_.reads(f))).nextOption().map(f => f.kind -> f.name)
  }

  /** It waits for what the driver has, or others that have it from there: its code, a broadcast variable. */
  def asksDriver(thread: Thread): Boolean =
    waitsFor(thread.getStackTrace).flatten.exists { case (kind, _) => kind eq Kind.Driver }

  private def waitsFor(stack: Array[StackTraceElement]): Option[Option[(Kind, String)]] =
    stack.iterator.flatMap(f => waits.find(w => f.getClassName.startsWith(w._1))).nextOption().map(_._2)

  private def waiting(stack: Array[StackTraceElement], otherwise: Kind, inner: Option[StackTraceElement]) =
    waitsFor(stack) match {
      case Some(what) => what
      case None if loadsClass(stack) => Some(Kind.Wait -> "classLoading")
      case None => Some(otherwise -> inner.fold("unknown")(place))
    }

  /** Frames that say what is waited for; None where Spark or the plugin has its time already. */
  private val waits: Seq[(String, Option[(Kind, String)])] = Seq(
    "org.apache.spark.storage.ShuffleBlockFetcherIterator" -> None,
    "pellucid.fs." -> None,
    "pellucid.observe." -> None,
    "org.apache.spark.io.ReadAheadInputStream" -> Some(Kind.SpillWait -> "readAhead"),
    "org.apache.spark.broadcast." -> Some(Kind.Driver -> "broadcast"),
    "org.apache.spark.rpc." -> Some(Kind.Driver -> "rpc"),
    "org.apache.spark.api.python." -> Some(Kind.Python -> "worker"),
    "org.apache.spark.sql.execution.python." -> Some(Kind.Python -> "worker"),
    "org.apache.spark.api.r." -> Some(Kind.Python -> "R worker")
  )

  /** That is in Spark's own deserialize time. */
  private def deserializesTask(stack: Array[StackTraceElement]) = {
    val run =
      stack.indexWhere(f => f.getMethodName == "runTask" && f.getClassName.startsWith("org.apache.spark.scheduler."))
    run > 0 && {
      val called = stack(run - 1).getClassName
      called.startsWith("org.apache.spark.broadcast.") || called.startsWith("org.apache.spark.serializer.")
    }
  }

  private def loadsClass(stack: Array[StackTraceElement]) =
    stack.exists(f => f.getClassName == "java.lang.ClassLoader" || f.getClassName.startsWith("jdk.internal.loader."))

  /** Java calls a thread in a system call runnable. */
  private def inSystemCall(frame: StackTraceElement) =
    frame.isNativeMethod && systemCalls.exists(frame.getClassName.startsWith)
  private val systemCalls = Seq("sun.nio.ch.", "sun.nio.fs.", "java.net.", "java.io.", "java.lang.Process")

  private def place(frame: StackTraceElement) =
    s"${frame.getClassName.drop(frame.getClassName.lastIndexOf('.') + 1)}.${frame.getMethodName}"

  private val library = Seq("java.", "javax.", "jdk.", "sun.", "com.sun.", "scala.", "jakarta.")

  /** Frames beyond these belong to what asked for the record, not to who reads it. */
  private final val Near = 16

  private final case class Format(kind: Kind, name: String, classes: Seq[String], methods: String = ".*") {
    private val pattern = Pattern.compile(methods)
    def reads(frame: StackTraceElement): Boolean =
      classes.exists(frame.getClassName.startsWith) && pattern.matcher(frame.getMethodName).matches()
  }

  private val notWriting = "(?i)(?!.*(write|encode|flush)).*"

  /** The innermost frame that is of one of these decides: a codec is called by the format that it is inside of. */
  private val formats = Seq(
    Format(
      Kind.Decompress,
      "zstd",
      Seq("com.github.luben.zstd.ZstdInputStream", "com.github.luben.zstd.ZstdDecompress")
    ),
    Format(Kind.Decompress, "zstd", Seq("com.github.luben.zstd.Zstd"), "(?i).*decompress.*"),
    Format(Kind.Decompress, "snappy", Seq("org.xerial.snappy."), "(?i).*uncompress.*|read.*|hasNextChunk"),
    Format(Kind.Decompress, "lz4", Seq("net.jpountz.lz4.", "org.lz4."), "(?i).*decompress.*|read|refill"),
    Format(Kind.Decompress, "gzip", Seq("java.util.zip.Inflater", "java.util.zip.GZIPInputStream")),
    Format(
      Kind.Decompress,
      "other",
      Seq("org.apache.hadoop.io.compress.", "io.airlift.compress."),
      "(?i).*decompress.*|read"
    ),
    Format(
      Kind.Deserialize,
      "parquet",
      Seq("org.apache.spark.sql.execution.datasources.parquet.", "org.apache.parquet."),
      notWriting
    ),
    Format(
      Kind.Deserialize,
      "orc",
      Seq("org.apache.orc.impl.", "org.apache.spark.sql.execution.datasources.orc."),
      notWriting
    ),
    Format(Kind.Deserialize, "csv", Seq("com.univocity.parsers.", "org.apache.spark.sql.catalyst.csv."), notWriting),
    Format(
      Kind.Deserialize,
      "json",
      Seq("com.fasterxml.jackson.core.", "org.apache.spark.sql.catalyst.json."),
      notWriting
    ),
    Format(
      Kind.Deserialize,
      "text",
      Seq("org.apache.hadoop.util.LineReader", "org.apache.hadoop.mapreduce.lib.input.", "org.apache.hadoop.mapred.")
    ),
    Format(Kind.Deserialize, "kryo", Seq("com.esotericsoftware.kryo."), "read.*"),
    Format(Kind.Deserialize, "java", Seq("java.io.ObjectInputStream"))
  )
}
