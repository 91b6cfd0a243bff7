"""A disk with one head: a file, served by FUSE, whose requests take as long, one after another, as that head would need.

    python3 -m lab.one_head IMAGE FOLDER LIMITS

serves the blocks of IMAGE as FOLDER/disk until it is killed. LIMITS is a JSON file, read again when it is replaced: the rates of `config.Disk.LIMITS`. A request takes
1 / iops, a seek, unless it begins where the last one ended, and its bytes at the rate of its kind. Reads and writes wait for each other, which the
kernel's own limits do not make them do: those let a disk read at full speed while it writes at full speed.

Of the requests that wait the oldest one is next, but for the rest of what was begun: the kernel cuts a request of 1 MB in two where its pages are not
side by side in memory, and no disk goes elsewhere between the halves. Nor does one begin with the second half, which may come here first: the threads
that hand requests over race.
"""

import contextlib
import errno
import json
import mmap
import os
import stat
import sys
import threading
import time

import mfusepy

FILE = "disk"
LARGEST = 2 << 20  # of a request, which in FUSE has 1 MB at most, and of those that are served together
LATE_SECONDS = 0.002  # between two requests that follow each other on a busy computer: the head does not stand still in them


class OneHead(mfusepy.Operations):
    use_ns = True

    def __init__(self, image, limits):
        try:
            self.image = os.open(image, os.O_RDWR | os.O_DIRECT)  # or its blocks would be cached outside all limits
        except OSError:  # a file system that cannot
            self.image = os.open(image, os.O_RDWR)
        self.size = os.fstat(self.image).st_size
        self.aligned = memoryview(mmap.mmap(-1, LARGEST))
        self.file, self.known, self.limits = limits, None, None
        self.turn, self.waiting = threading.Condition(), []  # (offset, size, thread) of each request, the oldest first
        self.next = None  # of these, whose turn it is
        self.free = 0.0  # when the head has done all requests before
        self.at, self.moved = 0, 0  # where it is, and how much it moved since it came there

    def read(self, path, size, offset, fh):
        with self._served("read", size, offset) as part:
            return bytes(part[: os.preadv(self.image, [part], offset)])

    def write(self, path, data, offset, fh):
        with self._served("write", len(data), offset) as part:
            part[:] = data
            return os.pwritev(self.image, [part], offset)

    @contextlib.contextmanager
    def _served(self, kind, size, offset):
        """Gives the memory to move a request's bytes with when it has the head to itself, and ends when the head has done it."""
        request = (offset, size, threading.get_ident())
        with self.turn:
            self.waiting.append(request)
            self.next = self.next or request
            self.turn.wait_for(lambda: self.next == request)
        try:
            began = time.monotonic()
            self._follow()
            goes_on = offset == self.at
            with self.aligned[:size] as part:
                yield part
            self.at, self.moved = offset + size, size + (self.moved if goes_on else 0)
            self.free = max(self.free, began - LATE_SECONDS) + size / self.limits[kind] + (0 if goes_on else 1 / self.limits[f"{kind}_iops"])
            time.sleep(max(0.0, self.free - time.monotonic()))
        finally:
            with self.turn:
                self.waiting.remove(request)
                self.next = self._choice() if self.waiting else None  # here only: a request that comes changes no turn that somebody has been told of
                self.turn.notify_all()

    def _choice(self):
        rest = (each for each in self.waiting if each[0] == self.at and self.moved + each[1] <= LARGEST)
        return next(rest, None) or self._start_of(self.waiting[0])

    def _start_of(self, request):
        """Of what is read or written in one go where that request is a part of it."""
        ends = {offset + size: (offset, size, thread) for offset, size, thread in self.waiting}
        while request[0] in ends:
            request = ends[request[0]]
        return request

    def _follow(self):
        found = os.stat(self.file)
        if (now := (found.st_ino, found.st_mtime_ns)) != self.known:
            with open(self.file) as file:
                self.limits = json.load(file)
            self.known = now

    def getattr(self, path, fh=None):
        if path == "/":
            return {"st_mode": stat.S_IFDIR | 0o700, "st_nlink": 2}
        if path == f"/{FILE}":
            return {"st_mode": stat.S_IFREG | 0o600, "st_nlink": 1, "st_size": self.size}
        raise mfusepy.FuseOSError(errno.ENOENT)

    def fsync(self, path, datasync, fh):
        return 0  # what was written has been written past the page cache

    def flush(self, path, fh):
        return 0


if __name__ == "__main__":
    image, folder, limits = sys.argv[1:]
    os.setpriority(os.PRIO_PROCESS, 0, -20)  # a disk does not wait for a CPU
    mfusepy.FUSE(OneHead(image, limits), folder, foreground=True)
