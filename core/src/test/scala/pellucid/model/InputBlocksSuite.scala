package pellucid.model

import java.util.SplittableRandom

class InputBlocksSuite extends munit.FunSuite {
  private def read(blocks: Int, disks: Int, tasks: Int, seed: Long): Seq[Int] = {
    val input = new InputBlocks(blocks, disks, new SplittableRandom(seed))
    val on = Seq.fill(tasks)(input.next())
    (0 until disks).map(disk => on.count(_ == disk))
  }

  test("whoever reads all of them reads as many from each disk, or one more") {
    for (seed <- 1L to 50; blocks <- 1 to 12; disks <- 1 to 4) {
      val counts = read(blocks, disks, blocks, seed)
      assertEquals(counts.sum, blocks)
      assert(counts.max - counts.min <= 1, counts)
    }
  }

  test("a single block is on any disk") {
    val onFirst = (1L to 1000).count(read(1, 2, 1, _).head == 1)
    assert(onFirst > 400 && onFirst < 600, onFirst) // 6 standard deviations from 500
  }

  test("of other machines' blocks any disk has the next one") {
    val counts = (1L to 1000).map(read(0, 2, 4, _)).map(_.head)
    assertEquals(counts.toSet, Set(0, 1, 2, 3, 4)) // not two of each
  }
}
