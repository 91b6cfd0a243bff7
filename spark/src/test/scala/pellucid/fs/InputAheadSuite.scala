package pellucid.fs

import java.nio.file.Files
import java.util.Arrays

import scala.util.Random

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{LocalFileSystem, Path}

import pellucid.{Jobs, SparkSuite}
import pellucid.monotask.Held
import pellucid.observe.TaskRecord

class InputAheadSuite extends SparkSuite {
  folder.test("a part of a local file, with checksums, is what the file has; what Hadoop counts is the task's") {
    folder =>
      val (start, size) = (1 << 20, 1 << 20)
      val path = new Path(folder.resolve("file").toUri)
      val ran = Jobs.run(folder, conf = Map("spark.pellucid.monotasks" -> "true")) { spark =>
        val seen = spark.sparkContext.parallelize(Seq(0), 1).map { _ =>
          val bytes = new Array[Byte](3 << 20)
          new Random(1).nextBytes(bytes)
          val local = new LocalFileSystem
          local.initialize(path.toUri, new Configuration)
          val out = local.create(path)
          out.write(bytes)
          out.close()
          val stock = local.open(path)
          val source = Hooks.source(local, path, stock)
          val (record, fs) = (TaskRecord.current, source.fs.get)
          val task = record.multitask.get
          def counted() = InputAhead.statisticsOf(fs).getThreadStatistics.getBytesRead
          val before = counted()
          val disk = source.resource(start.toLong)
          val ahead = new InputAhead(task, stock, fs, start.toLong, size, disk, source.name)
          task.begins(ahead)
          val thread = new Thread(() => ahead.run())
          thread.start()
          thread.join()
          val beside = counted() - before
          val taken = ahead.take(record).get
          val same = Arrays.equals(taken.chunk, 0, taken.bytes, bytes, start, start + size)
          val read = counted() - before
          stock.seek(start.toLong + taken.bytes) // where a sum begins
          val sought = counted() - before - read
          stock.close()
          (taken.bytes, same, beside, read, sought)
        }.collect().head
        (seen, Held.now(spark))
      }
      val ((bytes, same, beside, read, sought), held) = ran.answer
      assertEquals((bytes, same, beside, sought), (size, true, 0L, 0L))
      assert(Files.exists(folder.resolve(".file.crc")))
      // sums of four bytes for each 512, of which it reads from the first one, by buffers of at most 64 KB
      assert(read >= size + size / 128 && read <= size + (200 << 10), read)
      assertEquals(held, Held.Nothing)
      assertEquals(ran.bytes("input"), size.toLong)
  }
}
