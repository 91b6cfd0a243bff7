package pellucid.monotask

import java.lang.ref.WeakReference
import java.util.ArrayDeque
import java.util.concurrent.ConcurrentHashMap

/** Large arrays that tasks are done with, for those that come: made anew for each task they would fill the heap's old generation.
  * The next collection that looks there takes those that nobody uses.
  */
object Arrays {
  private val unused = new ConcurrentHashMap[Int, ArrayDeque[WeakReference[Array[Byte]]]]

  /** Of so many bytes, with whatever is in it. */
  def take(size: Int): Array[Byte] = Option(unused.get(size)).flatMap(last).getOrElse(new Array(size))

  private def last(of: ArrayDeque[WeakReference[Array[Byte]]]) = of.synchronized {
    Iterator.continually(of.pollLast()).takeWhile(_ != null).map(_.get).find(_ != null)
  }

  /** Nobody uses it any more. Small ones, and those whose size is nobody else's, are left to the collector. */
  def put(array: Array[Byte]): Unit = if (array.length >= Megabyte && array.length % Megabyte == 0) {
    val same = unused.computeIfAbsent(array.length, _ => new ArrayDeque)
    same.synchronized(same.addLast(new WeakReference(array)))
  }

  /** Of whole megabytes, where it is that large. */
  def rounded(size: Int): Int = if (size < Megabyte) size else (size + Megabyte - 1) / Megabyte * Megabyte

  private final val Megabyte = 1 << 20
}
