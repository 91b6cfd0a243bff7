package pellucid.cli

import java.nio.file.{Files, Paths}

import pellucid.disk.{DiskProfile, RequestSizes}

class ProfileDiskSuite extends CommandSuite {

  folder.test("a disk's profile has every request size, is printed and written, and leaves no file on the disk") {
    dir =>
      val to = Files.createTempFile("pellucid", ".json")
      try {
        val (status, out, err) =
          run("profile-disk", dir.toString, "--seconds", "0.001", "--megabytes", "256", "--to", to.toString)
        assume(!err.contains("O_DIRECT") && !err.contains("is memory"), s"skipped: $err")
        assertEquals((status, err), (0, ""))
        val profile = DiskProfile.read(Files.readAllBytes(to))
        for (curve <- Seq(profile.read, profile.write)) {
          assertEquals(curve.points.map(_.requestBytes), RequestSizes.all)
          assert(curve.points.forall(p => p.bytesPerSecond > 1e3 && p.bytesPerSecond < 1e12), curve)
        }
        Seq("4 KiB", "128 MiB", "MB/s", to.toString).foreach(s => assert(out.contains(s), s"no '$s' in\n$out"))
        assertEquals(Files.list(dir).count(), 0L)
      } finally Files.delete(to)
  }

  test("of a file system with larger blocks no request is smaller than one") {
    assertEquals(RequestSizes.of(4096).map(_.toDouble), RequestSizes.all)
    assertEquals(RequestSizes.of(1 << 20), (20 to 27).map(1L << _))
  }

  test("memory is no disk") {
    val memory = Paths.get("/dev/shm")
    assume(Files.isWritable(memory) && Files.getFileStore(memory).`type` == "tmpfs", "skipped: there is no /dev/shm")
    mistake("profile-disk", memory.toString)("/dev/shm is on tmpfs", "no disk")
  }

  test("a file system that refuses O_DIRECT is named") {
    val proc = Paths.get("/proc")
    assume(Files.isDirectory(proc), "skipped: there is no /proc")
    mistake("profile-disk", proc.toString)("/proc")
  }

  folder.test("mistakes are named in one line, with status 2") { dir =>
    mistake("profile-disk")("directory")
    mistake("profile-disk", "no-such-directory")("no-such-directory: no such directory")
    mistake("profile-disk", dir.toString, "--seconds", "0")("--seconds 0")
    mistake("profile-disk", dir.toString, "--seconds", "x")("seconds")
    mistake("profile-disk", dir.toString, "--megabytes", "100")("--megabytes 100", "256")
    mistake("profile-disk", dir.toString, "--megabytes", "1048576")("are free")
    mistake("profile-disk", dir.toString, "--to", dir.resolve("no/file").toString)("--to", "no/file")
    mistake("profile-disk", dir.toString, "--wrong")("--wrong")
    assertEquals(Files.list(dir).count(), 0L)
  }
}
