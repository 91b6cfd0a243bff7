package pellucid.cli

import java.io.{ByteArrayOutputStream, PrintStream}
import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Path, Paths}

import scala.concurrent.duration._

/** Runs the command in this JVM, and has what it prints. */
abstract class CommandSuite extends munit.FunSuite {
  override val munitTimeout: Duration = 5.minutes // of a busy computer's disk

  protected val logs: Path = above("core/src/test/logs")
  protected val log: String = logs.resolve("spark-4.3.0-zstd.zstd").toString

  /** In this folder or one above it. */
  protected def above(path: String): Path = Iterator.iterate(
    Paths.get("").toAbsolutePath
  )(_.getParent).map(_.resolve(path)).find(Files.exists(_)).get

  protected val folder: FunFixture[Path] = FunFixture[Path](
    _ => Files.createTempDirectory("pellucid"),
    dir => Files.walk(dir).sorted(java.util.Comparator.reverseOrder[Path]).forEach(Files.delete(_))
  )

  /** Exit status, output, errors. */
  protected def run(args: String*): (Int, String, String) = {
    val out, err = new ByteArrayOutputStream
    val status =
      Console.withOut(new PrintStream(out, true))(Console.withErr(new PrintStream(err, true))(Main.run(args)))
    (status, out.toString(UTF_8), err.toString(UTF_8))
  }

  protected def mistake(args: String*)(says: String*)(implicit at: munit.Location): Unit = {
    val (status, out, err) = run(args: _*)
    assertEquals((status, out), (2, ""), err)
    says.foreach(text => assert(err.contains(text), s"'$err' does not say '$text'"))
    assert(!err.contains("\tat "), err)
  }
}
