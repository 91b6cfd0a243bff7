package pellucid.model

/** How fast the network of one machine goes when what is written to other machines wants it beside what is fetched. Each of those that want it at
  * once has the same part; what is written has no more than it can use, and leaves the rest to the others.
  */
private[model] final class Shares(output: Output) {

  /** Of the steps that fetch, and of those that write, together: the part of their own speed that they have. */
  var fetched, written = 1.0

  /** @param fetching steps that run, and `writing` */
  def of(fetching: Int, writing: Int): Unit = {
    val part = if (writing > 0) writing.toDouble / (writing + fetching) else 1.0
    written = if (output.ofCard > part) part / output.ofCard else 1
    fetched = if (writing > 0) 1 - output.ofCard * written else 1
  }
}
