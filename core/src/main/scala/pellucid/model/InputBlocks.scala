package pellucid.model

import java.util.SplittableRandom

/** On which disk of a machine the blocks are that its tasks read. A datanode's disks take turns with what is written, so that each has as many; which of
  * them the machine's tasks read is chance.
  *
  * @param blocks of a stage's input that the machine has
  */
private[model] final class InputBlocks(blocks: Int, disks: Int, random: SplittableRandom) {
  private val left = Array.tabulate(disks)(disk => (blocks + disk) / disks)
  private var all = blocks

  /** Those of other machines too, once it has read its own. */
  def next(): Int =
    if (all == 0) random.nextInt(disks)
    else {
      var nth = random.nextInt(all)
      val disk = left.indexWhere { its => nth -= its; nth < 0 }
      left(disk) -= 1
      all -= 1
      disk
    }
}
