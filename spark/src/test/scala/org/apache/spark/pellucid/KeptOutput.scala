package org.apache.spark.pellucid

import java.nio.ByteBuffer

object KeptOutput {
  def slice(chunks: Array[ByteBuffer], offset: Long, length: Long): Seq[Byte] =
    KeptOutputResolver.slice(chunks, offset, length).toSeq.flatMap(part => Array.tabulate(part.remaining)(part.get(_)))
}
