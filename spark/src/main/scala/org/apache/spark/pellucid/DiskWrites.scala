package org.apache.spark.pellucid

import scala.collection.mutable.ArrayBuffer

import pellucid.observe.{Kind, Requests, TaskRecord}
import pellucid.sched.MonotaskPhase

/** Writes to one disk that are done together, each 8 MB of them as one monotask (thesis section 5.3.2). */
private[pellucid] final class DiskWrites(record: TaskRecord, kind: Kind, disk: String) {
  private val requests = record.requests(kind, disk)
  private val waiting = ArrayBuffer.empty[() => Unit]
  private var bytes = 0L
  private var spent = 0L

  /** How long they took, without the time in the disk's queue. */
  def nanos: Long = spent

  /** After those before it. */
  def add(moves: Int)(write: => Unit): Unit = {
    waiting += (() => write)
    bytes += moves
    if (bytes >= Requests.Monotask) run()
  }

  /** Those that still wait. */
  def run(): Unit =
    try if (waiting.nonEmpty) record.monotask(bytes, disk, MonotaskPhase.ShuffleWrite) { timed(); bytes.toInt }
    finally {
      waiting.clear()
      bytes = 0
    }

  private def timed(): Unit = {
    val cpu = requests.cpuBefore(bytes)
    val wall = System.nanoTime()
    try waiting.foreach(_())
    finally {
      requests.ended(bytes, wall, cpu)
      spent += System.nanoTime() - wall
    }
  }
}
