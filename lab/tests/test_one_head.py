"""The process that keeps a disk's limits, without a file system before it: what it moves, in which order, and that all of it takes the head's time."""

import json
import os
import sys
import threading
import time

import pytest

from lab import config, software, state, units

try:
    sys.path.append(str(software.fuse()))
    from lab.one_head import OneHead
except software.Missing as e:
    pytest.skip(str(e), allow_module_level=True)

BLOCK = 4096


@pytest.fixture
def content():
    return os.urandom(4 << 20)


@pytest.fixture
def head(tmp_path, content):
    (tmp_path / "image").write_bytes(content)
    set_limits(tmp_path / "limits", **config.Disk.NO_LIMITS)
    return OneHead(tmp_path / "image", tmp_path / "limits")


def set_limits(file, **limits):
    with state.replaced(file) as new:
        json.dump(limits, new)


def seconds(function):
    began = time.monotonic()
    function()
    return time.monotonic() - began


def read(head, *offsets):
    return [head.read("/disk", BLOCK, offset, 0) for offset in offsets]


def test_what_is_written_is_read(head, content, tmp_path):
    assert head.getattr("/disk")["st_size"] == len(content)
    assert head.read("/disk", 1 << 20, 3 * BLOCK, 0) == content[3 * BLOCK : 3 * BLOCK + (1 << 20)]
    new = os.urandom(5 * BLOCK)
    assert head.write("/disk", new, 7 * BLOCK, 0) == len(new)
    assert head.read("/disk", 7 * BLOCK, 6 * BLOCK, 0) == content[6 * BLOCK : 7 * BLOCK] + new + content[12 * BLOCK : 13 * BLOCK]
    assert (tmp_path / "image").read_bytes() == content[: 7 * BLOCK] + new + content[12 * BLOCK :]


def test_a_seek_takes_time_and_what_goes_on_does_not(head, tmp_path):
    set_limits(tmp_path / "limits", read=units.UNLIMITED, write=units.UNLIMITED, read_iops=100.0, write_iops=100.0)
    apart = seconds(lambda: read(head, *(i * 2 * BLOCK for i in range(1, 31))))
    assert apart >= 0.29  # 30 seeks of 10 ms; the head may have been 2 ms ahead at first
    together = seconds(lambda: read(head, *((500 + i) * BLOCK for i in range(30))))
    assert together < apart
    set_limits(tmp_path / "limits", **config.Disk.NO_LIMITS)
    assert seconds(lambda: read(head, *(i * 2 * BLOCK for i in range(1, 31)))) < apart


def test_reads_and_writes_wait_for_each_other(head, tmp_path):
    set_limits(tmp_path / "limits", read=10e6, write=5e6, read_iops=units.UNLIMITED, write_iops=units.UNLIMITED)

    def both():
        writer = threading.Thread(target=lambda: head.write("/disk", bytes(1 << 20), 2 << 20, 0))
        writer.start()
        head.read("/disk", 1 << 20, 0, 0)
        writer.join()

    assert seconds(both) >= 0.3  # 1.05 MB at 10 MB/s and at 5 MB/s are 0.105 and 0.21 s


def test_the_oldest_is_next_but_for_the_rest_of_what_was_begun(head, tmp_path):
    set_limits(tmp_path / "limits", read=5e6, write=5e6, read_iops=units.UNLIMITED, write_iops=units.UNLIMITED)
    done = []

    def asked(name, offset, size):
        """Returns when the request waits."""
        before = len(head.waiting)
        each = threading.Thread(target=lambda: (head.read("/disk", size, offset, 0), done.append(name)))
        each.start()
        while len(head.waiting) == before:
            time.sleep(0.001)
        return each

    # the first takes 0.2 s, in which the others come
    all_of_them = [asked("begun", 0, 1 << 20), asked("elsewhere", 3 << 20, BLOCK), asked("its rest", 1 << 20, BLOCK), asked("last", 2 << 20, BLOCK)]
    for each in all_of_them:
        each.join()
    assert done == ["begun", "its rest", "elsewhere", "last"]
    assert head.waiting == []


def test_who_goes_on_for_long_does_not_keep_the_others_out(head):
    head.at, head.moved = 1 << 20, 2 << 20  # of one stream
    head.waiting = [(0, BLOCK, 1), (1 << 20, BLOCK, 2)]
    assert head._choice() == (0, BLOCK, 1)


def test_what_follows_on_another_request_waits_for_it(head):
    head.at = 3 << 20
    first, second, third = (0, BLOCK, 1), (BLOCK, BLOCK, 2), (2 * BLOCK, BLOCK, 3)
    head.waiting = [third, (1 << 20, BLOCK, 4), second, first]
    assert head._choice() == first
    head.waiting = [third, first]
    assert head._choice() == third


def test_a_request_that_comes_changes_no_turn_that_somebody_was_told_of(head):
    theirs = (BLOCK, BLOCK, 1)
    head.waiting, head.next = [theirs], theirs
    before = threading.Thread(target=lambda: read(head, 0), daemon=True)
    before.start()
    while len(head.waiting) == 1:
        time.sleep(0.001)
    assert head.next == theirs
    with head.turn:  # it has been served
        head.waiting.remove(theirs)
        head.next = head._choice()
        head.turn.notify_all()
    before.join(10)
    assert not before.is_alive() and head.waiting == [] and head.next is None
