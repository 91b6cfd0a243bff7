package pellucid.cost

import com.github.plokhotnyuk.jsoniter_scala.core._
import com.github.plokhotnyuk.jsoniter_scala.macros._

/** What `pellucid optimize` answers; docs/optimize.md defines each number. Durations are seconds, sizes bytes unless
  * they are named otherwise.
  *
  * @param configurations how many were compared, and of these `tooSmall` left out because their disks do not hold the
  *                       data
  * @param chosen         the cheapest; with a deadline the cheapest that meets it, and the fastest where none does
  * @param front          from the fastest to the cheapest
  * @param rules          what rules of thumb would cost in place of the cheapest, where their disks hold the data
  * @param stages         on the chosen configuration
  */
final case class Optimization(
    schemaVersion: Int,
    jobs: Seq[String],
    recordedSeconds: Double,
    prices: String,
    pricesDate: String,
    pricesSource: String,
    configurations: Long,
    tooSmall: Long,
    deadlineSeconds: Option[Double],
    deadlineMet: Option[Boolean],
    cheapest: Choice,
    fastest: Choice,
    chosen: Choice,
    front: Seq[Choice],
    rules: Seq[RuleOfThumb],
    stages: Seq[StagePrediction],
    assumptions: Seq[String]
)

/** A configuration with its predicted time and cost. Disk sizes are gigabytes of each machine. */
final case class Choice(
    machine: String,
    cores: Int,
    machines: Int,
    hdfsDisk: String,
    hdfsGigabytes: Double,
    localDisk: String,
    localGigabytes: Double,
    seconds: Double,
    dollars: Double
)

/** `cheaper`: the share of its cost that the cheapest configuration saves; negative where the rule is cheaper. */
final case class RuleOfThumb(name: String, choice: Choice, cheaper: Double)

object Optimization {

  /** What each assumes that the model does not say by itself. */
  private val Assumed = Seq(
    "each machine has one disk for HDFS and one for shuffle data; " +
      "their reads, writes and the tasks' computing overlap (Doppio, Eq. 1)",
    "stages run one after another, their serial part and the driver's time are as recorded whatever the cluster",
    "cores are as fast as the recorded ones, memory is enough, and the network is no bottleneck",
    "machines and disks are paid for the time of the job; " +
      "starting them, the master and what is stored before and after are not counted",
    "not validated on these machines: the paper's average errors were 3.6 to 8.4 %"
  )

  /** Gigabytes of one disk of the rules of thumb. */
  private final val RuleGigabytes = 1000.0

  /** None where no configuration's disks hold the job's data. */
  def of(job: JobDemand, prices: Prices, space: Space, deadlineSeconds: Option[Double]): Option[Optimization] = {
    val search = Search.of(job, space)
    val front = (0 until search.front.size).map(i => choice(job, space(search.front.point(i))))
    Option.when(front.nonEmpty) {
      val inTime = deadlineSeconds.map(limit => front.filter(_.seconds <= limit))
      val cheapest = front.last
      val of = inTime match {
        case None => search.front.size - 1
        case Some(met) => math.max(0, met.size - 1)
      }
      val configuration = space(search.front.point(of))
      val onCheapest = space(search.front.point(search.front.size - 1))
      Optimization(
        1,
        job.names,
        job.recordedSeconds,
        prices.name,
        prices.date,
        prices.source,
        space.size,
        search.tooSmall,
        deadlineSeconds,
        inTime.map(_.nonEmpty),
        cheapest,
        front.head,
        front(of),
        front,
        Seq(
          rule("R1, one disk for two cores", 0.5, job, prices, onCheapest, cheapest),
          rule("R2, one disk for each core", 1, job, prices, onCheapest, cheapest)
        ).flatten,
        job.stages.map(Doppio.stage(_, configuration.cluster)),
        Assumed ++ job.notes ++ prices.notes
      )
    }
  }

  /** As the paper has it (section VI-1): the machines, their number and their HDFS disk stay, and the local disk is as
    * large as that many disks of 1 TB, of the kind that costs least per gigabyte.
    */
  private def rule(
      name: String,
      disksPerCore: Double,
      job: JobDemand,
      prices: Prices,
      cheapest: Configuration,
      best: Choice
  ): Option[RuleOfThumb] = {
    val kind = prices.disks.minBy(_.dollarsPerGigabyteHour)
    val disks = math.max(1.0, math.ceil(disksPerCore * cheapest.machine.cores))
    Option.when(cheapest.machines * disks * RuleGigabytes * 1e9 >= job.localBytes) {
      val ruled = choice(job, cheapest.copy(local = DiskOption(kind, disks * RuleGigabytes)))
      RuleOfThumb(name, ruled, 1 - best.dollars / ruled.dollars)
    }
  }

  def choice(job: JobDemand, c: Configuration): Choice = {
    val seconds = Doppio.seconds(job, c.cluster)
    Choice(
      c.machine.kind.name,
      c.machine.cores,
      c.machines,
      c.hdfs.kind.name,
      c.hdfs.gigabytes,
      c.local.kind.name,
      c.local.gigabytes,
      seconds,
      seconds / 3600 * c.dollarsPerHour
    )
  }

  private implicit val codec: JsonValueCodec[Optimization] =
    JsonCodecMaker.make(CodecMakerConfig.withTransientEmpty(false).withTransientDefault(false))
  def json(optimization: Optimization): Array[Byte] = writeToArray(optimization)
  def read(json: Array[Byte]): Optimization = readFromArray[Optimization](json)
}
