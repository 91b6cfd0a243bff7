package pellucid.observe

import java.lang.management.ManagementFactory

/** CPU time of the current thread; -1 where the JVM does not tell. */
private[observe] object CpuClock {
  private val threads = ManagementFactory.getThreadMXBean
  private val supported = threads.isCurrentThreadCpuTimeSupported && threads.isThreadCpuTimeEnabled

  def nanos(): Long = if (supported) threads.getCurrentThreadCpuTime else -1
}
