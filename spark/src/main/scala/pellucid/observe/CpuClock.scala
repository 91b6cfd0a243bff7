package pellucid.observe

import java.lang.management.ManagementFactory

/** CPU time of threads; -1 where the JVM does not tell. */
private[pellucid] object CpuClock {
  private val threads = ManagementFactory.getThreadMXBean
  private val supported = threads.isCurrentThreadCpuTimeSupported && threads.isThreadCpuTimeEnabled

  /** Of the current one. */
  def nanos(): Long = if (supported) threads.getCurrentThreadCpuTime else -1

  def nanosOf(thread: Thread): Long = if (supported) threads.getThreadCpuTime(thread.getId) else -1
}
