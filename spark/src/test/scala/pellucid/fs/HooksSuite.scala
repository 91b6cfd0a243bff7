package pellucid.fs

import org.apache.hadoop.fs.Path

class HooksSuite extends munit.FunSuite {
  test("what Spark says that a task reads is the file that it opens, encoded or not") {
    val opened = new Path("/data/my table/ts=10%3A00/part-0.csv")
    assert(Hooks.samePath("file:/data/my table/ts=10%3A00/part-0.csv", opened))
    assert(Hooks.samePath("hdfs://m1:9000/data/my%20table/ts=10%253A00/part-0.csv", opened))
    assert(!Hooks.samePath("file:/data/my table/ts=10%3A00/part-1.csv", opened))
    assert(!Hooks.samePath("file:/data/my%2/part-0.csv", opened)) // not encoded, and nobody's path
  }
}
