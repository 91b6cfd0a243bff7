package pellucid.observe

/** What a thread does at a moment, as far as its stack tells and nothing else measures it. */
private[observe] object Activity {

  /** The kind and, where there are several, which one; None of computing, and of waits that are measured otherwise. */
  def of(stack: Array[StackTraceElement], state: Thread.State): Option[(Kind, String)] =
    if (stack.isEmpty || stack.exists(ours)) None
    else if (state != Thread.State.RUNNABLE || inSystemCall(stack(0))) waiting(stack)
    else if (loadsClass(stack)) None
    else computing(stack)

  private def waiting(stack: Array[StackTraceElement]): Option[(Kind, String)] = {
    def within(prefixes: String*) = stack.exists(f => prefixes.exists(f.getClassName.startsWith))
    if (within("org.apache.spark.api.python.", "org.apache.spark.sql.execution.python.", "org.apache.spark.api.r."))
      Some(Kind.Python -> "worker")
    else if (within("org.apache.spark.storage.ShuffleBlockFetcherIterator")) None // Spark's fetch wait time
    else if (within("org.apache.spark.io.ReadAheadInputStream")) Some(Kind.SpillWait -> "readAhead")
    else if (within("org.apache.spark.broadcast.")) Some(Kind.Driver -> "broadcast")
    else if (within("org.apache.spark.rpc.")) Some(Kind.Driver -> "rpc")
    else if (loadsClass(stack)) Some(Kind.Wait -> "classLoading")
    else Some(Kind.Wait -> stack.find(f => !library.exists(f.getClassName.startsWith)).fold("unknown")(place))
  }

  private def computing(stack: Array[StackTraceElement]): Option[(Kind, String)] =
    stack.iterator.take(Near).flatMap(frame => formats.find(_.reads(frame))).nextOption().map(f => f.kind -> f.name)

  private def loadsClass(stack: Array[StackTraceElement]) =
    stack.exists(f => f.getClassName == "java.lang.ClassLoader" || f.getClassName.startsWith("jdk.internal.loader."))

  private def ours(frame: StackTraceElement) =
    frame.getClassName.startsWith("pellucid.") || frame.getClassName.startsWith("org.apache.spark.pellucid.")

  /** Java calls a thread in a system call runnable. */
  private def inSystemCall(frame: StackTraceElement) =
    frame.isNativeMethod && systemCalls.exists(frame.getClassName.startsWith)
  private val systemCalls = Seq("sun.nio.ch.", "sun.nio.fs.", "java.net.", "java.io.", "java.lang.Process")

  private def place(frame: StackTraceElement) =
    s"${frame.getClassName.drop(frame.getClassName.lastIndexOf('.') + 1)}.${frame.getMethodName}"

  private val library = Seq("java.", "javax.", "jdk.", "sun.", "com.sun.", "scala.", "jakarta.")

  /** Frames beyond these belong to what asked for the record, not to who reads it. */
  private final val Near = 16

  private final case class Format(kind: Kind, name: String, classes: Seq[String], methods: String = "") {
    def reads(frame: StackTraceElement): Boolean =
      classes.exists(frame.getClassName.startsWith) && (methods.isEmpty || frame.getMethodName.matches(methods))
  }

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
      Seq("org.apache.spark.sql.execution.datasources.parquet.", "org.apache.parquet.")
    ),
    Format(Kind.Deserialize, "orc", Seq("org.apache.orc.impl.", "org.apache.spark.sql.execution.datasources.orc.")),
    Format(Kind.Deserialize, "csv", Seq("com.univocity.parsers.", "org.apache.spark.sql.catalyst.csv.")),
    Format(Kind.Deserialize, "json", Seq("com.fasterxml.jackson.core.", "org.apache.spark.sql.catalyst.json.")),
    Format(
      Kind.Deserialize,
      "text",
      Seq("org.apache.hadoop.util.LineReader", "org.apache.hadoop.mapreduce.lib.input.", "org.apache.hadoop.mapred.")
    ),
    Format(Kind.Deserialize, "kryo", Seq("com.esotericsoftware.kryo."), "read.*"),
    Format(Kind.Deserialize, "java", Seq("java.io.ObjectInputStream"))
  ).map(f => if (f.name == "parquet" || f.name == "orc") f.copy(methods = "(?i)(?!.*(write|encode|flush)).*") else f)
}
