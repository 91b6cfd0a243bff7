package pellucid.fs

import org.apache.hadoop.fs.FSDataOutputStream
import org.apache.hadoop.hdfs.DFSOutputStream
import org.apache.spark.pellucid.Fields

/** What HDFS' client sends a file's packets with. */
private[fs] object HdfsStreamer {
  private lazy val streamerOf = Fields.of(classOf[DFSOutputStream], "streamer")

  def ofClass: Class[_] = streamerOf.getType

  /** Of a plain file: encrypted ones, and those in stripes, have other streams. */
  def of(stock: FSDataOutputStream): Option[AnyRef] =
    Option(stock.getWrappedStream).filter(_.getClass == classOf[DFSOutputStream]).map(streamerOf.get)
}
