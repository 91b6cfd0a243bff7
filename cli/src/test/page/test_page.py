"""The page of `pellucid report --html`, in a browser."""

import html
import json
import re
import subprocess
from pathlib import Path

import pytest

import logs
from tabs import opened

ROOT = Path(__file__).resolve().parents[4]
LOGS = ROOT / "core/src/test/logs"
SMALL = LOGS / "spark-4.3.0-zstd.zstd"
SMALL_LOGS = [next(log.glob("eventlog_v2_*"), log) for log in sorted(LOGS.glob("spark-*"))]
FRAME = "() => new Promise(r => requestAnimationFrame(() => requestAnimationFrame(r)))"


class Page:
    """A log's report in a browser tab, with all that must not happen noted in `complaints`."""

    def __init__(self, browser, log, directory, *options, width=1400):
        file = directory / "report.html"
        out = subprocess.run([ROOT / "pellucid", "report", log, "--html", file, "--json", *options], capture_output=True, check=True)
        self.report = json.loads(out.stdout)
        self.tab, self.complaints = opened(browser, file, width)
        self.frame()

    def frame(self):
        self.tab.evaluate(FRAME)

    def view(self):
        return self.tab.evaluate("[pellucidTimeline.view.from, pellucidTimeline.view.to]")

    def to_timeline(self):
        self.tab.evaluate("document.getElementById('timeline-section').scrollIntoView()")
        self.tab.wait_for_timeout(300)

    def place_of(self, task):
        return self.tab.evaluate("id => pellucidTimeline.positionOfTask(id)", task)

    def stage_names(self):
        return self.tab.locator("#stages tbody > tr:not(.detail) > td:first-child").all_inner_texts()


@pytest.fixture
def open_page(browser, tmp_path):
    pages = []

    def made(log, *options, **settings):
        pages.append(Page(browser, log, tmp_path, *options, **settings))
        return pages[-1]

    yield made
    for page in pages:
        page.tab.close()
        assert page.complaints == []


@pytest.mark.parametrize("log", SMALL_LOGS, ids=lambda p: p.name)
def test_every_log_is_drawn_quietly(open_page, log):
    page = open_page(log)
    assert page.tab.locator("h1").inner_text() == page.report["application"]["name"]
    assert page.tab.locator("#advice details").count() == len(page.report["advice"])
    colours = page.tab.evaluate("""() => {
      const canvas = document.querySelector(".lanes canvas");
      const data = canvas.getContext("2d").getImageData(canvas.width / 5, 0, canvas.width * 4 / 5, canvas.height).data;
      return new Set(new Uint32Array(data.buffer)).size;
    }""")
    assert colours > 5, "lanes, gaps and several phases"


@pytest.mark.parametrize("width", [1400, 700])
def test_the_page_is_as_wide_as_the_window(open_page, width):
    page = open_page(SMALL, width=width)
    assert page.tab.evaluate("document.documentElement.scrollWidth") == width


def test_the_header_says_what_ran(open_page):
    page = open_page(SMALL)
    text = page.tab.locator("header").inner_text()
    a = page.report["application"]
    for part in [a["id"], f"Spark {a['sparkVersion']}", "5.7 s", "executor on 1 host", "slots", "jobs"]:
        assert part in text


def test_what_the_log_lacks_is_said(open_page):
    page = open_page(LOGS / "spark-4.3.0-killed.zstd.inprogress")
    warnings = page.tab.locator(".warnings").inner_text()
    assert "The log stops before the application's end" in warnings
    assert "cut off in its last line" in warnings


