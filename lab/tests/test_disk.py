import os

import pytest

from lab import disk


@pytest.mark.skipif(not os.access(disk.VM / "dirty_bytes", os.W_OK), reason="only root sets how the kernel writes back")
def test_labs_have_a_limit_of_dirty_pages_in_bytes_and_leave_what_was_set(tmp_path):
    def now():
        return {name: (disk.VM / name).read_text().strip() for name in (*disk.WRITE_BACK, *disk.RATIOS)}

    before = now()
    disk.separate_write_back(tmp_path)
    disk.separate_write_back(tmp_path)  # of a second lab
    assert {name: int(now()[name]) for name in disk.WRITE_BACK} == disk.WRITE_BACK
    disk.write_back_as_before(tmp_path)
    disk.write_back_as_before(tmp_path)  # with no lab that is up
    assert now() == before
