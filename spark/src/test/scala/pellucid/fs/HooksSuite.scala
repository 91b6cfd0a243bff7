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

  private def served(by: String) = {
    ClassesByName.ofThisThread()
    ClassesByName.ofThisThread() // of each task
    val conf = new Configuration(false)
    conf.set("fs.some.impl", by)
    FileSystem.getFileSystemClass("some", conf)
  }

  test("a scheme whose class is set is served by a subclass of that, which has a name as others have") {
    val stock = classOf[OtherFiles]
    val measured = served(stock.getName)
    assert(measured.getSuperclass eq stock)
    assert(served(stock.getName) eq measured)
    assert(served(measured.getName) eq measured)
    val conf = new Configuration(false)
    assert(conf.getClassByName("java.lang.String") eq classOf[String])
    intercept[ClassNotFoundException](conf.getClassByName("no.such.Class"))
    assert(conf.getClassByNameOrNull("no.such.Class") == null)
  }

  test("where that cannot be, or would measure twice, it is served as in stock Spark") {
    for (stock <- Seq(classOf[HiddenFiles], classOf[FinalFiles], classOf[HarFileSystem]))
      assert(served(stock.getName) eq stock)
  }

  test("of two classes of one name each has a subclass of its own") {
    val name = classOf[OtherFiles].getName
    val other = new ClassLoader(getClass.getClassLoader) {
      override def loadClass(wanted: String, resolve: Boolean): Class[_] =
        if (wanted != name) super.loadClass(wanted, resolve)
        else Option(findLoadedClass(name)).getOrElse {
          val bytes = getResourceAsStream(name.replace('.', '/') + ".class").readAllBytes()
          defineClass(name, bytes, 0, bytes.length)
        }
    }.loadClass(name)
    assert(other ne classOf[OtherFiles])
    for (stock <- Seq(other, classOf[OtherFiles])) assert(Subclass.of(stock).getSuperclass eq stock)
  }

  folder.test("what is written and read by any file system is measured, by whichever thread opens it") { folder =>
    val file = folder.resolve("file").toString
    val ran = Jobs.run(folder) {
      _.sparkContext.parallelize(Seq(file), 1).map { file =>
        val conf = new Configuration
        conf.set("fs.some.impl", classOf[OtherFiles].getName)
        val path = new Path(s"some://$file")
        val fs = path.getFileSystem(conf)
        val out = fs.create(path)
        out.write(new Array[Byte](1000000))
        out.close()
        val opened = Seq(fs.open(path), fs.openFile(path).build().get())
        val again = opened.map(in => ObservedInput.of(new FSDataInputStream(in), throw new AssertionError, None))
        val named = new NamedInput(opened.head)
        val asItIs = ObservedInput.of(named, throw new AssertionError, None) eq named
        val read = again.map(_.readAllBytes().length)
        opened.foreach(_.close())
        fs.getFileStatus(path)
        (read, asItIs)
      }.collect().head
    }
    assertEquals(ran.answer, (Seq(1000000, 1000000), true))
    def store(kind: String) = ran.paths(kind).filter(_.path == "store:some")
    assertEquals(store("output").map(_.bytes), Seq(1000000L))
    assertEquals(store("input").map(_.bytes), Seq(2000000L))
    assert(store("metadata").map(_.micros).sum >= 20000, store("metadata"))
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
