package pellucid.fs

import org.apache.hadoop.fs.FileSystem

/** Where an input stream reads from.
  *
  * @param name what its requests are counted under
  * @param last names more exactly what the last read in sequence came from
  * @param resource what a read at a position uses: `disk:NAME`, or the network
  * @param exact names what a position is read from where a read in sequence would have more sent than was asked for; None where not, or
  *              where that is not known and it may not `ask`
  * @param length of the file, where that costs nothing to know
  * @param fs whose streams read at several positions at once, and which counts what they read
  */
private[fs] final class Source(
    val name: String,
    val last: Option[() => String],
    val resource: Long => String,
    val exact: (Long, Boolean) => Option[String] = (_, _) => None,
    val fs: Option[FileSystem] = None,
    val length: () => Option[Long] = () => None
)

/** The part of a file that a task reads. */
private[fs] final case class Split(start: Long, end: Long)
