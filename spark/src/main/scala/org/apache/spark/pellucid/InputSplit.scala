package org.apache.spark.pellucid

import org.apache.spark.rdd.InputFileBlockHolder

/** What Spark knows of the file that the current thread's task reads. */
object InputSplit {

  /** Its path, and where the task's part of it begins and how long that is. */
  def current: Option[(String, Long, Long)] =
    Option.when(InputFileBlockHolder.getStartOffset >= 0 && InputFileBlockHolder.getLength >= 0)((
      InputFileBlockHolder.getInputFilePath.toString,
      InputFileBlockHolder.getStartOffset,
      InputFileBlockHolder.getLength
    ))
}
