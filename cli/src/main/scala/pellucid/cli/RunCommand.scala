package pellucid.cli

import java.io.{File, IOException, InputStreamReader}
import java.net.URI
import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Path, Paths}
import java.util.{Properties, UUID}

import scala.jdk.CollectionConverters._
import scala.util.Try

import sun.misc.Signal

import pellucid.trace.ApplicationInfo

/** `pellucid run`: spark-submit with the plugin and an event log switched on, and the report at the end. */
object RunCommand {
  final val Help =
    """pellucid run [spark-submit arguments...]
      |
      |Runs spark-submit ($SPARK_HOME/bin, or the PATH) with Pellucid's plugin and an event log switched on, and reports on it at the
      |end. What the arguments say of jars, plugins and the event log's folder stays as they say. The exit status is spark-submit's.
      |""".stripMargin

  private final val Jars = "spark.jars"
  private final val Plugins = "spark.plugins"
  private final val LogFolder = "spark.eventLog.dir"

  /** The exit status. */
  def run(submitted: Seq[String], environment: String => Option[String], plugin: Option[Path]): Int =
    if (submitted.isEmpty || submitted == Seq("--help")) { Console.print(Help); 0 }
    else {
      val jar =
        plugin.filter(Files.exists(_)).getOrElse(throw new Usage("run: the plugin is not built yet: `make build`"))
      val submit = find(environment)
      val arguments = parse(submitted)
      val settings = new Settings(arguments.options, defaults(arguments.options, submit, environment))
      val named = settings(LogFolder)
      if (
        named.isEmpty &&
        settings.optionOf("--deploy-mode").orElse(settings("spark.submit.deployMode")).contains("cluster")
      )
        throw new Usage(
          s"run: with --deploy-mode cluster, name a folder that the driver can write to: --conf $LogFolder=..."
        )
      val folder = named.getOrElse(Files.createTempDirectory("pellucid-run").toUri.toString)
      val local = localFolder(folder)
      val before = local.iterator.flatMap(logs).toSet
      val mark = UUID.randomUUID.toString
      val command = submit.toString +: withPlugin(arguments, settings, jar.toString, folder, mark)
      if (named.isEmpty) Console.err.println(s"pellucid: the event log will be in $folder")
      val status =
        try ended(new ProcessBuilder(command.asJava).inheritIO())
        catch { case e: IOException => throw new Usage(s"run: $submit cannot be run: ${e.getMessage}") }
      local match {
        case None =>
          Console.err.println(
            s"pellucid: the event log is in $folder: once it is in a local folder, `pellucid report` reads it"
          )
        case Some(path) => report(logs(path).filterNot(before), mark, folder)
      }
      status
    }

  /** Of the logs that are new in a folder, which other applications may write to, those with this run's mark. Without a report the job's own status counts. */
  private def report(made: Seq[Path], mark: String, folder: String): Unit = {
    val unread = "no report"
    def say(text: String): Unit = Console.err.println(s"pellucid: $text")
    def read(log: Path) =
      try Some(log -> ReportCommand.readOne(log.toString))
      catch ReportCommand.why(unread).andThen { why => say(why); None }
    val own = made.iterator.flatMap(read(_)).filter { case (_, trace) => trace.application.run.contains(mark) }
    if (own.isEmpty) say(s"no event log of this run in $folder: nothing to report on")
    own.foreach { case (log, trace) =>
      say(s"the event log is $log")
      try ReportCommand.print(trace)
      catch ReportCommand.why(unread).andThen(why => say(why))
    }
  }

  /** The exit status. Ctrl-C is for Spark, which has it too, and a request to end is passed on to it: what is reported on has ended. */
  private def ended(spark: ProcessBuilder): Int = {
    @volatile var running = Option.empty[Process]
    val interrupt = Signal.handle(new Signal("INT"), _ => ())
    val terminate = Signal.handle(new Signal("TERM"), _ => running.foreach(_.destroy()))
    try {
      running = Some(spark.start())
      running.get.waitFor()
    } finally {
      Signal.handle(new Signal("INT"), interrupt)
      Signal.handle(new Signal("TERM"), terminate)
    }
  }

  /** spark-submit's options in their order, those of [[flags]] without a value, and the application with its own arguments. */
  private final case class Arguments(options: List[(String, Option[String])], application: Seq[String])

  /** Options end at the first argument that is no option's; `--option=value` is one and its value. */
  private def parse(arguments: Seq[String]): Arguments = {
    def after(option: (String, Option[String]), rest: Seq[String]) = {
      val more = parse(rest)
      more.copy(options = option :: more.options)
    }
    arguments match {
      case option +: rest if option.startsWith("--") && option.contains('=') =>
        after((option.takeWhile(_ != '='), Some(option.drop(option.indexOf('=') + 1))), rest)
      case option +: rest if flags(option) => after((option, None), rest)
      case option +: value +: rest if option.startsWith("-") => after((option, Some(value)), rest)
      case application => Arguments(Nil, application)
    }
  }

