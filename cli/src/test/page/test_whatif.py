"""The page of `pellucid whatif --html`, in a browser."""

import json
import shlex
import subprocess
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path

import pytest

import logs
from tabs import opened

ROOT = Path(__file__).resolve().parents[4]
STOCK = ROOT / "core/src/test/logs/spark-4.3.0-zstd.zstd"
KNOWN = ["--disk-now", "hdd", "--network-now", "1gbit"]


def whatif(log, *options):
    return subprocess.run([ROOT / "pellucid", "whatif", log, *options], capture_output=True, check=True, text=True).stdout


def seconds(s):
    """As the page words them; it has milliseconds."""
    def digits(x, n):
        return str(Decimal(x).quantize(Decimal(1).scaleb(-n), ROUND_HALF_UP))
    s = round(s * 1000) / 1000
    return ("0 s" if s < 0.0005 else f"{digits(s * 1000, 0)} ms" if s < 1 else f"{digits(s, 1)} s" if s < 100
            else f"{digits(s, 0)} s" if s < 6000 else f"{digits(s / 3600, 1)} h")


class Page:
    def __init__(self, browser, log, html, known, width=1400, hash=""):
        self.log, self.known = log, known
        self.tab, self.complaints = opened(browser, html, width, hash)

    def axis(self, name):
        return self.tab.locator(f".choice[data-axis={name}]")

    def text(self, selector):
        return self.tab.locator(selector).inner_text()

    def flags(self):
        """What asks the command for the same, beyond what it was told of the recorded machines."""
        said = shlex.split(self.text("#predictions code").removeprefix("pellucid whatif LOG"))
        assert said[: len(self.known)] == list(self.known)
        return said[len(self.known) :]

    def check(self):
        """All that it shows is what the command answers to the same flags."""
        answer, = json.loads(whatif(self.log, "--json", *self.known, *self.flags()))
        a = answer["application"]
        assert self.text("#predicted") == seconds(a["replay"])
        shown = self.tab.locator("#predictions .numbers").all_inner_texts()
        assert shown == [seconds(a[k]) for k in ["seconds", "replay", "ideal", "slots", "idealNext"]]
        stages = sorted(answer["stages"], key=lambda s: -s["prediction"]["seconds"])
        rows = self.tab.locator("#stages tbody > tr:not(.detail)")
        assert rows.count() == min(15, len(stages))
        for s, cells in zip(stages, rows.all()):
            cells = cells.locator("td").all_inner_texts()
            p = s["prediction"]
            assert [cells[i] for i in (1, 2, 4)] == [seconds(p[k]) for k in ["seconds", "replay", "idealNext"]]
            now, then = s.get("bottleneckNow") or "none", s.get("bottleneckNext") or "none"
            assert cells[5] == (now if now == then else f"{now} → {then}")
        if validation := answer["validation"]:
            assert self.tab.locator("#sure b").all_inner_texts()[:2] == [seconds(validation[k]) for k in ["low", "high"]]
            assert f"of {validation['predictions']} replays" in self.text("#sure")
        else:
            assert "No such change has been compared" in self.text("#sure")
        assert self.tab.locator("#bounds .numbers b").all_inner_texts() == [seconds(b["replay"]) for b in answer["bounds"]]
        for b in answer["bounds"]:
            assert b["blockedTime"] is None or f"no {b['resource']} {seconds(b['blockedTime'])}" in self.text("#bounds")
        for assumption in answer["assumptions"]:
            assert assumption in self.text("#assumptions")
        return answer


@pytest.fixture(scope="session")
def made(tmp_path_factory):
    """Pages by log and flags, each made once."""
    pages, folder = {}, tmp_path_factory.mktemp("whatif")

    def page(log, *options):
        if (log, options) not in pages:
            html = folder / f"{len(pages)}.html"
            assert whatif(log, "--html", html, *options).endswith(f"The page is in {html}\n")
            pages[log, options] = html
        return pages[log, options]

    return page


@pytest.fixture(scope="session")
def shuffle(tmp_path_factory):
    return logs.shuffle(tmp_path_factory.mktemp("shuffle") / "log")


@pytest.fixture
def open_page(browser, made):
    pages = []

    def page(log, *options, known=(), **settings):
        pages.append(Page(browser, log, made(log, *known, *options), known, **settings))
        return pages[-1]

    yield page
    for p in pages:
        p.tab.close()
        assert p.complaints == []


