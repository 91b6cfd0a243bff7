package pellucid.fs

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs._
import org.apache.hadoop.fs.http.HttpFileSystem

import pellucid.{Jobs, SparkSuite}

class HooksSuite extends SparkSuite {
  test("what Spark says that a task reads is the file that it opens, encoded or not") {
    val opened = new Path("/data/my table/ts=10%3A00/part-0.csv")
    assert(Hooks.samePath("file:/data/my table/ts=10%3A00/part-0.csv", opened))
    assert(Hooks.samePath("hdfs://m1:9000/data/my%20table/ts=10%253A00/part-0.csv", opened))
    assert(!Hooks.samePath("file:/data/my table/ts=10%3A00/part-1.csv", opened))
    assert(!Hooks.samePath("file:/data/my%2/part-0.csv", opened)) // not encoded, and nobody's path
  }

  test("a scheme whose class is set is served by a subclass of that, unless it passes calls on or is no file system") {
    ClassesByName.ofThisThread()
    ClassesByName.ofThisThread() // of each task
    def served(by: String) = {
      val conf = new Configuration(false)
      conf.set("fs.some.impl", by)
      FileSystem.getFileSystemClass("some", conf)
    }
    val stock = classOf[RawLocalFileSystem]
    val measured = served(stock.getName)
    assert(measured.getSuperclass eq stock)
    assert(served(stock.getName) eq measured)
    assertEquals(measured.getDeclaredConstructor().newInstance().getUri.toString, "file:///")
    for (other <- Seq(classOf[FilterFileSystem], classOf[HarFileSystem])) assert(served(other.getName) eq other)
    val conf = new Configuration(false)
    assert(conf.getClassByName("java.lang.String") eq classOf[String])
    intercept[ClassNotFoundException](conf.getClassByName("no.such.Class"))
    assert(conf.getClassByNameOrNull("no.such.Class") == null)
  }

  folder.test("a call that makes others counts without them") { folder =>
    val ran = Jobs.run(folder)(_.sparkContext.parallelize(Seq(0), 1).foreach { _ =>
      val store = new HttpFileSystem
      val outer = Hooks.before()
      Thread.sleep(200)
      for (_ <- 1 to 2) { val inner = Hooks.before(); Thread.sleep(300); Hooks.after(inner, store) }
      Hooks.after(outer, store)
    })
    val Seq(calls) = ran.paths("metadata"): @unchecked
    assertEquals(calls.path, "store:")
    assert(calls.micros >= 800000 && calls.micros < 1300000, calls.micros) // 1400 with the inner ones twice
  }
}