def test_monotasks_and_their_queues(open_page, tmp_path):
    page = open_page(logs.monotasks(tmp_path / "log"))
    rows = [row.split("\t") for row in page.tab.locator("#monotasks tbody tr").all_inner_texts()]
    # 2.3 s of CPU on two cores; two reads of a second on one disk, the second after half a second in its queue
    assert rows[0] == ["cpu", "3", "2.3 s", "0 s", "0", "1.1 s"]
    assert rows[1] == ["disk", "2", "2.0 s", "500 ms", "8.0 MB", "2.0 s"]
    assert rows[2][:4] == ["0", "2.5 s", "disk", "2.0 s"]
    page.to_timeline()
    charts = page.tab.locator(".load")
    assert [text.split("\n")[0] for text in charts.all_inner_texts()] == ["slots", "cpu", "disk"]
    box = charts.nth(2).bounding_box()
    gutter, width = page.tab.evaluate("[pellucidTimeline.gutter, pellucidTimeline.width]")
    from_millis, to_millis = page.view()
    x = box["x"] + gutter + (2250 - from_millis) / (to_millis - from_millis) * (width - gutter)  # from 2 to 2.5 s one waits
    page.tab.mouse.move(x, box["y"] + 40)
    page.frame()
    assert page.tab.locator(".tooltip").inner_text().split("\n") == ["queued", "1.0", "in use, of 1", "1.0"]


def test_links_in_a_notebook_stay_in_the_report(browser, tmp_path):
    """It is in a frame without an address there."""
    subprocess.run([ROOT / "pellucid", "report", SMALL, "--html", tmp_path / "report.html"], capture_output=True, check=True)
    text = (tmp_path / "report.html").read_text()
    (tmp_path / "notebook.html").write_text(f'<iframe title="Pellucid report" srcdoc="{html.escape(text)}" style="width: 100%; height: 50rem"></iframe>')
    tab, complaints = opened(browser, tmp_path / "notebook.html", 1400)
    (report,) = tab.frames[1:]
    for href in ("#stages", "#advice", "#stage-0"):
        report.evaluate("scrollTo(0, 0)")
        report.locator(f"a[href='{href}']:visible").first.click()
        assert report.evaluate("location.href") == "about:srcdoc"
        assert report.locator("h1").count() == 1
    report.locator("nav a[href='#stages']").click()
    assert report.evaluate("scrollY") > 0
    assert complaints == []
    tab.close()


def test_hovering_a_task_tells_of_it(open_page):
    page = open_page(SMALL)
    page.to_timeline()
    for task in page.report["longestTasks"][:5]:
        place = page.place_of(task["taskId"])
        page.tab.mouse.move(place["x"], place["y"])
        tooltip = page.tab.locator(".tooltip").inner_text()
        assert tooltip.startswith(f"Task {task['taskId']}\n")
        assert f"stage {task['stageId']}: " in tooltip
        assert task["host"] in tooltip
        assert "compute on CPU" in tooltip


def test_the_wheel_zooms_around_the_pointer_and_double_click_shows_all(open_page):
    page = open_page(SMALL)
    page.to_timeline()
    whole = page.view()
    place = page.place_of(4)
    page.tab.mouse.move(place["x"], place["y"])
    page.tab.mouse.wheel(0, -400)
    page.frame()
    zoomed = page.view()
    assert zoomed[1] - zoomed[0] < 0.8 * (whole[1] - whole[0])
    assert abs(page.place_of(4)["x"] - place["x"]) < 2
    page.tab.mouse.down()
    page.tab.mouse.move(place["x"] - 200, place["y"], steps=4)
    page.tab.mouse.up()
    page.frame()
    panned = page.view()
    assert panned[0] > zoomed[0]
    assert panned[1] - panned[0] == pytest.approx(zoomed[1] - zoomed[0])
    page.tab.mouse.dblclick(place["x"], place["y"])
    assert page.view() == whole


def test_buttons_and_keys_zoom(open_page):
    page = open_page(SMALL)
    whole = page.view()
    page.tab.get_by_role("button", name="Zoom in").click()
    half = page.view()
    assert half[1] - half[0] == pytest.approx((whole[1] - whole[0]) / 2)
    page.tab.locator(".panel").focus()
    page.tab.keyboard.press("+")
    quarter = page.view()
    assert quarter[1] - quarter[0] == pytest.approx((whole[1] - whole[0]) / 4)
    page.tab.keyboard.press("0")
    assert page.view() == whole


