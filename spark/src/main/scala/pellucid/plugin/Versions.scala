package pellucid.plugin

/** The lines of Spark that the hooks were tested on. */
object Versions {
  private val lines = Seq("4.0", "4.1", "4.2", "4.3")

  def known: String = lines.mkString(", ")
  def supported(version: String): Boolean = lines.exists(line => version == line || version.startsWith(s"$line."))
}
