package pellucid.fs

import java.lang.reflect.Modifier

import scala.annotation.tailrec

import org.apache.hadoop.fs.{FSDataInputStream, FSDataOutputStream}

/** A stream that is measured. */
private[fs] trait IsObserved

private[fs] object IsObserved {

  /** Whether a measured stream can stand for `stock`: others may want the class that one has, or it passes on to one that is measured. */
  def canBe(stock: AnyRef): Boolean = isPlain(stock) && !passesOn(stock)

  /** Nobody can want the class that it has: of HDFS' own there are measured ones. */
  private def isPlain(stock: AnyRef) = stock.getClass match {
    case plain if plain == classOf[FSDataInputStream] || plain == classOf[FSDataOutputStream] => true
    case own => ObservedHdfs.has(stock) || !Modifier.isPublic(own.getModifiers)
  }

  @tailrec private def passesOn(stock: AnyRef): Boolean = stock match {
    case _: IsObserved => true
    case in: FSDataInputStream => passesOn(in.getWrappedStream)
    case out: FSDataOutputStream => passesOn(out.getWrappedStream)
    case _ => false
  }
}
