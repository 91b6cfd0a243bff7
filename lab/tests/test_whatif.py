"""The arithmetic of the validation of predictions, and what `whatif` is told of a lab."""

import json
from argparse import Namespace
from dataclasses import replace

import pytest

from lab.application import Run
from lab.cluster import LabError
from lab.experiments import whatif


def run(variant, seconds, **what_if):
    one = Run("sort", variant, seconds, 0, {}, (0, 1))
    one.what_if = what_if
    return one


def said(seconds, replay, ideal, slots):
    return {"seconds": seconds, "replay": replay, "ideal": ideal, "slots": slots, "replayNow": seconds * 0.9}


def test_the_median_of_what_each_run_predicts_is_compared_with_the_median_of_the_other_setting():
    runs = [
        # a window has a little more than the job: predictions are taken as ratios
        run("monotasks, A", 10.0, B=said(20.0, replay=10.0, ideal=8.0, slots=20.0)),
        run("monotasks, A", 12.0, B=said(24.0, replay=12.0, ideal=9.6, slots=24.0)),
        run("monotasks, A", 14.0, B=said(28.0, replay=7.0, ideal=11.2, slots=28.0)),
        run("monotasks, B", 4.0), run("monotasks, B", 5.0), run("monotasks, B", 6.0),
    ]  # fmt: skip
    (row,) = whatif.predicted([("A", "B", ())], runs)
    assert (row["before"], row["after"]) == (12.0, 5.0)
    assert (row["replay"], row["ideal"], row["slots"]) == pytest.approx((5.0, 4.8, 12.0))  # 5, 6, 3.5
    assert (row["replay error"], row["ideal error"], row["slots error"]) == pytest.approx((0.0, -0.04, 1.4))
    assert row["replay of itself"] == pytest.approx(-0.1)


def test_what_a_resource_saves_at_most_is_a_part_of_the_time_of_its_own_run():
    def with_bounds(variant, seconds, **disk):
        one = run(variant, seconds, B=said(seconds, 1.0, 1.0, 1.0))
        one.bounds = {"disk": disk, "network": {key: seconds for key in disk}}
        return one

    runs = [
        with_bounds("observed, A", 10.0, blockedTime=8.0, blockedTimeAtLeast=7.0),
        with_bounds("monotasks, A", 5.0, replay=4.5, ideal=2.5),
        with_bounds("stock, A", 9.0, replay=0.0),
    ]  # fmt: skip
    disk, network = whatif.bottlenecks(runs)
    assert [disk[key] for key in ("blocked", "at most", "replay", "ideal")] == pytest.approx([0.2, 0.3, 0.1, 0.5])
    assert [network[key] for key in ("blocked", "at most", "replay", "ideal")] == pytest.approx([0.0] * 4)


def test_a_profile_has_the_limits_of_the_disk_that_the_lab_emulates(tmp_path):
    setting = replace(whatif.BASE, speed=0.1)
    profile = json.loads(setting.profile(tmp_path).read_text())
    read = {point["requestBytes"]: point["bytesPerSecond"] for point in profile["read"]}
    assert read[4096] == pytest.approx(50 * 4096)  # a tenth of 500 requests per second
    assert read[128 << 20] == pytest.approx(13 * 1024 * 1024)  # a tenth of 130 MB/s


def test_what_differs_is_named_by_the_flags_of_whatif():
    assert whatif.BASE.changes(replace(whatif.BASE, name="2 HDDs", disks=2)) == "disks"
    assert whatif.BASE.changes(replace(whatif.BASE, machines=8, kind="ssd", speed=0.2, cached=True)) == "machines+disk+input"


def test_drawn_settings_are_the_same_of_the_same_seed():
    assert whatif.setting_of("random 7.1") == whatif.drawn(7, 1)
    assert replace(whatif.drawn(7, 1), name="") != replace(whatif.drawn(8, 1), name="")


def test_predictions_that_are_written_are_read_again_but_for_those_that_were_made_again(tmp_path):
    def row(a, b, job, replay):
        return {"variant": "monotasks", "changes": "disks", "replay error": replay, "ideal error": 0.5, "slots error": 1.0,
                "from": a, "to": b, "job": job, "before": 10.0, "after": 5.0}  # fmt: skip

    rows = [row("A", "B", "sort, 10 values", 0.1), row("A", "B", "sort, 20 values", 0.2), row("B", "A", "sort, 10 values", 0.3)]
    file = tmp_path / "predictions.csv"
    whatif.write_rows(file, ("variant",), rows)
    assert whatif.of_others(file, whatif.PREDICTION, []) == rows
    assert whatif.of_others(file, whatif.PREDICTION, [row("A", "B", "sort, 10 values", 0.4)]) == rows[1:]
    assert whatif.of_others(tmp_path / "none.csv", whatif.PREDICTION, []) == []


def test_the_page_keeps_the_bottlenecks_of_another_setting(tmp_path, monkeypatch):
    def observed(setting):
        saved = {"blockedTime": 8.0, "blockedTimeAtLeast": 7.0, "replay": 4.0, "ideal": 3.0}
        runs = [run(f"{variant}, {setting}", 10.0, **{setting: said(10.0, 10.0, 10.0, 10.0)}) for variant in ("observed", "monotasks")]
        for each in runs:
            each.bounds = {"disk": saved, "network": saved}
        return runs

    monkeypatch.setattr(whatif.experiment, "write", lambda options, name, text, runs, say: (tmp_path / "page.md").write_text(text))
    for setting in ("1 HDD", "2 HDDs"):
        whatif.write(Namespace(to=tmp_path, add=True), [], observed(setting), None)
    page = (tmp_path / "page.md").read_text()
    assert "| 1 HDD | sort | disk | 20% | 30% | 60% | 70% |" in page  # 1 - 8/10, 1 - 7/10, ...
    assert "| 2 HDDs | sort | network | 20% | 30% | 60% | 70% |" in page
    assert "40% of the time apart in the median, 40% at most" in page


def test_what_was_kept_is_not_measured_again_and_is_never_taken_for_anything_else(tmp_path):
    sort = [("sort", "", "")]
    assert whatif.kept(whatif.BASE, "stock", sort, tmp_path) == []
    measured = [Run(job, "stock, 1 HDD", 2.5, {"rows": 7}, {"cpu_seconds": 1.0}, (3.0, 6.0), {"demand": {}}) for job in ("sort", "scan")]
    whatif.keep(whatif.BASE, "stock", tmp_path, measured)
    (back,) = whatif.kept(whatif.BASE, "stock", sort, tmp_path)
    assert (back.case, back.seconds, back.answer, tuple(back.window)) == ("sort", 2.5, {"rows": 7}, (3.0, 6.0))
    with pytest.raises(LabError, match="1 HDD, stock.json is of other machines"):
        whatif.kept(replace(whatif.BASE, speed=0.2), "stock", sort, tmp_path)
    with pytest.raises(LabError, match="1 HDD, stock.json has no runs of join"):
        whatif.kept(whatif.BASE, "stock", [*sort, ("join", "", "")], tmp_path)
