package pellucid.fs

import java.util.concurrent.ThreadLocalRandom

import scala.collection.mutable

import pellucid.sched.Replicas
import pellucid.sched.Replicas.Write

/** The driver's end of where HDFS puts replicas, of each file system. The executors' end is [[HdfsReplicas]]. */
private[pellucid] final class ReplicaChoice {
  import ReplicaChoice.Nothing
  private val all = mutable.HashMap.empty[String, Replicas[String]]

  /** An executor writes the first bytes of a block.
    *
    * @param file its number among the executor's
    * @param own the executor's own machine, [[Nothing]] where it has no replicas
    * @return machines for `count` replicas, [[Nothing]] where HDFS is to choose, no word where [[chose]] is to be told of that
    */
  def begins(executor: String, file: Long, fileSystem: String, own: String, count: Int): String = synchronized {
    val machine = Some(own).filter(_ != Nothing)
    of(fileSystem).begins(Write(executor, file), machine, count, System.nanoTime())
      .fold("")(machines => if (machines.isEmpty) Nothing else machines.mkString(" "))
  }

  /** It is closed. */
  def ends(executor: String, file: Long, fileSystem: String): Unit =
    synchronized(of(fileSystem).ends(Write(executor, file)))

  /** HDFS has chosen for a block: machines, each as `HOST:PORT/RACK`. */
  def chose(fileSystem: String, machines: Seq[String]): Unit = synchronized {
    of(fileSystem).chose(machines.map(path => path.splitAt(path.indexOf('/'))), System.nanoTime())
  }

  def gone(executor: String): Unit = synchronized(all.values.foreach(_.gone(executor)))

  private def of(fileSystem: String) =
    all.getOrElseUpdate(fileSystem, new Replicas[String](ThreadLocalRandom.current().nextInt(_)))
}

private[pellucid] object ReplicaChoice {
  final val Nothing = "-"
}
