package pellucid

import scala.concurrent.duration._

import org.scalacheck.rng.Seed

/** Properties with the same cases in each run; PELLUCID_SEED=random, or a seed that a failure printed, gives others. */
abstract class Properties extends munit.ScalaCheckSuite {
  override val munitTimeout: Duration = 5.minutes // many cases, on a busy computer

  override def scalaCheckInitialSeed: String = sys.env.get("PELLUCID_SEED") match {
    case None => "C8q0jJlnNxRrVmvrXkdv5hwgRAR3o8hCzI0_CVWEYuP="
    case Some("random") => Seed.random().toBase64
    case Some(seed) => seed
  }
}