  /** What spark-submit itself would read: `--properties-file`, or spark-defaults.conf, or that over this with
    * `--load-spark-defaults`.
    */
  private def defaults(
      options: List[(String, Option[String])],
      submit: Path,
      environment: String => Option[String]
  ): Properties = {
    val named = new Settings(options, new Properties).optionOf("--properties-file").map(Paths.get(_))
    def folder = environment("SPARK_CONF_DIR").map(Paths.get(_)).getOrElse(home(submit, environment).resolve("conf"))
    val ofSpark = Option.when(
      named.isEmpty || options.exists(_._1 == "--load-spark-defaults")
    )(folder.resolve("spark-defaults.conf"))
    val read = new Properties
    for (file <- ofSpark ++ named if Files.isReadable(file)) {
      val in =
        new InputStreamReader(Files.newInputStream(file), UTF_8) // what is no UTF-8 in it is Spark's to take or leave
      try read.load(in)
      finally in.close()
    }
    read
  }

  /** Where spark-submit takes Spark to be: of PySpark from pip only its `find-spark-home` knows. */
  private def home(submit: Path, environment: String => Option[String]): Path = {
    val bin = submit.toAbsolutePath.getParent
    environment("SPARK_HOME").orElse(told(bin.resolve("find-spark-home"))).fold(bin.getParent)(Paths.get(_))
  }

  private def told(script: Path): Option[String] = Option.when(Files.isReadable(script)) {
    val bash = new ProcessBuilder("bash", "-c", ". \"$0\"; printf %s \"$SPARK_HOME\"", script.toString)
      .redirectError(ProcessBuilder.Redirect.DISCARD)
    bash.environment.remove("SPARK_HOME")
    try new String(bash.start().getInputStream.readAllBytes(), UTF_8)
    catch { case _: IOException => "" }
  }.filter(_.nonEmpty)

  /** What options and settings say, the last one of each, over what the defaults say. */
  private final class Settings(options: List[(String, Option[String])], defaults: Properties) {
    def optionOf(name: String): Option[String] = options.collect { case (`name`, Some(value)) => value }.lastOption
    def apply(key: String): Option[String] =
      options.collect { case ("--conf" | "-c", Some(pair)) if pair.startsWith(s"$key=") => pair.drop(key.length + 1) }
        .lastOption.orElse(Option(defaults.getProperty(key)).map(_.trim)).filter(_.nonEmpty)
  }

  /** The arguments with ours in front, where spark-submit lets later ones win, and joined to those that are lists. */
  private def withPlugin(
      arguments: Arguments,
      settings: Settings,
      jar: String,
      logFolder: String,
      mark: String
  ): Seq[String] = {
    def conf(key: String, value: String) = Seq("--conf", s"$key=$value")
    val plugins = (settings(Plugins).toSeq :+ "pellucid.PellucidPlugin").mkString(",")
    val jars = (settings.optionOf("--jars").orElse(settings(Jars)).toSeq :+ jar).mkString(",")
    conf(ApplicationInfo.Run, mark) ++ conf("spark.eventLog.enabled", "true") ++ conf(LogFolder, logFolder) ++
      Seq("--jars", jars) ++
      conf(Plugins, plugins) ++ arguments.options.filterNot(joined).flatMap { case (o, v) => o :: v.toList } ++
      arguments.application
  }

  /** What has been joined to ours. */
  private def joined(option: (String, Option[String])): Boolean = option match {
    case ("--jars", _) => true
    case ("--conf" | "-c", Some(pair)) => pair.startsWith(s"$Plugins=") || pair.startsWith(s"$Jars=")
    case _ => false
  }

  /** The options of spark-submit that take no value. */
  private val flags =
    Set("--verbose", "-v", "--supervise", "--load-spark-defaults", "--version", "--usage-error", "--help", "-h")

  private def find(environment: String => Option[String]): Path = {
    val folders = environment("SPARK_HOME").map(home => s"$home/bin").toSeq ++
      environment("PATH").toSeq.flatMap(_.split(File.pathSeparator))
    folders.iterator.map(Paths.get(_, "spark-submit")).find(Files.isExecutable(_))
      .getOrElse(throw new Usage("run: no spark-submit in $SPARK_HOME/bin or on the PATH"))
  }

  /** Spark takes `spark.eventLog.dir` for a URI, where it has a scheme, and else for a path as it stands. */
  private def localFolder(folder: String): Option[Path] =
    Try(new URI(folder)).toOption.filter(_.getScheme != null) match {
      case None => Some(Paths.get(folder))
      case Some(uri) if uri.getScheme == "file" => Option(uri.getPath).map(Paths.get(_))
      case _ => None
    }

  private def logs(folder: Path): Seq[Path] =
    if (!Files.isDirectory(folder) || !Files.isReadable(folder)) Nil
    else {
      val found = Files.list(folder)
      try found.iterator.asScala.filterNot(_.getFileName.toString.startsWith(".")).toSeq.sorted
      finally found.close()
    }
}
