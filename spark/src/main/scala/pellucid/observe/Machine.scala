package pellucid.observe

import java.io.IOException
import java.lang.management.ManagementFactory
import java.nio.file.{Files, Path, Paths}
import java.util.regex.Pattern

import scala.jdk.CollectionConverters._

/** What Linux has counted of a machine since it was started, and this JVM of itself. Zero is also what is not known. */
final case class Machine(
    cores: Int,
    /** Of this JVM, and of all processes. */
    cpuNanos: Long,
    machineCpuMillis: Long,
    /** Threads that run or could run, now. */
    runnable: Int,
    /** Of all that runs in this JVM's container, and in which the container's limit on the CPU kept its threads from running, added up over threads. */
    containerCpuNanos: Long,
    throttledNanos: Long,
    heapBytes: Long,
    gcMillis: Long,
    /** By the names of mounted block devices: reads, bytes read, writes, bytes written, milliseconds in which it had a request. */
    disks: Seq[(String, Seq[Long])],
    /** By interface, without the loop back: bytes in, bytes out. */
    nics: Seq[(String, Seq[Long])]
)

object Machine {

  /** Counters of another machine than Linux are not read. */
  def now(): Machine = {
    val stat = lines("/proc/stat")
    val (used, throttled) = container()
    Machine(
      stat.count(line => line.startsWith("cpu") && line.charAt(3).isDigit),
      process.fold(0L)(_.getProcessCpuTime),
      stat.headOption.fold(0L)(busyTicks) * TickMillis,
      stat.find(_.startsWith("procs_running ")).fold(0)(_.drop(14).trim.toInt),
      used,
      throttled,
      memory.getHeapMemoryUsage.getUsed,
      collectors.map(_.getCollectionTime).filter(_ > 0).sum,
      disks(),
      nics()
    )
  }

  private val process = ManagementFactory.getOperatingSystemMXBean match {
    case known: com.sun.management.OperatingSystemMXBean => Some(known)
    case _ => None
  }
  private val blanks = Pattern.compile("\\s+")
  private val memory = ManagementFactory.getMemoryMXBean
  private val collectors = ManagementFactory.getGarbageCollectorMXBeans.asScala.toSeq

  /** USER_HZ, which the kernel shows to programs on every architecture that Spark runs on. */
  private final val TickMillis = 10
  private final val SectorBytes = 512
  private final val NoLimit = 1L << 60

  /** user, nice, system, irq and softirq; not idle, waiting for a disk, or stolen by the machine's host. */
  private def busyTicks(cpu: String): Long = {
    val ticks = blanks.split(cpu).drop(1).map(_.toLong)
    Seq(0, 1, 2, 5, 6).iterator.filter(_ < ticks.length).map(ticks(_)).sum
  }

  /** Of memory, to all processes of the machine together, before it takes some from others; None where the kernel does not tell. */
  def availableBytes: Option[Long] =
    lines("/proc/meminfo").collectFirst { case Available(kilobytes) => kilobytes.toLong << 10 }
  private val Available = "MemAvailable: *(\\d+) kB".r

  /** CPU time of the control group, and the time in which its limit held threads up: versions 1 and 2 have them in different units. */
  private def container(): (Long, Long) = {
    val values = ofGroup()
    def accounted = cpuUsage.flatMap(f => lines(f.toString).headOption).fold(0L)(_.trim.toLong)
    (
      values.get("usage_usec").fold(accounted)(_ * 1000),
      values.get("throttled_usec").map(_ * 1000).orElse(values.get("throttled_time")).getOrElse(0L)
    )
  }

  /** Of the JVM's own control group's limit on the CPU: in which threads ran, and in which of these it held some up; none where there has been no limit. */
  def cpuPeriods(): (Long, Long) = {
    val values = ofGroup()
    (values.getOrElse("nr_periods", 0L), values.getOrElse("nr_throttled", 0L))
  }

  /** Beyond which the kernel kills what is in the JVM's own control group; None where it kills nothing. */
  def memoryLimit: Option[Long] = {
    def of(file: String) = inGroup("memory", file).fold(Seq.empty[String])(f => lines(f.toString))
    val kills = !of("memory.oom_control").contains("oom_kill_disable 1")
    (of("memory.max") ++ of("memory.limit_in_bytes")).flatMap(_.trim.toLongOption)
      .find(limit => kills && limit < NoLimit)
  }

  /** What a process has in memory; 0 where it is gone. */
  def residentBytes(pid: Long): Long =
    lines(s"/proc/$pid/status").find(_.startsWith("VmRSS:")).fold(0L)(blanks.split(_)(1).toLong << 10)

  private def ofGroup(): Map[String, Long] = cpuStat.fold(Seq.empty[String])(f => lines(f.toString)).map(_.split(' '))
    .collect { case Array(name, value) => name -> value.toLong }.toMap

  private val cpuStat = inGroup("cpu", "cpu.stat")
  private val cpuUsage = inGroup("cpuacct", "cpuacct.usage")

  /** A file of this JVM's control group. In a container its own group is the one that is mounted. */
  private def inGroup(controller: String, file: String): Option[Path] = {
    val groups = lines("/proc/self/cgroup").map(_.split(":", 3)).collect { case Array(_, kinds, path) =>
      (kinds.split(',').toSeq, path)
    }
    val candidates = groups.flatMap {
      case (Seq(""), path) => Seq(s"/sys/fs/cgroup$path", "/sys/fs/cgroup")
      case (kinds, path) if kinds.contains(controller) =>
        Seq(s"/sys/fs/cgroup/$controller$path", s"/sys/fs/cgroup/$controller")
      case _ => Nil
    }
    candidates.map(Paths.get(_, file)).find(Files.isReadable(_))
  }

  private def disks(): Seq[(String, Seq[Long])] = {
    val mounted =
      lines("/proc/self/mountinfo").iterator.map(_.split(' ')).collect { case f if f.length > 2 => f(2) }.toSet
    lines("/proc/diskstats").map(line => blanks.split(line.trim)).collect {
      case f if f.length >= 13 && mounted(s"${f(0)}:${f(1)}") =>
        f(2) -> Seq(f(3).toLong, f(5).toLong * SectorBytes, f(7).toLong, f(9).toLong * SectorBytes, f(12).toLong)
    }
  }

  private def nics(): Seq[(String, Seq[Long])] = lines("/proc/net/dev").drop(2).map(_.split(':')).collect {
    case Array(name, counters) if name.trim != "lo" =>
      val f = blanks.split(counters.trim)
      name.trim -> Seq(f(0).toLong, f(8).toLong)
  }

  private def lines(file: String): Seq[String] =
    try Files.readAllLines(Paths.get(file)).asScala.toSeq
    catch { case _: IOException => Nil }
}
