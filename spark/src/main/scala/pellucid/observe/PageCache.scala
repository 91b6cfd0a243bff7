package pellucid.observe

/** Whether what was read came from memory or from a disk, which the kernel does not say: by the time that it took. */
private[pellucid] object PageCache {

  /** Of waiting, which at 500 MB/s and more is not worth a monotask. */
  private final val NanosPerByte = 2L

  /** Since some time, with neither the CPU nor a wish for it: work beside this thread's makes nothing look like a disk. */
  def blockedNanos(): Long = System.nanoTime() - CpuClock.nanos() - RunQueue.nanos()

  def had(bytes: Int, blockedNanos: Long): Boolean = blockedNanos < bytes * NanosPerByte
}
