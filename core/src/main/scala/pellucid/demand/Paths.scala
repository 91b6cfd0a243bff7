package pellucid.demand

import pellucid.report.{PathRequests, RequestSizes, Sampled}
import pellucid.trace.Trace

/** Where the measured requests of tasks went, most waited for first. */
object Paths {
  def of(trace: Trace): Seq[PathRequests] =
    trace.paths.filterNot(_.sampled).groupBy(u => (u.kind, trace.executors(u.executor).host, u.path)).iterator.map {
      case ((kind, host, path), uses) =>
        val requests = uses.iterator.map(_.requests).sum
        val bytes = uses.iterator.map(_.bytes).sum
        val sizes =
          uses.head.sizes.indices.iterator.map(b => (1L << b) -> uses.iterator.map(_.sizes(b)).sum).filter(_._2 > 0)
        PathRequests(
          kind,
          host,
          path,
          requests,
          bytes,
          uses.iterator.map(_.micros).sum / 1e6,
          if (requests > 0) bytes / requests else 0,
          sizes.map { case (from, n) => RequestSizes(from, n) }.toSeq
        )
    }.toSeq.sortBy(p => (-p.seconds, -p.bytes, p.kind, p.host, p.path))

  /** What samples of tasks' stacks showed, most time first. */
  def sampled(trace: Trace): Seq[Sampled] =
    trace.paths.filter(_.sampled).groupMapReduce(u => (u.kind, u.path))(_.micros)(_ + _).iterator.map {
      case ((kind, what), micros) => Sampled(kind, what, micros / 1e6)
    }.toSeq.sortBy(s => (-s.seconds, s.kind, s.what))
}
