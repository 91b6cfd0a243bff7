package pellucid.model

import pellucid.disk.DiskProfile
import pellucid.sched.MonotaskPhase
import pellucid.trace.{MonotaskTable, Trace}

/** A file's header and other reads of a few bytes are no monotasks: a task waits for them while it seems to compute, on a hard disk for many seeks,
  * its datanode's among them. Here they are steps of the disk, after the computing in which they were.
  */
object SmallReads {

  /** Of a block and of its checksums the directory's entry and the inode, and the content. */
  private final val Seeks = 5

  def isOne(table: MonotaskTable, step: Int): Boolean =
    table.bytes(step) == 0 && table.phase(step) == read && table.serviceMicros(step) > 0

  /** That a file's small reads take such a disk alone. */
  def seekMicros(disk: DiskProfile): Double = Seeks * 1e6 * disk.read.seekSeconds

  private val compute = MonotaskPhase.all.indexOf(MonotaskPhase.Compute)
  private val read = MonotaskPhase.all.indexOf(MonotaskPhase.InputRead)

  /** The monotasks of `trace` with such steps: as long as tasks were blocked on input beyond their monotasks, of the resource that these read from. */
  def apart(trace: Trace): MonotaskTable = {
    val from = trace.monotasks
    val to = new MonotaskTable
    from.resources.foreach(to.resourceNumber)
    to.slots ++= from.slots

    def add(step: Int, resource: Int, phase: Int, bytes: Long, queued: Long, wait: Long, service: Long, cpu: Long) = {
      val row = to.append()
      to.task(row) = from.task(step)
      to.resource(row) = resource
      to.phase(row) = phase
      to.bytes(row) = bytes
      to.queuedMicros(row) = queued
      to.waitMicros(row) = wait
      to.serviceMicros(row) = service
      to.cpuMicros(row) = cpu
      row
    }

    var first = 0
    while (first < from.size) {
      val task = from.task(first)
      var last = first
      while (last < from.size && from.task(last) == task) last += 1
      val reads = (first until last).filter(from.phase(_) == read)
      var hidden =
        if (reads.isEmpty) 0L
        else math.max(
          0,
          trace.tasks.inputBlockedNanos(task) / 1000 - reads.map(waitedFor(from, _)).sum
        )
      for (s <- first until last) {
        val (service, cpu) = (from.serviceMicros(s), from.cpuMicros(s))
        val part = if (from.phase(s) == compute) math.min(hidden, math.max(0, service - cpu)) else 0L
        hidden -= part
        val (queued, wait) = (from.queuedMicros(s), from.waitMicros(s))
        val row = add(s, from.resource(s), from.phase(s), from.bytes(s), queued, wait, service - part, cpu)
        to.ahead(row) = from.ahead(s)
        if (part > 0) add(s, from.resource(reads.head), read, 0, queued + wait + service - part, 0, part, 0)
      }
      first = last
    }
    to
  }

  private def waitedFor(table: MonotaskTable, step: Int): Long =
    if (table.ahead(step) == 1) table.awaitedMicros(step) else table.waitMicros(step) + table.serviceMicros(step)
}
