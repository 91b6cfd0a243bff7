package pellucid.fs

import java.io.{InputStream, OutputStream}
import java.util.{List => JList}

import org.apache.hadoop.crypto.{CryptoInputStream, CryptoOutputStream}
import org.apache.hadoop.fs.{Abortable, FSDataInputStream, FSDataOutputStream}
import org.apache.hadoop.fs.statistics.IOStatistics
import org.apache.hadoop.hdfs.{DFSInputStream, DFSOutputStream, ReadStatistics}
import org.apache.hadoop.hdfs.client.{HdfsDataInputStream, HdfsDataOutputStream}
import org.apache.hadoop.hdfs.protocol.{DatanodeInfo, ExtendedBlock, LocatedBlock}

/** Measured streams of HDFS for code that asks for their class, to have a reader's length or to write with flags.
  *
  * They are what HDFS makes of its own stream, and use the measured one in its place.
  */
private[fs] object ObservedHdfs {

  /** Whether `stock` has such a class. */
  def has(stock: AnyRef): Boolean =
    stock.getClass == classOf[HdfsDataInputStream] || stock.getClass == classOf[HdfsDataOutputStream]

  /** `observed`, as the class that `stock` has. */
  def of(stock: FSDataInputStream, observed: FSDataInputStream): FSDataInputStream = stock match {
    case hdfs: HdfsDataInputStream => new Input(hdfs, observed)
    case _ => observed
  }

  def of(stock: FSDataOutputStream, observed: FSDataOutputStream): FSDataOutputStream = stock match {
    case hdfs: HdfsDataOutputStream => new Output(hdfs, observed)
    case _ => observed
  }

  private final class Input(stock: HdfsDataInputStream, observed: FSDataInputStream)
      extends HdfsDataInputStream(plain(stock.getWrappedStream))
      with IsObserved {
    in = observed
    override def getWrappedStream: InputStream = observed.getWrappedStream
    override def getCurrentDatanode: DatanodeInfo = stock.getCurrentDatanode
    override def getCurrentBlock: ExtendedBlock = stock.getCurrentBlock
    override def getAllBlocks: JList[LocatedBlock] = stock.getAllBlocks
    override def getVisibleLength: Long = stock.getVisibleLength
    override def getReadStatistics: ReadStatistics = stock.getReadStatistics
    override def clearReadStatistics(): Unit = stock.clearReadStatistics()
    override def toString: String = observed.toString
  }

  /** What it does with flags it does with `getWrappedStream`. */
  private final class Output(stock: HdfsDataOutputStream, observed: FSDataOutputStream)
      extends HdfsDataOutputStream(plain(stock.getWrappedStream), null)
      with IsObserved {
    out = observed
    override def getWrappedStream: OutputStream = observed.getWrappedStream
    override def getPos: Long = observed.getPos
    override def close(): Unit = observed.close()
    override def hflush(): Unit = observed.hflush()
    override def hsync(): Unit = observed.hsync()
    override def abort(): Abortable.AbortableResult = observed.abort()
    override def setDropBehind(dropBehind: java.lang.Boolean): Unit = observed.setDropBehind(dropBehind)
    override def hasCapability(capability: String): Boolean = observed.hasCapability(capability)
    override def getIOStatistics: IOStatistics = observed.getIOStatistics
    override def toString: String = observed.toString
  }

  private def plain(stream: InputStream): DFSInputStream = (stream match {
    case encrypted: CryptoInputStream => encrypted.getWrappedStream
    case other => other
  }).asInstanceOf[DFSInputStream]

  private def plain(stream: OutputStream): DFSOutputStream = (stream match {
    case encrypted: CryptoOutputStream => encrypted.getWrappedStream
    case other => other
  }).asInstanceOf[DFSOutputStream]
}
