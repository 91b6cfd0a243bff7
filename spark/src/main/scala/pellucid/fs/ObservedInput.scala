package pellucid.fs

import java.io.InputStream

import org.apache.hadoop.fs.FSDataInputStream

import pellucid.observe.TaskRecord
import pellucid.plugin.Guard

/** A task's input stream whose reads are measured. It can what the stock stream can, and tells so. */
private[fs] final class ObservedInput private (stock: FSDataInputStream, timed: TimedInput)
    extends FSDataInputStream(timed)
    with IsObserved {
  override def getWrappedStream: InputStream = { timed.leave(); stock.getWrappedStream }
}

private[fs] object ObservedInput {
  val guard = new Guard("measuring input")

  /** `stock` itself where no task runs, and where it cannot be a measured one. */
  def of(
      stock: FSDataInputStream,
      source: => Source,
      split: => Option[Split],
      record: TaskRecord = TaskRecord.current
  ): FSDataInputStream =
    if (record == null || !IsObserved.canBe(stock)) stock
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
}
