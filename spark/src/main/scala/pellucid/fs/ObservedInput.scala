package pellucid.fs

import java.io.InputStream

import org.apache.hadoop.fs.FSDataInputStream

import pellucid.observe.TaskRecord
import pellucid.plugin.Guard

/** A task's input stream whose reads are measured. It can what the stock stream can, and tells so. */
private[fs] final class ObservedInput private (stock: FSDataInputStream, timed: TimedInput)
    extends FSDataInputStream(timed) {
  override def getWrappedStream: InputStream = { timed.leave(); stock.getWrappedStream }
}

private[fs] object ObservedInput {
  val guard = new Guard("measuring input")

  /** `stock` itself where no task runs. */
  def of(stock: FSDataInputStream, source: => Source, split: => Option[Split]): FSDataInputStream = {
    val record = TaskRecord.current
    if (record == null) stock
    else
      guard {
        val chunked =
          for (task <- record.multitask; part <- split)
            yield new ChunkedInput(stock, record, source, part, task.memory)
        ObservedHdfs.of(stock, new ObservedInput(stock, chunked.getOrElse(new TimedInput(stock, record, source))))
      }.getOrElse(stock)
  }
}
