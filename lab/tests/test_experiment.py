"""Tables of experiments that are measured in parts, and the rounds in which they are."""

import csv
from argparse import ArgumentTypeError, Namespace
from pathlib import Path

import pytest

from lab import experiment, software
from lab.application import Run
from lab.experiments import attribution, monotasks, slow_nic, whatif

TABLE = software.REPOSITORY / "docs" / "experiments" / "monotasks.csv"


def test_a_table_that_is_read_and_written_again_says_the_same(tmp_path):
    runs = experiment.of_other_cases(TABLE, [])
    assert len(runs) == len(TABLE.read_text().splitlines()) - 1
    experiment.write(Namespace(to=tmp_path, arguments=["--pairs", "3"]), "monotasks", "", runs, lambda *_, **__: None)
    with open(TABLE, newline="") as before, open(tmp_path / "monotasks.csv", newline="") as after:
        for was, now in zip(csv.DictReader(before), csv.DictReader(after), strict=True):
            assert was.keys() == now.keys()
            for column in was:
                assert was[column] == now[column] or float(was[column]) == float(now[column]), column


def test_what_people_wrote_into_a_page_stays(tmp_path, monkeypatch):
    monkeypatch.setattr(experiment, "machine_line", lambda: "Machine: one")  # its load changes from page to page
    runs = experiment.of_other_cases(TABLE, [])
    page = tmp_path / "monotasks.md"

    def write():
        experiment.write(Namespace(to=tmp_path, arguments=["--pairs", "3"]), "monotasks", "| a table |\n", runs, lambda *_, **__: None)
        return page.read_text()

    first = write()
    assert experiment.NOTES not in first
    noted = first.replace("| a table |\n", f"| an older table |\n\n{experiment.NOTES}\n\n- a note\n- another\n")
    page.write_text(noted)
    again = write()
    assert again == noted.replace("an older", "a")
    assert again.count(experiment.NOTES) == 1 and "- another\n\n## `pellucid report`" in again


def test_what_was_measured_again_is_not_kept():
    runs = experiment.of_other_cases(TABLE, [])
    again = runs[:1]
    kept = experiment.of_other_cases(TABLE, again)

    def names(of):
        return {(run.case, run.variant) for run in of}

    assert names(kept) == names(runs) - names(again)
    assert experiment.of_other_cases(TABLE.with_name("none.csv"), again) == []


def test_more_runs_of_a_job_stand_beside_those_that_there_are():
    runs = experiment.of_other_cases(TABLE, [])
    again = [run for run in runs if run.case == runs[0].case]

    def joined(add, more):
        return monotasks.with_kept(Namespace(to=TABLE.parent, add=add, more=more), again)

    assert len(joined(add=True, more=False)) == len(runs)
    both = joined(add=False, more=True)
    assert len(both) == len(runs) + len(again)
    assert [run.case for run in both[: 2 * len(again)]] == [runs[0].case] * 2 * len(again)
    assert joined(add=False, more=False) == again


class Recorder:
    """In place of an application: what it is asked to do, in one list for all."""

    def __init__(self, name, done):
        self.name, self.done = name, done

    def generate(self, line):
        self.done.append((self.name, line))

    def measure(self, case, variant, line):
        self.done.append((self.name, case, variant, line))


def test_each_round_writes_its_input_once_and_measures_what_is_left_in_turn_both_ways():
    done = []
    applications = {"stock": Recorder("A", done), "monotasks": Recorder("B", done)}
    monotasks.in_rounds(applications, [("long", "make", "run 1"), ("short", "make", "run 2")], {"long": 1, "short": 2}, lambda *_: None)
    assert done == [
        ("A", "make"), ("B", "make"),
        ("A", "long", "stock", "run 1"), ("B", "long", "monotasks", "run 1"),
        ("A", "short", "stock", "run 2"), ("B", "short", "monotasks", "run 2"),
        ("A", "make"), ("B", "make"),
        ("B", "short", "monotasks", "run 2"), ("A", "short", "stock", "run 2"),
    ]  # fmt: skip


def run_of_sorts(case, *sorts):
    """What attribution reads of a run. Of a sort: its values, and of each of its two stages the CPU seconds of monotasks and by Spark's counter, and a disk's bytes."""
    stages = [{"description": f"{values} values",
               "monotasks": [{"resource": "cpu", "cpuSeconds": busy, "bytes": 0}, {"resource": "disk", "cpuSeconds": 0.0, "bytes": moved}],
               "demand": {"cpuSeconds": counted, "shuffleWriteBytes": wrote}, "breakdown": {"taskSeconds": 1}}
              for values, busy, counted, moved in sorts for wrote in (1, 0)]  # fmt: skip
    return Run(case, "monotasks", 1.0, None, {"cpu_seconds": 3.0}, (), {"stages": stages})


