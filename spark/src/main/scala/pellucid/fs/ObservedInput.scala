package pellucid.fs

import java.io.InputStream
import java.lang.reflect.Modifier

import scala.annotation.tailrec

import org.apache.hadoop.fs.{FSDataInputStream, FSDataOutputStream}

import pellucid.observe.TaskRecord
import pellucid.plugin.Guard

/** A task's input stream whose reads are measured. It can what the stock stream can, and tells so. */
private[fs] final class ObservedInput private (stock: FSDataInputStream, timed: TimedInput)
    extends FSDataInputStream(timed)
    with IsObserved {
  override def getWrappedStream: InputStream = { timed.leave(); stock.getWrappedStream }
}

/** A stream that is measured. */
private[fs] trait IsObserved

private[fs] object ObservedInput {
  val guard = new Guard("measuring input")

  /** `stock` itself where no task runs, and where it is more than a stream: others may want that, or it passes on to one that is measured. */
  def of(
      stock: FSDataInputStream,
      source: => Source,
      split: => Option[Split],
      record: TaskRecord = TaskRecord.current
  ): FSDataInputStream =
    if (record == null || !isPlain(stock) || isObserved(stock)) stock
    else
      guard {
        val from = source
        val timed = for (task <- record.multitask; part <- split) yield {
          val whole = WholeInput.of(part, from, record)
          whole.filter(_.isExpected).fold[TimedInput](
            new ChunkedInput(stock, record, from, part, whole, task.memory)
          )(new WholeInput(stock, record, from, _, task.memory))
        }
        ObservedHdfs.of(stock, new ObservedInput(stock, timed.getOrElse(new TimedInput(stock, record, from))))
      }.getOrElse(stock)

  /** Nobody can want the class that it has: of HDFS' own there are measured ones. */
  def isPlain(stock: AnyRef): Boolean = stock.getClass match {
    case plain if plain == classOf[FSDataInputStream] || plain == classOf[FSDataOutputStream] => true
    case own => ObservedHdfs.has(stock) || !Modifier.isPublic(own.getModifiers)
  }

  @tailrec private def isObserved(stock: InputStream): Boolean = stock match {
    case _: IsObserved => true
    case of: FSDataInputStream => isObserved(of.getWrappedStream)
    case _ => false
  }
}
