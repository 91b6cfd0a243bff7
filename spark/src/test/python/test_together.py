"""Two applications on one machine at once, which share its cores, its disk and the folder of their temporary files."""

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from test_versions import CASES, VERSIONS, report, run, said_by_executors

from lab import software

TOGETHER = Path(__file__).parent / "together.py"
SEEDS = {"first": 3, "second": 7}
LOOKS = os.pathsep.join(map(str, (software.JAR, software.REPOSITORY / "spark" / "target" / "test-classes")))  # with pellucid.monotask.Held


def both(folder, plugin, conf=()):
    """Of each application: (lines of its answer, ...) as `run` has it. Temporary files of both are in one folder, which is empty then."""
    folder.mkdir()
    version, names = CASES[-1][0], list(SEEDS)

    def one(name, other):
        own = folder / name
        own.mkdir()
        # two masters that start in one second give their applications the same name otherwise
        settings = {"spark.local.dir": folder / "local", "spark.deploy.appIdPattern": f"{name}-%s-%04d"} | dict(conf)
        return run(version, "local-cluster[1,2,1024]", own, plugin, TOGETHER, [str(folder), name, other, str(SEEDS[name])], settings)

    with ThreadPoolExecutor(2) as pool:
        done = list(pool.map(one, names, reversed(names)))
    assert not [path for path in (folder / "local").rglob("*") if path.is_file()]
    return [(*of_one, said_by_executors(version, of_one[-1])) for of_one in done]


@pytest.mark.skipif(not VERSIONS, reason="minutes: where VERSIONS are named")
def test_two_applications_at_once_have_stocks_answers_and_leave_nothing(tmp_path):
    conf = {"spark.pellucid.monotasks": "true", "spark.driver.extraClassPath": LOOKS, "spark.executor.extraClassPath": LOOKS}
    stock, ours = both(tmp_path / "stock", plugin=False), both(tmp_path / "monotasks", plugin=True, conf=conf)
    times = []
    for (expected, *_), (said, stderr, log, executors) in zip(stock, ours, strict=True):
        answers = [line for line in said if line.startswith("ANSWER")]
        assert answers == [line for line in expected if line.startswith("ANSWER")] and len(answers) == 10
        assert [line for line in said if line.startswith("LEFT")] == ["LEFT 0 0 [] []"]
        times.append([float(time) for line in said if line.startswith("TIMES") for time in line.split()[1:]])
        assert len(executors) == 1 and not [text for text in [stderr, *executors] if "WARN pellucid" in text]
        assert "monotasks" in report(log)
    (began, ended), (other_began, other_ended) = times
    assert max(began, other_began) < min(ended, other_ended)
