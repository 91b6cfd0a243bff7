package org.apache.spark.pellucid

import java.nio.channels.spi.AbstractInterruptibleChannel
import java.util.concurrent.CountDownLatch

import org.apache.spark.util.UninterruptibleThread

import munit.FunSuite

import pellucid.plugin.Interrupted

class InterruptedSuite extends FunSuite {

  test("a task's thread is interrupted again also while the one that did it is not back from that") {
    val (blocked, interrupting) = (new CountDownLatch(1), new CountDownLatch(1))
    @volatile var heard = false
    val task = new UninterruptibleThread("task") {
      override def run(): Unit = {
        new SlowToClose(interrupting).blocks()
        blocked.countDown()
        while (!Thread.interrupted()) Thread.onSpinWait()
        interrupting.await()
        Interrupted.again()
        heard = Thread.interrupted()
      }
    }
    task.start()
    blocked.await()
    task.interrupt()
    task.join()
    assert(heard)
  }
}

/** Who interrupts a thread that is blocked by it closes it, which takes a while. */
private final class SlowToClose(closing: CountDownLatch) extends AbstractInterruptibleChannel {
  def blocks(): Unit = begin()
  override def implCloseChannel(): Unit = { closing.countDown(); Thread.sleep(50) }
}
