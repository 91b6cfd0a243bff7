package pellucid.trace

/** Growable columns of primitives, indexed by row. Rows are kept in chunks, and a chunk exists only once a value other than
  * zero is written to it, so a metric that a log never has (spill, output, …) costs nothing.
  */
final class LongColumn {
  private var chunks = new Array[Array[Long]](16)

  def apply(row: Int): Long = {
    val c = row >>> Columns.ChunkBits
    val chunk = if (c < chunks.length) chunks(c) else null
    if (chunk == null) 0L else chunk(row & Columns.ChunkMask)
  }

  def update(row: Int, value: Long): Unit = {
    val c = row >>> Columns.ChunkBits
    if (c < chunks.length && chunks(c) != null) chunks(c)(row & Columns.ChunkMask) = value
    else if (value != 0) allocate(c)(row & Columns.ChunkMask) = value
  }

  private def allocate(c: Int): Array[Long] = {
    if (c >= chunks.length) chunks = java.util.Arrays.copyOf(chunks, math.max(chunks.length * 2, c + 1))
    chunks(c) = new Array[Long](Columns.ChunkRows)
    chunks(c)
  }

  /** Makes the rows from `size` on zero. */
  def truncate(size: Int): Unit = {
    val c = size >>> Columns.ChunkBits
    if (c < chunks.length) {
      if (chunks(c) != null) java.util.Arrays.fill(chunks(c), size & Columns.ChunkMask, Columns.ChunkRows, 0L)
      java.util.Arrays.fill(chunks.asInstanceOf[Array[AnyRef]], c + 1, chunks.length, null)
    }
  }

  /** Makes this column a copy of another. */
  def copyFrom(other: LongColumn): Unit =
    chunks = other.chunks.map(chunk => if (chunk == null) null else chunk.clone)
}

/** The same for 32-bit values: milliseconds, indices, table rows. */
final class IntColumn {
  private var chunks = new Array[Array[Int]](16)

  def apply(row: Int): Int = {
    val c = row >>> Columns.ChunkBits
    val chunk = if (c < chunks.length) chunks(c) else null
    if (chunk == null) 0 else chunk(row & Columns.ChunkMask)
  }

  def update(row: Int, value: Int): Unit = {
    val c = row >>> Columns.ChunkBits
    if (c < chunks.length && chunks(c) != null) chunks(c)(row & Columns.ChunkMask) = value
    else if (value != 0) allocate(c)(row & Columns.ChunkMask) = value
  }

  private def allocate(c: Int): Array[Int] = {
    if (c >= chunks.length) chunks = java.util.Arrays.copyOf(chunks, math.max(chunks.length * 2, c + 1))
    chunks(c) = new Array[Int](Columns.ChunkRows)
    chunks(c)
  }

  /** Makes the rows from `size` on zero. */
  def truncate(size: Int): Unit = {
    val c = size >>> Columns.ChunkBits
    if (c < chunks.length) {
      if (chunks(c) != null) java.util.Arrays.fill(chunks(c), size & Columns.ChunkMask, Columns.ChunkRows, 0)
      java.util.Arrays.fill(chunks.asInstanceOf[Array[AnyRef]], c + 1, chunks.length, null)
    }
  }

  /** Makes this column a copy of another. */
  def copyFrom(other: IntColumn): Unit =
    chunks = other.chunks.map(chunk => if (chunk == null) null else chunk.clone)

  /** For durations and counts: a value beyond 32 bits (24 days in milliseconds) is kept as the largest one. */
  def saturate(row: Int, value: Long): Unit =
    update(row, if (value > Int.MaxValue) Int.MaxValue else if (value < 0) 0 else value.toInt)
}

object Columns {
  final val ChunkBits = 12
  final val ChunkRows = 1 << ChunkBits
  final val ChunkMask = ChunkRows - 1
}