def test_it_begins_with_what_was_asked(open_page, shuffle):
    page = open_page(shuffle, "--machines", "7", "--disk", "ssd", known=KNOWN)
    assert page.flags() == ["--machines", "7", "--disk", "ssd"]
    assert page.axis("machines").locator("b").inner_text() == "7"
    assert "now 2" in page.axis("machines").inner_text()
    assert page.axis("disk").get_by_label("ssd").is_checked()
    page.check()
    page.tab.get_by_role("button", name="as recorded").click()
    assert page.flags() == []
    assert page.text(".compared") == "as long as now"
    page.check()


def test_every_control_answers_with_what_the_command_says(open_page, shuffle):
    page = open_page(shuffle, known=KNOWN)
    before = page.text("#predicted")
    page.axis("machines").get_by_role("slider").press("ArrowRight")
    assert page.text("#predicted") != before
    page.check()
    page.axis("cores").get_by_role("slider").press("End")
    page.check()
    page.axis("disks").get_by_role("slider").press("End")
    page.check()
    page.axis("disk").get_by_label("hdd").press("ArrowRight")
    page.axis("network").get_by_label("10 Gbit/s").check()
    page.check()
    page.axis("input").get_by_label("in memory").check()
    answer = page.check()
    assert [s["bottleneckNext"] for s in answer["stages"]] == ["cpu", "cpu"]
    assert "→" in page.text("#stages"), "the bottleneck of reading was the disk"
    assert set(page.flags()) >= {"--machines", "--cores", "--disks", "--disk", "ssd", "10000mbit", "memory"}


def test_what_a_stock_log_says_nothing_about_cannot_be_chosen(open_page):
    page = open_page(STOCK)
    network = page.axis("network")
    assert network.locator("input").is_disabled()
    assert "say it with --network-now" in network.inner_text()
    disk = page.axis("disk")
    assert disk.locator("input").is_disabled()
    assert "say it with --disk-now" in disk.inner_text()
    assert page.tab.locator(".choice input:disabled").count() == 2
    assert "monotasks estimated" in page.text("header")
    assert "estimated from the phases" in page.text("#sure")
    page.axis("cores").get_by_role("slider").press("ArrowRight")
    page.check()


def test_the_address_keeps_the_position(open_page, shuffle):
    page = open_page(shuffle, known=KNOWN)
    page.axis("machines").get_by_role("slider").press("End")
    page.axis("input").get_by_label("in memory").check()
    address, predicted = page.tab.url, page.text("#predicted")
    again = open_page(shuffle, known=KNOWN, hash="#" + address.partition("#")[2])
    assert again.text("#predicted") == predicted
    assert again.flags() == page.flags() != []
    again.tab.evaluate("location.hash = 'machines=nonsense&input=as+it+was&tapes=3'")
    again.tab.wait_for_function("document.querySelector('.choice[data-axis=input] input').checked")
    assert again.flags() == page.flags()[:2]


def test_the_chart_has_each_number_of_machines_and_picks_one(open_page, shuffle):
    page = open_page(shuffle, known=KNOWN)
    over = page.tab.locator(".chart .u-over").bounding_box()
    page.tab.mouse.move(over["x"] + 2, over["y"] + 100)
    page.tab.mouse.move(over["x"] + over["width"] - 10, over["y"] + 100)
    machines = page.tab.locator(".ticks").first.locator("span").all_inner_texts()
    assert page.text(".tooltip").startswith(f"{machines[-1]} machines\nreplay")
    page.tab.mouse.click(over["x"] + over["width"] - 10, over["y"] + 100)
    assert page.flags() == ["--machines", machines[-1]]
    page.check()


def test_a_stage_opens_to_all_numbers_of_machines(open_page, shuffle):
    page = open_page(shuffle, known=KNOWN)
    row = page.tab.locator("#stages tbody tr").first
    row.press("Enter")
    machines = page.tab.locator(".ticks").first.locator("span").count()
    assert page.tab.locator("#stages tr.detail .row").count() == machines
    page.axis("machines").get_by_role("slider").press("ArrowRight")
    assert page.tab.locator("#stages tr.detail").count() == 1, "and stays open"


@pytest.mark.parametrize("width", [1400, 700, 360])
def test_the_page_is_as_wide_as_the_window(open_page, shuffle, width):
    page = open_page(shuffle, known=KNOWN, width=width)
    assert page.tab.evaluate("document.documentElement.scrollWidth") == width


def test_text_of_the_log_stays_text(open_page, tmp_path):
    text = "</script><script>window.pwned=1</script><img src=x onerror=window.pwned=1>"
    page = open_page(logs.shuffle(tmp_path / "hostile", second_stage=text))
    page.tab.locator("#stages tbody tr").first.press("Enter")
    assert page.tab.evaluate("window.pwned") is None
    assert text in page.text("#stages")
    assert page.tab.locator("img").count() == 0
