package pellucid

import scala.collection.mutable.ArrayBuffer

import org.apache.logging.log4j.LogManager
import org.apache.logging.log4j.core.{LogEvent, Logger}
import org.apache.logging.log4j.core.appender.AbstractAppender
import org.apache.logging.log4j.core.config.Property

/** What Pellucid warns of. */
object Warnings {
  def during(run: => Unit): Seq[String] = {
    val seen = ArrayBuffer.empty[String]
    val appender = new AbstractAppender("test", null, null, true, Property.EMPTY_ARRAY) {
      override def append(event: LogEvent): Unit = seen.synchronized(seen += event.getMessage.getFormattedMessage)
    }
    appender.start()
    val logger = LogManager.getLogger("pellucid").asInstanceOf[Logger]
    logger.addAppender(appender)
    try run
    finally logger.removeAppender(appender)
    seen.toSeq
  }
}
