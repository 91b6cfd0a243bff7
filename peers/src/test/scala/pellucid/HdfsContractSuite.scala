package pellucid

import org.apache.hadoop.fs.contract.hdfs._
import org.junit.runner.RunWith
import org.scalatestplus.junit.JUnitRunner

/** Of HDFS, on a cluster in this JVM that each of them starts. */
@RunWith(classOf[JUnitRunner])
class HdfsContractSuite
    extends ContractSuite(
      Seq(
        classOf[TestDFSWrappedIO],
        classOf[TestHDFSContractAppend],
        classOf[TestHDFSContractBulkDelete],
        classOf[TestHDFSContractConcat],
        classOf[TestHDFSContractCreate],
        classOf[TestHDFSContractDelete],
        classOf[TestHDFSContractGetFileStatus],
        classOf[TestHDFSContractLeaseRecovery],
        classOf[TestHDFSContractMkdir],
        classOf[TestHDFSContractMultipartUploader],
        classOf[TestHDFSContractOpen],
        classOf[TestHDFSContractPathHandle],
        classOf[TestHDFSContractRename],
        classOf[TestHDFSContractRootDirectory],
        classOf[TestHDFSContractSafeMode],
        classOf[TestHDFSContractSeek],
        classOf[TestHDFSContractSetTimes],
        classOf[TestHDFSContractUnbuffer],
        classOf[TestHDFSContractVectoredRead]
      ),
      "hdfs:" -> "hdfs"
    )
