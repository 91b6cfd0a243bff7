package pellucid.model

import java.util.SplittableRandom

/** On which disk of a machine the blocks are that its tasks read. A datanode's disks take turns with what is written, so that each has as many; which of
  * them the machine's tasks read is chance.
  *
  * @param blocks of a stage's input that the machine has
  */
private[model] final class InputBlocks(blocks: Int, disks: Int, random: SplittableRandom) {
  private val unread = {
    val first = random.nextInt(disks) // to have one more, where they do not all have as many
    Array.tabulate(disks)(disk => (blocks + (disk + first) % disks) / disks)
  }

  /** Of the next one; any disk once all of the machine's are read, as others' are then. */
  def next(): Int = {
    val all = unread.sum
    if (all == 0) random.nextInt(disks)
    else {
      var nth = random.nextInt(all)
      val disk = unread.indexWhere { its => nth -= its; nth < 0 }
      unread(disk) -= 1
      disk
    }
  }
}
