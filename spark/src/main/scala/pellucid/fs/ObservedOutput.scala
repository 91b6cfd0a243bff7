package pellucid.fs

import java.io.OutputStream

import org.apache.hadoop.fs._
import org.apache.hadoop.fs.statistics.{IOStatistics, IOStatisticsSource}

import pellucid.observe.{Kind, MeasuredOutput, Requests, TaskRecord}
import pellucid.plugin.Guard

/** A task's output stream whose writes are measured. It can what the stock stream can, and tells so. */
private[fs] final class ObservedOutput private (
    stock: FSDataOutputStream,
    timed: TimedOutput
) extends FSDataOutputStream(timed, null, stock.getPos)
    with IsObserved {

  /** With what was written until now. */
  override def getWrappedStream: OutputStream = { timed.pass(); stock.getWrappedStream }
}

private[fs] object ObservedOutput {
  private val guard = new Guard("measuring output")

  /** `stock` itself where no task runs, and where it cannot be a measured one.
    *
    * @param replicas where there is a choice
    */
  def of(stock: FSDataOutputStream, replicas: => Option[HdfsReplicas] = None)(path: => String): FSDataOutputStream = {
    val record = TaskRecord.current
    if (record == null || !IsObserved.canBe(stock)) stock
    else
      guard {
        val place = path
        val at = record.multitask.map(MeasuredOutput.Place(_, place))
        val (choice, arrival) = if (at.isEmpty) (None, None) else (replicas, Arrival.of(stock))
        val timed = new TimedOutput(stock, record.requests(Kind.Output, place), at, choice, arrival)
        ObservedHdfs.of(stock, new ObservedOutput(stock, timed))
      }.getOrElse(stock)
  }
}

/** Synchronized, as the streams of Hadoop's file systems are: a sink may flush from a thread of its own. */
private final class TimedOutput(
    stock: FSDataOutputStream,
    requests: Requests,
    at: Option[MeasuredOutput.Place],
    replicas: Option[HdfsReplicas],
    override protected val arrival: Option[() => Unit]
) extends MeasuredOutput(stock, requests, at)
    with Syncable
    with CanSetDropBehind
    with StreamCapabilities
    with IOStatisticsSource
    with Abortable {
  override def write(b: Int): Unit = synchronized(super.write(b))
  override def write(b: Array[Byte], off: Int, len: Int): Unit = synchronized(super.write(b, off, len))
  override def flush(): Unit = synchronized(super.flush())

  /** To the stock stream, what is in the buffer. */
  def pass(): Unit = synchronized(drain())
  override def close(): Unit = synchronized(super.close())
  override protected def begins(size: Int): Unit = replicas.foreach(_.begins(size))
  override protected def ended(complete: Boolean): Unit = replicas.foreach(_.ended(complete))
  override def hflush(): Unit = synchronized(settled(stock.hflush()))
  override def hsync(): Unit = synchronized(settled(stock.hsync()))

  /** Where it is not supported, what was written stays. */
  override def abort(): Abortable.AbortableResult =
    synchronized { val result = stock.abort(); forget(); ended(complete = false); result }
  override def setDropBehind(dropCache: java.lang.Boolean): Unit = stock.setDropBehind(dropCache)
  override def hasCapability(capability: String): Boolean = stock.hasCapability(capability)
  override def getIOStatistics: IOStatistics = stock.getIOStatistics
  override def toString: String = stock.toString
}
