package pellucid.observe

import java.io.OutputStream

import pellucid.monotask.{Arrays, Multitask, Resources}
import pellucid.sched.{Monotask, MonotaskPhase}

/** Measures writes. Small ones (a text file has one per row) are collected into requests that are worth a look at the clock; at the place
  * that `at` names, where one of those has been slow, into requests that are worth a monotask. Others go to memory.
  */
class MeasuredOutput(stock: OutputStream, requests: Requests, at: Option[MeasuredOutput.Place] = None)
    extends OutputStream {
  private var buffer = Array.emptyByteArray
  private var held = 0
  private var closed = false
  private var slow = false

  private def measured(size: Int)(write: => Unit): Unit = at match {
    case Some(place) if size >= Requests.Large => monotask(place, size)(timed(size)(write))
    case _ => timed(size)(write)
  }

  /** Waits until the other side has what was written, where there is one: what is still here is one monotask with that. */
  protected final def settled(wait: => Unit): Unit = away(held) { drain(); timed(0)(wait) }

  /** A monotask, of `size` bytes, where the other side is waited for. */
  private def away(size: Int)(io: => Unit): Unit = at match {
    case Some(place) if place.far => monotask(place, size)(io)
    case _ => io
  }

  private def monotask(place: MeasuredOutput.Place, size: Int)(io: => Unit): Unit =
    place.monotask(size) { begins(size); io }

  private def timed(size: Int)(write: => Unit): Unit = {
    val cpu = requests.cpuBefore(size)
    val wall = System.nanoTime()
    try write
    finally {
      requests.ended(size, wall, cpu)
      if (size > 0) slow = System.nanoTime() - wall > MeasuredOutput.SlowNanos + 2L * size
    }
  }

  protected final def drain(): Unit = if (held > 0) {
    val size = held
    held = 0
    measured(size)(stock.write(buffer, 0, size))
  }

  protected final def forget(): Unit = held = 0

  /** In the buffer, for one byte at least; false where there is no more to be had. */
  private def makeRoom(): Boolean =
    if (buffer.isEmpty) { buffer = new Array(MeasuredOutput.BufferBytes); true }
    else grow() || held > 0 && { drain(); true }

  /** Towards what makes a monotask, where there is memory to spare: of what the other side is waited for, and of what is slow. */
  private def grow(): Boolean = at.exists { place =>
    val wanted = if (place.far || slow) math.min(4 * buffer.length, Requests.Monotask) else 0
    val larger = if (wanted > buffer.length) place.task.memory.array(wanted) else Array.emptyByteArray
    val grows = larger.length > buffer.length
    if (grows) {
      System.arraycopy(buffer, 0, larger, 0, held)
      release(buffer)
      buffer = larger
    } else giveBack(larger)
    grows
  }

  /** The small one that every stream has is not the task's. */
  private def release(buffer: Array[Byte]): Unit =
    if (buffer.length > MeasuredOutput.BufferBytes) giveBack(buffer)

  private def giveBack(array: Array[Byte]): Unit =
    at.foreach { place => place.task.memory.release(array.length.toLong); Arrays.put(array) }

  override def write(b: Int): Unit =
    if (closed) stock.write(b) // which says what a stream that is closed says
    else {
      if (held == buffer.length) { makeRoom(); () }
      buffer(held) = b.toByte
      held += 1
    }

  override def write(b: Array[Byte], off: Int, len: Int): Unit =
    if (closed) stock.write(b, off, len)
    else {
      while (len > buffer.length - held && makeRoom()) {}
      if (len > buffer.length - held) measured(len)(stock.write(b, off, len))
      else {
        System.arraycopy(b, off, buffer, held, len)
        held += len
      }
    }

  /** Where the other side is waited for, what is here stays for the request that waits: a flush promises nothing there (Hadoop's
    * specification of output streams), and Parquet's writer does it just before it closes a file.
    */
  override def flush(): Unit = if (!at.exists(_.far)) { drain(); timed(0)(stock.flush()) }

  /** `stock` is closed even where the last bytes could not be written. What the other side is waited for is one monotask with them; where it can be told
    * two, as these keep it from others only until they are there.
    */
  override def close(): Unit = {
    closed = true
    (at.filter(_.queues(held)), arrival) match {
      case (Some(place), Some(arrives)) => closeInTwo(place, arrives)
      case _ => away(held)(finish { drain(); true })
    }
  }

  private def closeInTwo(place: MeasuredOutput.Place, arrives: () => Unit): Unit = {
    var written = false
    place.monotask(held, { drain(); timed(0)(arrives()); written = true }, finish(written))
  }

  private def finish(written: => Boolean): Unit = {
    var complete = false
    try
      complete =
        try written
        finally {
          release(buffer)
          buffer = Array.emptyByteArray
          timed(0)(stock.close())
        }
    finally ended(complete)
  }

  /** Waits until the other side has what `stock` has sent, where that can be told before it is closed. Of what goes wrong its close will tell. */
  protected def arrival: Option[() => Unit] = None

  /** A monotask's turn has come, to write so many bytes. */
  protected def begins(size: Int): Unit = ()

  /** Nothing more is written.
    *
    * @param complete all that was written is there
    */
  protected def ended(complete: Boolean): Unit = ()
}

object MeasuredOutput {
  private final val BufferBytes = 32 << 10

  /** And 2 ns per byte: what goes to memory takes less. */
  private final val SlowNanos = 1000000L

  /** Where what `task` writes goes. */
  final case class Place(task: Multitask, resource: String) {

    /** Not one of this machine's disks: the other side is waited for, however little there is to write. */
    def far: Boolean = !Resources.isDisk(resource)

    /** A few bytes take the other side some time, but do not keep it from others. */
    private[observe] def queues(size: Int): Boolean = far && size >= Monotask.FewBytes

    def monotask(size: Int)(io: => Unit): Unit = {
      task.at(resource, MonotaskPhase.OutputWrite, !far || queues(size)) { io; size }
      ()
    }

    /** And `rest`, which the other side then does. */
    private[observe] def monotask(size: Int, io: => Unit, rest: => Unit): Unit =
      task.at(resource, MonotaskPhase.OutputWrite, { io; size }, rest)
  }
}
