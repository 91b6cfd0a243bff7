package pellucid.observe

/** Stacks as Spark 4.1 has them, innermost frame first, cut to the frames that matter. */
class ActivitySuite extends munit.FunSuite {
  private def seen(state: Thread.State)(frames: String*): Option[String] = {
    val stack = frames.map { frame =>
      val (owner, method) = frame.splitAt(frame.lastIndexOf('.'))
      val native = method.endsWith("!") // as javap would say
      new StackTraceElement(owner, method.drop(1).stripSuffix("!"), "F.java", if (native) -2 else 1)
    }
    Activity.of(stack.toArray, state).map { case (kind, what) => s"${kind.name} $what" }
  }
  import Thread.State.{BLOCKED, RUNNABLE, WAITING}

  test("a Python worker, however the thread waits for it") {
    val reader = "org.apache.spark.api.python.BasePythonRunner$ReaderIterator.read"
    assertEquals(
      seen(RUNNABLE)("sun.nio.ch.EPoll.wait!", "sun.nio.ch.SelectorImpl.select", reader),
      Some("python worker")
    )
    val starting =
      Seq("java.io.FileInputStream.readBytes!", "org.apache.spark.api.python.PythonWorkerFactory.startDaemon")
    assertEquals(seen(RUNNABLE)(starting: _*), Some("python worker"))
    // the JVM's own work on what came from it is computing
    assertEquals(seen(RUNNABLE)("net.razorvine.pickle.Unpickler.load", reader), None)
  }

  test("waiting: for the driver, a broadcast, a spill that is read ahead, a lock") {
    val park = "jdk.internal.misc.Unsafe.park!"
    assertEquals(seen(WAITING)(park, "org.apache.spark.rpc.RpcTimeout.awaitResult"), Some("driver rpc"))
    val fetched = "org.apache.spark.storage.BlockManager.getRemoteBlock"
    assertEquals(
      seen(WAITING)(park, fetched, "org.apache.spark.broadcast.TorrentBroadcast.readBlocks"),
      Some("driver broadcast")
    )
    assertEquals(
      seen(WAITING)(park, "org.apache.spark.io.ReadAheadInputStream.waitForAsyncReadComplete"),
      Some("spillWait readAhead")
    )
    assertEquals(
      seen(BLOCKED)("java.util.Hashtable.get", "com.example.Cache.look", "org.apache.spark.scheduler.Task.run"),
      Some("wait Cache.look")
    )
    assertEquals(
      seen(WAITING)(park, "java.lang.ClassLoader.loadClass", "com.example.Cache.look"),
      Some("wait classLoading")
    )
    assertEquals(seen(WAITING)("java.lang.Object.wait!"), Some("wait unknown"))
  }

  test("the innermost frame that says something decides") {
    val python = "org.apache.spark.api.python.BasePythonRunner$ReaderIterator.read"
    val fetch = "org.apache.spark.storage.ShuffleBlockFetcherIterator.next"
    assertEquals(seen(WAITING)("jdk.internal.misc.Unsafe.park!", fetch, python), None) // the runner pulls its input
    assertEquals(
      seen(WAITING)("java.lang.Object.wait!", "org.apache.spark.broadcast.TorrentBroadcast.readBlocks", python),
      Some("driver broadcast")
    )
    // writing a block to disk pulls what is upstream of it
    val writes = "org.apache.spark.pellucid.ObservedStreams.dataSerializeStream"
    assertEquals(seen(RUNNABLE)("com.github.luben.zstd.ZstdInputStream.read", writes), Some("decompress zstd"))
  }

  test("a system call that nothing measures is neither a lock nor named otherwise") {
    assertEquals(
      seen(RUNNABLE)("sun.nio.ch.SocketDispatcher.read0!", "sun.nio.ch.Net.poll", "com.amazonaws.Http.read"),
      Some("io Http.read")
    )
  }

  test("what Spark counts as deserializing the task") {
    val run = "org.apache.spark.scheduler.ResultTask.runTask"
    val broadcast = Seq(
      "java.lang.Object.wait!",
      "org.apache.spark.broadcast.TorrentBroadcast.readBlocks",
      "org.apache.spark.broadcast.Broadcast.value",
      run
    )
    assertEquals(seen(WAITING)(broadcast: _*), None)
    assertEquals(
      seen(WAITING)("java.lang.Object.wait!", "org.apache.spark.broadcast.Broadcast.value", "com.example.Job.map", run),
      Some("driver broadcast")
    )
  }

  test("what is measured otherwise is not seen twice") {
    assertEquals(
      seen(WAITING)("jdk.internal.misc.Unsafe.park!", "org.apache.spark.storage.ShuffleBlockFetcherIterator.next"),
      None
    )
    assertEquals(seen(RUNNABLE)("java.io.FileInputStream.readBytes!", "pellucid.observe.MeasuredInput.read"), None)
    assertEquals(seen(RUNNABLE)(), None)
  }

  test("computing: decompressing and decoding, the innermost of them; and anything else") {
    val page = "org.apache.parquet.hadoop.ColumnChunkPageReadStore$ColumnChunkPageReader.readPage"
    assertEquals(seen(RUNNABLE)("com.github.luben.zstd.ZstdInputStreamNoFinalizer.read", page), Some("decompress zstd"))
    assertEquals(
      seen(RUNNABLE)("org.xerial.snappy.SnappyNative.rawUncompress!", "org.xerial.snappy.Snappy.uncompress", page),
      Some("decompress snappy")
    )
    assertEquals(seen(RUNNABLE)("net.jpountz.lz4.LZ4JNIFastDecompressor.decompress"), Some("decompress lz4"))
    assertEquals(
      seen(RUNNABLE)("java.util.zip.Inflater.inflateBytesBytes!", "org.apache.hadoop.util.LineReader.fillBuffer"),
      Some("decompress gzip")
    )
    assertEquals(
      seen(RUNNABLE)("org.apache.spark.sql.execution.datasources.parquet.VectorizedPlainValuesReader.readIntegers"),
      Some("deserialize parquet")
    )
    assertEquals(seen(RUNNABLE)("com.esotericsoftware.kryo.Kryo.readClassAndObject"), Some("deserialize kryo"))
    assertEquals(
      seen(RUNNABLE)("java.lang.String.indexOf", "org.apache.hadoop.util.LineReader.readLine"),
      Some("deserialize text")
    )
    // writing is neither
    assertEquals(
      seen(RUNNABLE)("org.xerial.snappy.SnappyNative.rawCompress!", "org.xerial.snappy.Snappy.rawCompress"),
      None
    )
    assertEquals(seen(RUNNABLE)("org.apache.parquet.column.values.plain.PlainValuesWriter.writeLong"), None)
    assertEquals(seen(RUNNABLE)("com.esotericsoftware.kryo.Kryo.writeClassAndObject"), None)
    assertEquals(seen(RUNNABLE)("com.example.Model.predict", "scala.collection.Iterator.next"), None)
  }
}
