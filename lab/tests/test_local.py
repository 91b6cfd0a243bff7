"""This computer in place of a lab. Wants root on Linux, for control groups."""

import pytest

from lab import cgroup, cluster
from lab.application import Application
from lab.local import local

WHY_NOT = cluster.why_not()


@pytest.mark.skipif(WHY_NOT is not None, reason=WHY_NOT or "")
def test_a_job_reads_its_own_disk_cold_and_leaves_nothing():
    with local("test") as here, Application(here, "test") as application:
        application.generate("waves generate --data waves --mb 16 --file-mb 8")
        assert len(list((here.folder / "files" / "waves").glob("part-*"))) == 2
        first, again = (application.measure("a case", "stock", "waves run --data waves --output none --split-mb 8") for _ in range(2))
        assert first.answer == again.answer
        for run in (first, again):
            assert run.counters["hdfs+spark.read_bytes"] >= 16 << 20
            assert 0 < run.counters["cpu_seconds"]
        assert here.compiler_seconds() > 0
    assert application.event_log.exists()
    assert not (here.folder / "files").exists()
    assert here.group not in cgroup.controllers().left_over(here.group)
