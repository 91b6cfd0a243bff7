package pellucid.plugin

/** The lines of Spark that the hooks were tested on. Without a class of Scala's library: of another Scala, those may not be there. */
object Versions {
  def known: String = "4.0, 4.1, 4.2, 4.3"
  def supported(version: String): Boolean = version.matches("4[.][0-3]([.-].*)?")
}
