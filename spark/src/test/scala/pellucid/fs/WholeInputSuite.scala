package pellucid.fs

import java.nio.ByteBuffer
import java.nio.file.Files
import java.util.Arrays

import scala.jdk.CollectionConverters._
import scala.util.{Random, Try, Using}

import org.apache.hadoop.fs.{FileRange, FSDataInputStream}

import pellucid.{Jobs, SparkSuite}
import pellucid.monotask.{Held, Script}
import pellucid.trace.Trace

class WholeInputSuite extends SparkSuite {
  import WholeInputSuite._

  folder.test("where a stage's files are read whole, from their end on, each is one monotask; else it is not") {
    folder =>
      def ran(slots: Int)(reads: FSDataInputStream => Boolean) = {
        val all = Jobs.run(folder, conf = withSlots(slots)) { spark =>
          val answers = spark.sparkContext.parallelize(Seq(0), 1).flatMap { _ =>
            (0 until 3).map { _ =>
              val in = HeadFile.open(content)
              try reads(in)
              finally in.close()
            }
          }.collect().toSeq
          (answers, Held.now(spark))
        }
        assertEquals(all.answer, (Seq(true, true, true), Held.Nothing))
        read(all.trace)
      }
      val columns = Size - 1000L
      assertEquals(ran(1)(asParquet(_, Size - 1000)), Seq(columns, Size.toLong, Size.toLong))
      assertEquals(ran(2)(asParquet(_, Size - 1000)), Seq.fill(3)(columns)) // of a flash drive
      assertEquals(ran(1)(asParquet(_, Size / 2)), Seq.fill(3)(Size / 2L)) // only some columns
  }

  folder.test("whatever is called returns what it does of the file itself") { folder =>
    def answers(plugin: Boolean) = Jobs.run(folder, plugin, withSlots(1)) { spark =>
      spark.sparkContext.parallelize(Seq(0), 1).flatMap { _ =>
        (0 until 4).map { n =>
          val in = HeadFile.open(content)
          // the others' stage reads files whole then
          val said =
            if (n == 0) asParquet(in, Size - 1000).toString else Script(in, new Random(n.toLong), 0, Size) + odd(in)
          in.close()
          said + odd(in)
        }
      }.collect().toSeq
    }
    val ours = answers(plugin = true)
    assert(read(ours.trace).contains(Size.toLong))
    assertEquals(ours.answer, answers(plugin = false).answer)
  }

  folder.test("Parquet files have the rows and columns that they have in stock Spark, and are read whole") { folder =>
    val files = folder.resolve("files")
    Jobs.run(folder, plugin = false)(
      _.range(0, 800000, 1, 8).selectExpr("id", "hash(id) as hash").write.parquet(files.toString)
    )
    def ran(plugin: Boolean) =
      Jobs.run(
        folder,
        plugin,
        withSlots(1) + ("spark.pellucid.monotasks.mostTasks" -> "2")
      )(_.read.parquet(files.toString).selectExpr("sum(id * hash)").head().getLong(0))
    val ours = ran(plugin = true)
    assertEquals(ours.answer, ran(plugin = false).answer)
    val sizes = Using.resource(Files.list(files))(_.iterator.asScala.map(Files.size(_)).toSet)
    val table = ours.trace.monotasks
    val whole = (0 until table.size).map(table.bytes(_).toLong).filter(_ >= (256 << 10)).count(sizes)
    assert(whole >= 4, whole) // of eight; those of the first two tasks are not
  }
}

private object WholeInputSuite {
  private final val Size = 1 << 20
  private lazy val content = { val bytes = new Array[Byte](Size); new Random(1).nextBytes(bytes); bytes }

  private def withSlots(slots: Int) =
    Map("spark.pellucid.monotasks" -> "true", "spark.pellucid.monotasks.diskSlots" -> slots.toString)

  /** Bytes of the monotasks of 256 KB and more at the disk. */
  private def read(trace: Trace): Seq[Long] = {
    val table = trace.monotasks
    (0 until table.size).filter(row => table.resources(table.resource(row)) == "disk:head")
      .map(table.bytes(_).toLong).filter(_ >= (256 << 10))
  }

  /** Something of a thousand bytes at the end, then so many bytes from the start, in two ranges. */
  private def asParquet(in: FSDataInputStream, columns: Int): Boolean = {
    in.seek(Size - 8L)
    val last = Seq.fill(8)(in.read().toByte)
    in.seek(Size - 1000L)
    val footer = new Array[Byte](1000)
    in.readFully(footer)
    val ranges = Seq(FileRange.createFileRange(0, 1000), FileRange.createFileRange(1000, columns - 1000))
    in.readVectored(ranges.asJava, ByteBuffer.allocate(_))
    val data = ranges.flatMap(_.getData.get().array)
    last == content.takeRight(8).toSeq && Arrays.equals(footer, content.takeRight(1000)) &&
    data == content.take(columns).toSeq
  }

  /** What calls return, or throw, that a script has not. */
  private def odd(in: FSDataInputStream): String = {
    def tell(result: => Any) = Try(result).fold(_.getClass.getName, _.toString) + s"@${in.getPos} "
    val buffer = ByteBuffer.allocate(3000)
    val ranges = Seq(FileRange.createFileRange(Size - 5000, 5000), FileRange.createFileRange(70, 7)).asJava
    val beyond = Seq(FileRange.createFileRange(Size - 50, 100)).asJava
    Seq(
      tell(in.seek(Size - 2000L)),
      tell(in.read(buffer)),
      tell(in.read(buffer)), // at the end
      tell(Arrays.hashCode(buffer.array)),
      tell(in.read()),
      tell(in.read(new Array[Byte](10), 0, 0)),
      tell(in.read(Size - 20L, { buffer.clear(); buffer })),
      tell(in.read(Size.toLong, buffer)),
      tell(in.readFully(Size - 20L, { buffer.clear(); buffer })),
      tell { in.readFully(100L, { buffer.clear(); buffer }); Arrays.hashCode(buffer.array) },
      tell(in.readFully(Size - 20L, new Array[Byte](30))),
      tell(in.read(-1L, new Array[Byte](30), 0, 30)),
      tell {
        in.readVectored(ranges, ByteBuffer.allocate(_))
        ranges.asScala.map(it => Arrays.hashCode(it.getData.get().array))
      },
      tell { in.readVectored(beyond, ByteBuffer.allocate(_)); beyond.get(0).getData.get() }
    ).mkString
  }
}
