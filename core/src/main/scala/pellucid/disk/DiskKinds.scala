package pellucid.disk

/** Disks by name: the two of Doppio's Fig. 5. A hard disk reads 128 MB at 130 MB/s and 30 KB at 15 MB/s, a solid-state drive both at 480. */
object DiskKinds {
  private def kind(name: String, requestsPerSecond: Double, bytesPerSecond: Double): DiskProfile = {
    val requests = SizeLimit(least = requestsPerSecond, most = requestsPerSecond)
    val bytes = SizeLimit(least = bytesPerSecond, most = bytesPerSecond)
    PublishedLimits(name, requests, requests, bytes, bytes).of(1, 0).copy(name = name)
  }

  val all: Map[String, DiskProfile] =
    Seq(kind("hdd", 500, 130e6), kind("ssd", 16000, 480e6)).map(d => d.name -> d).toMap
}