def test_a_click_picks_the_stage(open_page):
    page = open_page(SMALL)
    page.to_timeline()
    place = page.place_of(7)
    page.tab.mouse.click(place["x"], place["y"])
    page.frame()
    assert "stage 3: " in page.tab.locator(".selection").inner_text()
    page.tab.keyboard.press("Escape")
    page.frame()
    assert page.tab.locator(".selection").is_hidden()


def test_hidden_phases_and_colours_by_stage_change_the_picture(open_page):
    page = open_page(SMALL)
    picture = lambda: page.frame() or page.tab.evaluate("document.querySelector('.lanes canvas').toDataURL()")
    by_phase = picture()
    page.tab.locator(".legend .phase", has_text="compute on CPU").click()
    without = picture()
    page.tab.get_by_role("button", name="by stage").click()
    by_stage = picture()
    assert len({by_phase, without, by_stage}) == 3


def test_stages_sort_by_a_click_on_a_header(open_page):
    page = open_page(SMALL)
    stages = page.report["stages"]
    by_time = [str(s["id"]) for s in sorted(stages, key=lambda s: -s["seconds"])]
    assert page.stage_names() == by_time
    header = page.tab.locator("#stages th button", has_text="time").first
    header.click()
    assert page.stage_names() == by_time[::-1]
    page.tab.locator("#stages th button", has_text=re.compile("^stage$")).click()
    assert page.stage_names() == [str(s["id"]) for s in sorted(stages, key=lambda s: -s["id"])]


def test_the_filter_keeps_the_rows_with_the_text(open_page):
    page = open_page(SMALL)
    page.tab.locator("#stages input").fill("skewed")
    wanted = {str(s["id"]) for s in page.report["stages"] if "skewed" in (s.get("description", "") + s["name"]).lower()}
    assert set(page.stage_names()) == wanted


def test_printed_tables_say_how_many_rows_they_have_not(open_page):
    page = open_page(next(log for log in SMALL_LOGS if log.parent.name == "spark-4.0.5-rolling"))
    page.tab.emulate_media(media="print")
    note = page.tab.locator("#stages .filter .note")
    assert note.is_visible() and note.inner_text() == "the first 15 of 20 rows"
    assert not page.tab.locator("#stages input").is_visible()


def test_no_minute_has_sixty_seconds(open_page):
    page = open_page(SMALL)
    moments = [(3659.7, 3.66), (659.9999, 0.001), (659.4, 1), (599.9996, 0.001), (3600, 60)]
    said = ["1h1m", "11m", "10m59s", "10m", "1h0m"]
    words = (ROOT / "core/src/main/resources/pellucid/page/format.js").read_text()
    assert [page.tab.evaluate(f"([s, step]) => {{ {words} return moment(s, step); }}", each) for each in moments] == said


def test_a_stage_link_opens_the_stage(open_page):
    page = open_page(SMALL)
    stage = next(a["stages"][0] for a in page.report["advice"] if a["stages"])
    page.tab.locator("#stages input").fill("hides every stage")
    page.tab.locator("#advice summary").nth(next(i for i, a in enumerate(page.report["advice"]) if a["stages"])).click()
    page.tab.locator(f"#advice a[href='#stage-{stage}']").first.click()
    row = page.tab.locator(f"#stages tr[data-key='{stage}']")
    assert row.get_attribute("aria-expanded") == "true"
    top = row.bounding_box()["y"]
    assert 0 < top < 1000
    assert "Task seconds: min" in page.tab.locator("#stages tr.detail").inner_text()
    page.frame()
    assert f"stage {stage}: " in page.tab.locator(".selection").inner_text(), "and it is picked in the timeline"


def test_back_leads_to_where_a_link_was_followed(open_page):
    page = open_page(SMALL)
    address = page.tab.url
    stages = [a["stages"][0] for a in page.report["advice"] if a["stages"]]
    page.tab.locator("#advice summary").nth(next(i for i, a in enumerate(page.report["advice"]) if a["stages"])).click()
    page.tab.locator(f"#advice a[href='#stage-{stages[0]}']").first.click()
    assert page.tab.url == f"{address}#stage-{stages[0]}"
    page.tab.go_back()
    assert page.tab.url == address
    assert page.tab.locator("#advice").is_visible()


