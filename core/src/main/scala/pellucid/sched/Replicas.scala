package pellucid.sched

import scala.collection.mutable

/** Which machines take the replicas of what is written to a file system that replicates: the writer's own, and of the others those that fewest
  * writes go to at the moment, and of these those that took fewest until then. At random, as HDFS chooses, disks are busy by turns: of four
  * machines that write one file each, three replicas of it, in 8 of 9 draws some disk takes all four while another takes two or fewer.
  *
  * Which machines there are is what the file system's own choices show: it chooses until as many of them in a row as there are machines known have
  * shown no new one, and again every ten minutes, for machines that came and went. Replicas go to racks as HDFS has them go: the second to another
  * rack than the first, the third to the second's. Where that would go wrong with a machine that is gone unnoticed, the file system chooses.
  *
  * Like [[ResourceScheduler]] it has neither threads nor a clock.
  *
  * @tparam M what tells a machine from others
  * @param below a random number below another
  */
final class Replicas[M](below: Int => Int) {
  import Replicas._
  private final class Known(val rack: String) {
    var writes, all = 0 // at the moment, and ever
    def load: (Int, Int) = (writes, all)
  }
  private val known = mutable.LinkedHashMap.empty[M, Known]
  private val racks = mutable.HashSet.empty[String]
  private val underWay = mutable.HashMap.empty[Write, Seq[Known]]
  private var choices, withoutNew = 0 // of the file system, and the last ones
  private var since = 0L // the first machine is known

  /** Machines for `count` replicas, the writer's own first; none where the file system is to choose, and None where [[chose]] is to be told of that.
    *
    * @param own the writer's machine, if that is one of them
    */
  def begins(write: Write, own: Option[M], count: Int, now: Long): Option[Seq[M]] = {
    ends(write)
    if (now - since > ForgetNanos) forget()
    val learned = known.nonEmpty && withoutNew >= known.size
    Option.when(learned || choices >= MostChoices) {
      val chosen = if (learned && isChoice(own, count)) choose(own, count) else Nil
      val taken = chosen.map(known)
      taken.foreach { its => its.writes += 1; its.all += 1 }
      if (taken.nonEmpty) underWay(write) = taken
      chosen
    }
  }

  /** On several racks a writer that is none of the machines is near some that are not told of, and of two replicas the other one is alone in its rack. */
  private def isChoice(own: Option[M], count: Int) =
    known.size > count && own.forall(known.contains) && (own.nonEmpty && count > 2 || racks.size == 1)

  def ends(write: Write): Unit = underWay.remove(write).foreach(_.foreach(_.writes -= 1))

  /** An executor that is gone writes nothing more. */
  def gone(executor: String): Unit = underWay.keys.filter(_.executor == executor).toSeq.foreach(ends)

  /** The file system has chosen these machines, each with its rack. */
  def chose(machines: Seq[(M, String)], now: Long): Unit = {
    val before = known.size
    if (before == 0) since = now
    for ((machine, rack) <- machines) known.getOrElseUpdate(machine, { racks += rack; new Known(rack) })
    choices += 1
    withoutNew = if (known.size > before) 0 else withoutNew + 1
  }

  private def forget(): Unit = {
    known.clear()
    racks.clear()
    underWay.clear() // and with it files that were never closed
    choices = 0
    withoutNew = 0
  }

  private def choose(own: Option[M], count: Int): Seq[M] = {
    val chosen = mutable.ArrayBuffer.from(own)
    while (chosen.size < count) {
      val fits: String => Boolean = chosen.size match {
        case 1 => _ != known(chosen.head).rack
        case 2 => _ == known(chosen(1)).rack
        case _ => _ => true
      }
      chosen ++= leastBusy(chosen, fits).orElse(leastBusy(chosen, _ => true))
    }
    chosen.toSeq
  }

  /** Of those that are alike each as likely as the others. */
  private def leastBusy(chosen: collection.Seq[M], fits: String => Boolean): Option[M] = {
    val free = known.filter { case (machine, its) => fits(its.rack) && !chosen.contains(machine) }
    free.values.map(_.load).minOption.map { least =>
      val alike = free.collect { case (machine, its) if its.load == least => machine }.toIndexedSeq
      alike(below(alike.size))
    }
  }
}

object Replicas {
  private final val ForgetNanos = 600L * 1000 * 1000 * 1000

  /** To learn from: each costs the writer a question to the file system. */
  private final val MostChoices = 1000

  /** Those of one rack, of which all machines are known from moment 0 on. */
  def knowing[M](machines: Seq[M], below: Int => Int): Replicas[M] = {
    val made = new Replicas[M](below)
    made.chose(machines.map(_ -> ""), 0)
    made.withoutNew = machines.size
    made
  }

  /** One file that an executor writes. */
  final case class Write(executor: String, number: Long)
}
