package pellucid

import java.nio.file.{Files, Path}

import scala.concurrent.duration._
import scala.jdk.CollectionConverters._

import pellucid.plugin.Guard

/** Tests that start Spark, each with a folder of its own. */
abstract class SparkSuite extends munit.FunSuite {

  /** The first Spark of a JVM takes a second on one computer and half a minute on a busy one. */
  override val munitTimeout: Duration = 5.minutes

  protected val folder: FunFixture[Path] = FunFixture[Path](
    _ => Files.createTempDirectory("pellucid"),
    remove(_)
  )

  /** With what is in it. */
  protected def remove(folder: Path): Unit =
    Files.walk(folder).iterator.asScala.toSeq.reverse.foreach(Files.deleteIfExists(_))

  override def beforeEach(context: BeforeEach): Unit = Guard.reset()
}
