package org.apache.spark.pellucid

import java.util.{Map => JMap}

import org.apache.hadoop.fs.Path
import org.apache.hadoop.mapred.{FileSplit => OldFileSplit}
import org.apache.hadoop.mapreduce.lib.input.FileSplit
import org.apache.spark.{Partition, SparkEnv}
import org.apache.spark.executor.{CoarseGrainedExecutorBackend, Executor}
import org.apache.spark.rdd.{HadoopPartition, NewHadoopPartition}
import org.apache.spark.sql.execution.datasources.FilePartition

/** What Spark knows of the input of a task before the task has asked for any. */
object TaskInput {

  /** The file that a running task of this executor reads first, where its part of it begins, and how long that is; None where its stage reads no file. */
  def of(taskAttempt: Long): Option[(Path, Long, Long)] = SparkEnv.get.executorBackend.flatMap {
    case backend: CoarseGrainedExecutorBackend => partition(backend.executor, taskAttempt).flatMap(first)
    case _ => None
  }

  private def partition(executor: Executor, taskAttempt: Long): Option[Partition] = {
    val running = Fields.get(classOf[Executor], executor, "runningTasks").asInstanceOf[JMap[Long, AnyRef]]
    for {
      runner <- Option(running.get(taskAttempt))
      task <- Option(Fields.get(runner.getClass, runner, "task"))
    } yield Fields.get(task.getClass, task, "partition").asInstanceOf[Partition]
  }

  private def first(partition: Partition): Option[(Path, Long, Long)] = partition match {
    case files: FilePartition => files.files.headOption.map(file => (file.toPath, file.start, file.length))
    case split: HadoopPartition => Option(split.inputSplit.value).collect { case file: OldFileSplit =>
        (file.getPath, file.getStart, file.getLength)
      }
    case split: NewHadoopPartition => Option(split.serializableHadoopSplit.value).collect { case file: FileSplit =>
        (file.getPath, file.getStart, file.getLength)
      }
    case _ => None
  }
}
