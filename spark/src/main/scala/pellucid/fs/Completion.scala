package pellucid.fs

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.hdfs.client.HdfsClientConfigKeys.BlockWrite

/** How soon HDFS' client asks once more whether a file is complete. Its close is often there before the name node has heard of the
  * last block from any datanode; the client then sleeps 400 ms, with a small file on its way for less, and with the task's place at the network.
  */
private[pellucid] object Completion {

  /** 25, 50, 100, 200 and then 400 ms, 12.8 s in all (stock: 400, 800, to 6,400 ms, 12.4 s): of a file that is complete after two seconds others would sleep
    * one more.
    */
  private val sleeps = Map(
    BlockWrite.LOCATEFOLLOWINGBLOCK_INITIAL_DELAY_MS_KEY -> "25",
    BlockWrite.LOCATEFOLLOWINGBLOCK_MAX_DELAY_MS_KEY -> "400",
    BlockWrite.LOCATEFOLLOWINGBLOCK_RETRIES_KEY -> "35"
  )

  /** Unless the user has chosen one of the settings, or this Hadoop has not all of them. */
  def askSooner(conf: Configuration): Unit =
    if (hasMost && !sleeps.keys.exists(chosen(conf, _)))
      sleeps.foreach { case (key, value) => conf.set(key, value, "Pellucid") }

  private def hasMost = classOf[BlockWrite].getFields.exists(_.getName == "LOCATEFOLLOWINGBLOCK_MAX_DELAY_MS_KEY")

  private def chosen(conf: Configuration, key: String): Boolean =
    Option(conf.getPropertySources(key)).exists(!_.lastOption.contains("hdfs-default.xml"))
}