def test_an_error_of_attribution_stands_beside_what_spark_counted_of_the_same_tasks():
    runs = [run_of_sorts("10 alone", (10, 2.0, 4.0, 0)), run_of_sorts("50 alone", (50, 2.0, 4.0, 0)),
            run_of_sorts("both", (10, 1.8, 3.6, 0), (50, 2.2, 4.0, 0))]  # fmt: skip
    # of two at once (1.8 + 2.2) / 2 if divided by their tasks' time, which is the same
    said = attribution.page(Namespace(speed=0.1, pairs=1), runs)
    assert "| 10 values, map | CPU s | 2.00 | 1.80 | -10.0% | -10.0% | +0.0% | +0% |" in said
    assert "| 50 values, reduce | CPU s | 2.00 | 2.20 | +10.0% | +0.0% | +10.0% | +0% |" in said
    assert "| machines | CPU s | 6.00 | 3.00 | -50.0% |  |  |  |" in said
    assert "disk MB" not in said


def test_a_use_of_two_sorts_at_once_that_one_alone_has_not_has_a_row_and_no_percentage():
    runs = [run_of_sorts("10 alone", (10, 1.0, 1.0, 0)), run_of_sorts("50 alone", (50, 1.0, 1.0, 2_000_000)),
            run_of_sorts("both", (10, 1.0, 1.0, 1_000_000), (50, 1.0, 1.0, 2_000_000))]  # fmt: skip
    said = attribution.page(Namespace(speed=0.1, pairs=1), runs)
    assert "| 10 values, reduce | disk MB | 0.00 | 1.00 |  |  |  |  |" in said
    assert "| 50 values, reduce | disk MB | 2.00 | 2.00 | +0.0% |  | +0.0% | -25% |" in said


def test_how_fast_the_cpus_were_is_said_by_variants():
    def run(variant, **counters):
        return Run("a case", variant, 1.0, None, counters, ())

    said = experiment.cpus([run("stock", loop_millis=20.0), run("stock", loop_millis=22.0), run("monotasks", loop_millis=25.04), run("monotasks")])
    assert "stock 21.0 (20.0-22.0), 2 of 2 runs; monotasks 25.0 (25.0-25.0), 1 of 2 runs." in said
    assert experiment.cpus([run("stock")]) == ""


def test_each_run_says_of_which_commit_it_is(tmp_path):
    runs = experiment.of_other_cases(TABLE, [])[:2]
    runs[0].commit, runs[1].commit = "1a2b3c4", "5d6e7f8+"
    experiment.write(Namespace(to=tmp_path, arguments=["--jobs", "a b"]), "monotasks", "", runs, lambda *_, **__: None)
    page = (tmp_path / "monotasks.md").read_text()
    assert "1a2b3c4 1, 5d6e7f8+ 1." in page and "`./pellucid-lab experiment monotasks --jobs 'a b'` wrote this page" in page
    assert [run.commit for run in experiment.of_other_cases(tmp_path / "monotasks.csv", [])] == ["1a2b3c4", "5d6e7f8+"]


def test_a_file_that_is_not_written_to_its_end_replaces_nothing(tmp_path):
    (tmp_path / "page.md").write_text("before")
    with pytest.raises(KeyboardInterrupt), experiment.replaced(tmp_path / "page.md") as file:
        file.write("half")
        raise KeyboardInterrupt
    assert [(file.name, file.read_text()) for file in tmp_path.iterdir()] == [("page.md", "before")]


def test_who_has_replaced_a_file_leaves_alone_what_the_next_one_writes(tmp_path, monkeypatch):
    replace = Path.replace

    def and_the_next_begins(new, target):
        replace(new, target)
        new.write_text("next")

    monkeypatch.setattr(Path, "replace", and_the_next_begins)
    with experiment.replaced(tmp_path / "state.json") as file:
        file.write("first")
    assert sorted(file.read_text() for file in tmp_path.iterdir()) == ["first", "next"]


def test_flags_that_make_no_sense_are_told_before_anything_is_measured(tmp_path):
    assert experiment.setting("spark.a=b=c") == ("spark.a", "b=c")
    for parse, wrong in ((experiment.setting, "spark.a"), (experiment.times_at_least_once, "0"), (experiment.times_at_least_once, "-1")):
        with pytest.raises(ArgumentTypeError, match=wrong):
            parse(wrong)
    with pytest.raises(experiment.LabError, match="--jobs tpch: none of these cases"):
        whatif.run(Namespace(cpu=None, seed=1, random=0, cases=["1 HDD:2 HDDs"], jobs=["tpch"], to=tmp_path), None)


def test_copies_of_tasks_are_counted_where_they_start(tmp_path):
    def start(speculative):
        return f'{{"Event":"SparkListenerTaskStart","Stage ID":0,"Task Info":{{"Task ID":1,"Speculative":{speculative}}}}}\n'

    log = tmp_path / "log"
    log.write_text(start("true") + start("false") + start("true").replace("TaskStart", "TaskEnd"))
    assert slow_nic.copies(log) == 1


def test_the_ratio_of_means_is_there_for_jobs_whose_median_is_one_of_two_kinds_of_runs():
    seconds = {"stock": (0.2, 0.2, 0.6), "monotasks": (0.2, 0.6, 0.6)}
    runs = [Run("1 SSD: a", variant, each, None, {}, ()) for variant, its in seconds.items() for each in its]
    assert "| 1 SSD | 1 | 3.00 | 1.40 | 3.00 (a) |" in monotasks.ratios(runs)  # 0.6 / 0.2; 1.4 / 1.0
