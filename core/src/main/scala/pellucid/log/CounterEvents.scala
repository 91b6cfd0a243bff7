package pellucid.log

import scala.collection.mutable.ArrayBuffer

import pellucid.trace.{DiskSample, MachineSample, NicSample, TraceBuilder}

/** What the plugin's executors read from the kernel's counters (docs/observed.md):
  *
  * `EXECUTOR HOST 1;START;CORES;DISK,...;NIC,...;SAMPLE;...`, and `|` with what it served of shuffle files ([[ServedText]]), and `|` with the queues of its
  * monotasks ([[QueuesText]])
  */
private[log] final class CounterEvents(c: JsonCursor, builder: TraceBuilder) {
  import CounterEvents._
  import ObservedTask.natural
  import TaskEvents.orEmpty

  def counters(): Unit = {
    val batches = ArrayBuffer.empty[String]
    c.event(keys) { case Batches => c.elements { batches += orEmpty(c.string()); () } }
    for (batch <- batches)
      try take(batch.split(" ", 3))
      catch { case _: IllegalArgumentException => builder.unreadObservations += 1 }
  }

  /** Throws IllegalArgumentException, and takes nothing, where it is not written like that. */
  private def take(batch: Array[String]): Unit = {
    require(batch.length == 3)
    val parts = batch(2).split("\\|", -1)
    require(parts.length <= 3)
    val fields = parts(0).split(";", -1)
    require(fields.length >= 5 && fields(0) == "1")
    val start = natural(fields(1))
    val cores = natural(fields(2)).toInt
    val (disks, nics) = (names(fields(3)), names(fields(4)))
    var from = start
    val samples = fields.drop(5).map { one =>
      val made = sample(from, cores, disks, nics, one.split(",", -1).map(natural))
      from = made.untilMillis
      made
    }
    val served = parts.lift(1).filter(_.nonEmpty || parts.length == 2).map(new ServedText(_, start))
    val queues = parts.lift(2).map(new QueuesText(_, samples.length))

    val row = builder.executorRow(batch(0))
    if (builder.hostUnknown(row)) builder.host(row, batch(1))
    val ofSamples = queues.map(_.numbered(builder.monotasks, row))
    for (i <- samples.indices)
      builder.machines.add(row, ofSamples.fold(samples(i))(of => samples(i).copy(queues = of(i))))
    served.foreach(_.addTo(builder.monotasks, row))
  }

  private def sample(
      from: Long,
      cores: Int,
      disks: Array[String],
      nics: Array[String],
      f: Array[Long]
  ): MachineSample = {
    val served = Machine + disks.length * Disk + nics.length * Nic
    require(Later.contains(f.length - served))
    MachineSample(
      from,
      from + f(0),
      f(0),
      cores,
      f(1),
      f(2),
      f(3).toDouble,
      f(4),
      f(5),
      f(6),
      disks.indices.map { i =>
        val at = Machine + i * Disk
        DiskSample(disks(i), f(at), f(at + 1), f(at + 2), f(at + 3), f(at + 4))
      },
      nics.indices.map { i =>
        val at = Machine + disks.length * Disk + i * Nic
        NicSample(nics(i), f(at), f(at + 1))
      },
      f.lift(served).getOrElse(0L),
      f.lift(served + 1).getOrElse(0L),
      f.lift(served + 2).getOrElse(0L),
      f.lift(served + 3).getOrElse(0L)
    )
  }

  private def names(text: String): Array[String] = if (text.isEmpty) Array.empty else text.split(',')

  // these tables learn the order of the keys, so each reader has its own
  private val keys = new Keys(Batches -> "batches")
}

private[log] object CounterEvents {
  private final val Batches = 1

  /** Numbers of a sample: of the machine, of each disk and NIC, and those that the first plugins did not measure, of what was served and of the container. */
  private final val Machine = 7
  private final val Disk = 5
  private final val Nic = 2
  private val Later = Seq(0, 2, 3, 4)
}
