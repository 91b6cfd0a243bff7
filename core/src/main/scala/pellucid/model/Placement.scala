package pellucid.model

import java.util.SplittableRandom

import scala.collection.mutable

import pellucid.sched.Replicas

/** Which machines have the replicas of what is written: the first is the one that writes it, which sends it on to the next, and that to another. */
private[model] sealed abstract class Placement {

  /** Of a file's next block, after which the one before counts no more. */
  def begins(file: Long, writer: Int): Array[Int]
  def ends(file: Long): Unit
}

private[model] object Placement {

  /** Of one run.
    *
    * @param balanced on the machines that fewest write to, as the plugin chooses them, and not drawn, as HDFS does
    * @param random of a file, so that where they are drawn luck is the same on other machines
    */
  def of(balanced: Boolean, machines: Int, replicas: Int, random: Long => SplittableRandom): Placement =
    if (balanced && replicas < machines) new Balanced(machines, replicas, random(0))
    else new Drawn(machines, replicas, random)

  private final class Balanced(machines: Int, replicas: Int, random: SplittableRandom) extends Placement {
    private val chosen = Replicas.knowing[Int](0 until machines, random.nextInt(_))
    private def write(file: Long) = Replicas.Write("", file)
    def begins(file: Long, writer: Int): Array[Int] =
      chosen.begins(write(file), Some(writer), replicas, now = 0).toArray.flatten
    def ends(file: Long): Unit = chosen.ends(write(file))
  }

  private final class Drawn(machines: Int, replicas: Int, random: Long => SplittableRandom) extends Placement {
    private val randoms = mutable.LongMap.empty[SplittableRandom]
    def begins(file: Long, writer: Int): Array[Int] = {
      val its = randoms.getOrElseUpdate(file, random(file))
      val of = mutable.LinkedHashSet(writer)
      while (of.size < replicas) of += its.nextInt(machines)
      of.toArray
    }
    def ends(file: Long): Unit = { randoms -= file; () }
  }
}