def test_a_task_link_shows_the_task_in_the_timeline(open_page):
    page = open_page(SMALL)
    task = page.report["longestTasks"][0]["taskId"]
    page.tab.locator(f"#stragglers a[href='#task-{task}']").click()
    page.tab.wait_for_timeout(300)
    place = page.place_of(task)
    page.tab.mouse.move(place["x"], place["y"])
    assert page.tab.locator(".tooltip").inner_text().startswith(f"Task {task}\n")
    assert page.view()[1] - page.view()[0] < 3000


def test_failures_are_marked_and_listed(open_page):
    page = open_page(LOGS / "spark-4.0.5-executor-lost.zstd")
    lost = page.tab.locator("#lost").inner_text()
    for attempts in page.report["workLost"]["attempts"]:
        assert attempts["reason"] in lost
    assert "failed" in page.tab.locator(".legend").inner_text()


def test_a_report_of_one_stage(open_page):
    page = open_page(SMALL, "--stage", "3")
    assert page.stage_names() == ["3"]


def test_a_report_of_a_window_shows_the_window(open_page):
    page = open_page(SMALL, "--from", "3.6", "--to", "4.5")
    assert page.view() == [3600, 4500]
    assert "Only what ran between 3.6 s and 4.5 s." in page.tab.locator(".warnings").inner_text()


@pytest.mark.parametrize("executors", [0, 2])
def test_a_log_of_nothing(open_page, tmp_path, executors):
    page = open_page(logs.idle(tmp_path / "idle", executors))
    assert page.tab.locator("h1").inner_text() == "nothing ran"
    assert "No task is in the log." in page.tab.locator("#breakdown").inner_text()
    if executors == 0:
        assert "No executor is in the log." in page.tab.locator("#timeline-section").inner_text()
    else:
        page.to_timeline()
        assert page.view() == [0, 2000]


@pytest.mark.parametrize("text", [
    "<img src=x onerror=window.pwned=1>",
    "</script><script>window.pwned=1</script>",
    "<!--<script>window.pwned=1//",
    "`${window.pwned=1}`",
    "line\u2028separator\u2029\"';window.pwned=1;//",
    "javascript:window.pwned=1",
], ids=["image", "script end", "comment", "backticks", "separators", "link"])
def test_text_of_the_log_stays_text(open_page, tmp_path, text):
    page = open_page(logs.hostile(tmp_path / "hostile", text))
    page.tab.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)")
    for row in page.tab.locator("table.data tbody > tr:not(.detail)").all():
        row.press("Enter")
    page.to_timeline()
    place = page.place_of(0)
    page.tab.mouse.move(place["x"], place["y"])
    assert page.tab.evaluate("window.pwned") is None
    assert page.tab.locator("img").count() == 0
    assert page.tab.locator("script").count() == 4
    assert page.tab.locator("a:not([href^='#'])").count() == 0
    shown = page.tab.evaluate("document.body.innerText")
    assert shown.count(text.split("\u2028")[0]) >= 5, "name, job, stage, query, reason"
    assert text == page.tab.locator("h1").evaluate("e => e.textContent")


def test_a_hundred_thousand_tasks_stay_fluid(open_page, tmp_path):
    page = open_page(logs.large(tmp_path / "large", 100_000))
    assert page.report["application"]["tasks"] == 100_000
    times = page.tab.evaluate("""async () => {
      const timeline = window.pellucidTimeline;
      const frame = () => new Promise(r => requestAnimationFrame(() => requestAnimationFrame(r)));
      const times = [];
      const move = async act => { act(); await frame(); times.push(timeline.lastDrawMillis); };
      for (let i = 0; i < 40; i++) await move(() => timeline.view.zoom(0.85));
      for (let i = 0; i < 40; i++) await move(() => timeline.view.pan(timeline.view.span / 10));
      for (let i = 0; i < 40; i++) await move(() => timeline.view.zoom(1.18));
      return times.sort((a, b) => a - b);
    }""")
    median, worst = times[len(times) // 2], times[-1]
    print(f"100,000 tasks: a frame takes {median:.1f} ms (median), {worst:.1f} ms (worst)")
    assert median < 200
