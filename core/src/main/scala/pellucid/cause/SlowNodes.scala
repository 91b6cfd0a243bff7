package pellucid.cause

import scala.collection.mutable
import scala.collection.mutable.ArrayBuffer

import pellucid.trace.Trace

/** Hosts whose tasks take longer than the others' net of the data they read, and over stages. A host's slowdown in a stage is
  * the median of its tasks' time per byte over the stage's; its slowdown is the median over the stages in which it ran at
  * least [[SlowNodes.MinTasks]] tasks beside another host, if those are at least two.
  */
final class SlowNodes(val hosts: Map[String, SlowNodes.Host]) {
  def isEmpty: Boolean = hosts.isEmpty
  def slowdown(trace: Trace, row: Int): Double = hosts.get(trace.host(row)).fold(1.0)(_.slowdown)
}

object SlowNodes {
  final val MinTasks = 3
  final case class Host(slowdown: Double, stages: Int, tasks: Int)

  def of(trace: Trace, stages: Iterator[StageTasks]): SlowNodes = {
    val hostIds = trace.executors.map(_.host).distinct
    if (hostIds.size < 2) return new SlowNodes(Map.empty)
    val hostOf = trace.executors.map(e => hostIds.indexOf(e.host)).toArray
    val perHost = mutable.LinkedHashMap.empty[Int, ArrayBuffer[(Double, Int)]]
    for (stage <- stages if stage.size >= 2 * MinTasks && stage.medianRate > 0) {
      val count = new Array[Int](hostIds.size)
      stage.rows.foreach(row => count(hostOf(trace.tasks.executor(row))) += 1)
      if (count.count(_ > 0) > 1) {
        val rates = count.map(new Array[Double](_))
        java.util.Arrays.fill(count, 0)
        var i = 0
        while (i < stage.size) {
          val h = hostOf(trace.tasks.executor(stage.rows(i)))
          rates(h)(count(h)) = stage.rates(i)
          count(h) += 1
          i += 1
        }
        for (h <- hostIds.indices if count(h) >= MinTasks)
          perHost.getOrElseUpdate(h, ArrayBuffer.empty) += ((Median.of(rates(h)) / stage.medianRate, count(h)))
      }
    }
    new SlowNodes(perHost.iterator.collect {
      case (h, ratios) if ratios.size >= 2 && Median.of(ratios.map(_._1).toArray) > 1 =>
        hostIds(h) -> Host(Median.of(ratios.map(_._1).toArray), ratios.size, ratios.map(_._2).sum)
    }.toMap)
  }
}
