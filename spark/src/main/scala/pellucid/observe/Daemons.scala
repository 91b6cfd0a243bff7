package pellucid.observe

import java.util.concurrent.ThreadFactory

/** Threads of the plugin's own, which keep no JVM from ending. */
final class Daemons(name: String) extends ThreadFactory {
  override def newThread(work: Runnable): Thread = {
    val made = new Thread(work, name)
    made.setDaemon(true)
    made
  }
}
