package pellucid.monotask

import org.slf4j.LoggerFactory

/** What keeps tasks from waiting for ever, for each other or for a resource that is gone, has had to: it is counted, and the executor's log says so the first
  * time, the second, the fourth and so on.
  */
private[monotask] final class Watchdog {
  private var times = 0

  def fires(why: String): Unit = {
    times += 1
    if (Integer.bitCount(times) == 1) Watchdog.log.info(s"Pellucid: $why ($times so far)")
  }
}

private object Watchdog {
  private val log = LoggerFactory.getLogger("pellucid")
}
