package pellucid.plugin

import java.util.concurrent.ConcurrentHashMap

import scala.util.control.NonFatal

import org.slf4j.LoggerFactory

/** One of the plugin's hooks into Spark. What goes wrong inside it ends the hook, with one warning, and never the job. */
final class Guard(val name: String) {
  @volatile private var on = true
  Guard.all.add(this)

  /** Runs a part of the hook; None once the hook is off. The job's own calls do not belong inside. */
  def apply[A](part: => A): Option[A] =
    if (!on) None
    else
      try {
        if (Guard.sabotaged == name) throw new IllegalStateException(s"on purpose, in $name")
        Some(part)
      } catch {
        case e if Guard.harmless(e) => off(e); None
      }

  /** Nothing has gone wrong so far. */
  def isOn: Boolean = on

  private def off(e: Throwable): Unit = synchronized {
    if (on) {
      on = false
      Guard.warn(s"$name is switched off, the job goes on without it: $e", e)
    }
  }
}

object Guard {
  private val log = LoggerFactory.getLogger("pellucid")
  private val all = ConcurrentHashMap.newKeySet[Guard]

  /** For tests, which let one hook fail on purpose, and all hooks work again afterwards. */
  @volatile private var sabotaged = ""
  private[pellucid] def sabotage(name: String): Unit = sabotaged = name
  private[pellucid] def reset(): Unit = { sabotaged = ""; all.forEach(_.on = true) }

  val plugin = new Guard("the plugin")
  val tab = new Guard("the tab")

  def warn(text: String, cause: Throwable = null): Unit = log.warn(s"Pellucid: $text", cause)

  /** Also errors of linking: another version of Spark or Hadoop than the one that this was compiled for. And too little memory:
    * Spark would end the application for that, which without us may have enough.
    */
  def harmless(e: Throwable): Boolean =
    NonFatal(e) || e.isInstanceOf[LinkageError] || e.isInstanceOf[OutOfMemoryError] ||
      e.isInstanceOf[StackOverflowError]
}
