package pellucid.observe

import java.util.concurrent.ThreadFactory

/** Threads of the plugin's own, which keep no JVM from ending, and nothing of the thread that makes them. */
final class Daemons(name: String) extends ThreadFactory {
  override def newThread(work: Runnable): Thread = {
    val made = new Thread(null, work, name, 0, false)
    made.setContextClassLoader(getClass.getClassLoader)
    made.setDaemon(true)
    made
  }
}
