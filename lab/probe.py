"""Measures one limit from inside a machine and prints it as JSON. Run there by `check`; arguments come as text."""

import ctypes
import json
import mmap
import os
import random
import socket
import sys
import threading
import time
from pathlib import Path

WARM_UP_SECONDS = 0.3  # a token bucket is full at first
THREADS = 8  # requests of up to 1 MB that a disk is given at once
LARGE_REQUESTS = 3


def disk(kind, path, device, request, seconds):
    """Bytes per second that `device` read or wrote for direct requests of `request` bytes at random multiples of it."""
    request = int(request)
    fd = os.open(path, os.O_DIRECT | (os.O_RDONLY if kind == "read" else os.O_WRONLY))
    places = os.fstat(fd).st_size // request
    transfer, field = (os.preadv, 2) if kind == "read" else (os.pwritev, 6)

    def buffer():
        memory = mmap.mmap(-1, request)
        for page in range(0, request, mmap.PAGESIZE):  # allocate now: a large buffer has to wait for the machine's memory limit
            memory[page] = 1
        return memory

    def once(memory):
        transfer(fd, [memory], random.randrange(places) * request)

    def forever(memory):
        while True:
            once(memory)

    def sectors():
        return int(Path(f"/sys/dev/block/{device}/stat").read_text().split()[field])

    if request > 1 << 20:  # the kernel lets the parts of a throttled request go in bursts: count whole ones
        memory = buffer()
        once(memory)
        started = time.monotonic()
        for _ in range(LARGE_REQUESTS):
            once(memory)
        return LARGE_REQUESTS * request / (time.monotonic() - started)

    for memory in [buffer() for _ in range(THREADS)]:
        threading.Thread(target=forever, args=(memory,), daemon=True).start()
    time.sleep(WARM_UP_SECONDS)
    started, before = time.monotonic(), sectors()
    time.sleep(float(seconds))
    return (sectors() - before) * 512 / (time.monotonic() - started)


def make_file(path, size):
    """The file that `disk` and `resident` use, of random bytes."""
    block = os.urandom(1 << 20)
    with open(path, "wb", buffering=0) as file:
        for _ in range(int(size) >> 20):
            file.write(block)
        os.fsync(file.fileno())
    return int(size)


def receive(address, port, seconds):
    """Bytes per second that arrive in one connection."""
    with socket.create_server((address, int(port))) as server:
        print("ready", flush=True)
        connection, _ = server.accept()
    buffer, started, arrived = bytearray(1 << 18), None, 0
    warm = time.monotonic() + WARM_UP_SECONDS
    with connection:
        while True:
            n, now = connection.recv_into(buffer), time.monotonic()
            if started is None:
                started = now if now > warm else None
                continue
            arrived += n
            if now - started > float(seconds):
                return arrived / (now - started)


def send(address, port):
    """Sends until the other side hangs up."""
    with socket.create_connection((address, int(port))) as connection:
        try:
            while True:
                connection.sendall(bytes(1 << 16))
        except OSError:
            return None


def cpu(seconds, processes):
    """Wants all of so many cores."""
    children = []
    for _ in range(int(processes)):
        if (pid := os.fork()) == 0:
            deadline = time.monotonic() + float(seconds)
            while time.monotonic() < deadline:
                pass
            os._exit(0)
        children.append(pid)
    for pid in children:
        os.waitpid(pid, 0)


def resident(path):
    """Reads a file through the page cache and returns how many of its bytes are in memory then."""
    with open(path, "rb", buffering=0) as file:
        while file.read(1 << 20):
            pass
        time.sleep(1)
        size = os.fstat(file.fileno()).st_size
        libc = ctypes.CDLL(None, use_errno=True)
        libc.mmap.restype = ctypes.c_void_p
        libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
        libc.mincore.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_char_p]
        pages = ctypes.create_string_buffer(size // mmap.PAGESIZE + 1)
        if libc.mincore(libc.mmap(None, size, mmap.PROT_READ, mmap.MAP_SHARED, file.fileno(), 0), size, pages):
            raise OSError(ctypes.get_errno(), "mincore")
    return sum(page & 1 for page in pages.raw) * mmap.PAGESIZE


if __name__ == "__main__":
    print(json.dumps(globals()[sys.argv[1]](*sys.argv[2:])), flush=True)
    os._exit(0)  # threads go on reading
