"""Tables of experiments that are measured in parts, and the rounds in which they are."""

import csv
from argparse import Namespace

from lab import experiment, software
from lab.application import Run
from lab.experiments import monotasks

TABLE = software.REPOSITORY / "docs" / "experiments" / "monotasks.csv"


def test_a_table_that_is_read_and_written_again_says_the_same(tmp_path):
    runs = experiment.of_other_cases(TABLE, [])
    assert len(runs) == len(TABLE.read_text().splitlines()) - 1
    experiment.write(Namespace(to=tmp_path), "monotasks", "", runs, lambda *_, **__: None)
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
        experiment.write(Namespace(to=tmp_path), "monotasks", "| a table |\n", runs, lambda *_, **__: None)
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


def test_each_round_writes_its_input_once_and_measures_what_is_left_in_turn():
    done = []
    applications = {"stock": Recorder("A", done), "monotasks": Recorder("B", done)}
    monotasks.in_rounds(applications, [("long", "make", "run 1"), ("short", "make", "run 2")], {"long": 1, "short": 2}, lambda *_: None)
    assert done == [
        ("A", "make"), ("B", "make"),
        ("A", "long", "stock", "run 1"), ("B", "long", "monotasks", "run 1"),
        ("A", "short", "stock", "run 2"), ("B", "short", "monotasks", "run 2"),
        ("A", "make"), ("B", "make"),
        ("A", "short", "stock", "run 2"), ("B", "short", "monotasks", "run 2"),
    ]  # fmt: skip


def test_how_fast_the_cpus_were_is_said_by_variants():
    def run(variant, **counters):
        return Run("a case", variant, 1.0, None, counters, ())

    said = experiment.cpus([run("stock", loop_millis=20.0), run("stock", loop_millis=22.0), run("monotasks", loop_millis=25.04), run("monotasks")])
    assert "stock 21.0 (20.0-22.0), 2 of 2 runs; monotasks 25.0 (25.0-25.0), 1 of 2 runs." in said
    assert experiment.cpus([run("stock")]) == ""
