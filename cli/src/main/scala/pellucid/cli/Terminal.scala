package pellucid.cli

/** What is for people's eyes only, such as progress. */
object Terminal {

  /** Whether somebody looks on. From Java 22 on there is a console without a terminal, too, which it then says itself. */
  val isThere: Boolean = Option(System.console).exists { console =>
    try classOf[java.io.Console].getMethod("isTerminal").invoke(console) == true
    catch { case _: NoSuchMethodException => true }
  }
}
