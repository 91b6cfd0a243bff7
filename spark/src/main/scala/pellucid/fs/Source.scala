package pellucid.fs

/** Where an input stream reads from.
  *
  * @param name what its requests are counted under
  * @param last names more exactly what the last read in sequence came from
  * @param resource what a read at a position uses: `disk:NAME`, or the network
  */
private[fs] final class Source(val name: String, val last: Option[() => String], val resource: Long => String)

/** The part of a file that a task reads. */
private[fs] final case class Split(start: Long, end: Long)
