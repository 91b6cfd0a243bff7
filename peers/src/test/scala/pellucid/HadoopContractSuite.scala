package pellucid

import org.apache.hadoop.fs.contract.localfs._
import org.junit.runner.RunWith
import org.scalatestplus.junit.JUnitRunner

/** Of the local file system. */
@RunWith(classOf[JUnitRunner])
class HadoopContractSuite
    extends ContractSuite(
      Seq(
        classOf[TestLocalFSContractAppend],
        classOf[TestLocalFSContractBulkDelete],
        classOf[TestLocalFSContractContentSummary],
        classOf[TestLocalFSContractCreate],
        classOf[TestLocalFSContractDelete],
        classOf[TestLocalFSContractGetEnclosingRoot],
        classOf[TestLocalFSContractGetFileStatus],
        classOf[TestLocalFSContractLoaded],
        classOf[TestLocalFSContractMkdir],
        classOf[TestLocalFSContractOpen],
        classOf[TestLocalFSContractRename],
        classOf[TestLocalFSContractSeek],
        classOf[TestLocalFSContractSetTimes],
        classOf[TestLocalFSContractStreamIOStatistics],
        classOf[TestLocalFSContractVectoredRead]
      ),
      "disk:" -> "disk:"
    )
