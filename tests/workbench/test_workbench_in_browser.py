"""A real browser on a workbench that really runs: what a person does on a first visit, and what happens when the server
dies under the open page."""

import os
import re
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from benches import compared

from loadmaster.workbench.child_processes import child_in, stop

CHROMIUM = Path("/usr/bin/chromium")
LOG = "job_id,submit_s,runtime_s,cores,memory_gb\n" + "".join(
    f"{k},{7 * k},{60 + 13 * (k % 9)},{1 + k % 3},{1 + k % 5}\n" for k in range(60)
)
PATIENCE_MS = 60_000


class Server:
    """`loadmaster serve`, which can be killed and started again at the same address."""

    def __init__(self, folder):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.folder = folder
        self.start()

    def start(self):
        self.process = subprocess.Popen(
            [sys.executable, "-m", "loadmaster", "serve", str(self.folder), "--port", str(self.port)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "COLUMNS": "300"},
        )
        said = self.process.stdout.readline()
        assert said.startswith("The workbench: "), self.process.communicate()[1]
        self.address = said.split()[-1]

    def end(self, sign):
        self.process.send_signal(sign)
        self.last_error_line = self.process.communicate(timeout=60)[1]
        return self.process.returncode


@pytest.fixture
def server(tmp_path):
    compared(tmp_path / "results" / "older", {"first-fit": 100.0}, answer="first-fit waits least.")
    compared(tmp_path / "results" / "newer", {"first-fit": 50.0}, answer="mix-fit waits least.")
    made = Server(tmp_path / "results")
    yield made
    if made.process.poll() is None:
        made.end(signal.SIGINT)
    for folder in (tmp_path / "results").iterdir():  # what a killed server has started goes on
        if (child := child_in(folder)) is not None and child.runs:
            stop(child, at_once=True)


@pytest.fixture
def page():
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright, in the extra `dev`, is not installed")
    if not CHROMIUM.exists():
        pytest.skip(f"no browser at {CHROMIUM}")
    with playwright.sync_playwright() as library:
        browser = library.chromium.launch(executable_path=str(CHROMIUM), args=["--no-sandbox"])
        opened = browser.new_page()
        opened.set_default_timeout(PATIENCE_MS)
        opened.wrong = []
        opened.on("pageerror", lambda error: opened.wrong.append(str(error)))
        opened.on("console", lambda line: opened.wrong.append(line.text) if "Content Security" in line.text else None)
        yield opened
        browser.close()


def test_a_first_visit_from_the_printed_address_to_a_finished_comparison_through_the_death_of_the_server(
    server, page, tmp_path
):
    page.goto(server.address)
    page.wait_for_url(f"http://127.0.0.1:{server.port}/")  # the token stands in the address no longer
    rows = page.locator("#results tbody tr:visible")
    assert rows.count() == 2

    page.fill("input[name=words]", "MIX-fit")
    assert rows.count() == 1
    page.fill("input[name=words]", "")
    for box in page.locator("input[name=pair]").all():
        box.check()
    page.click("#beside")
    assert "50 s" in page.locator("td.good, td.bad").first.locator("xpath=../td[3]").inner_text()

    server.end(signal.SIGKILL)  # nobody is told
    page.goto("about:blank")
    server.start()
    page.goto(f"http://127.0.0.1:{server.port}/first")  # the browser is still known
    (tmp_path / "jobs.csv").write_text(LOG)
    page.set_input_files("input[type=file]", tmp_path / "jobs.csv")
    page.click("#upload button")
    page.wait_for_url(re.compile(r"/log\?name=jobs.csv$"))
    assert "60 jobs" in page.locator(".subtitle").inner_text()
    page.fill("input[name=hosts]", "2x4c16g")
    for policy in ("best-fit-memory", "mix-fit"):
        page.uncheck(f"input[value={policy}]")
    page.uncheck("input[value=easy]")
    page.check("input[value=netbatch]")
    page.click("#choose button")
    page.wait_for_url(re.compile(r"/result\?at=0%2Fjobs-1$"))

    server.end(signal.SIGKILL)  # under the open page and the comparison, which goes on
    page.wait_for_selector("#silent:visible")
    server.start()
    page.wait_for_selector("#silent", state="hidden")
    page.wait_for_selector("#state[data-name=done]", timeout=3 * PATIENCE_MS)  # an engine may be compiled first
    shown = page.frame_locator("#page")
    shown.locator("h1").wait_for()
    shown.locator("svg").first.wait_for()
    assert shown.locator(".label").inner_text().lower() == "loadmaster compare"
    assert (tmp_path / "results" / "jobs-1" / "summary.parquet").is_file()

    page.goto(f"http://127.0.0.1:{server.port}/")
    assert rows.count() == 3
    assert page.wrong == []
    assert server.end(signal.SIGINT) == 130
    assert "loadmaster: stopped" in server.last_error_line
    assert "Traceback" not in server.last_error_line


def test_the_page_of_a_result_can_neither_read_the_workbench_nor_change_it(server, page):
    """A folder that came from elsewhere holds a page with a script of its own."""
    script = """
      const say = (text) => document.body.append(Object.assign(document.createElement('p'), {textContent: text}));
      Promise.allSettled([fetch('/rows'), fetch('/start', {method: 'POST', body: '{}'})]).then((all) =>
        say('asked ' + all.map(({status}) => status).join()));
      try { say('cookie ' + document.cookie); } catch { say('no cookie'); }
      try { say('parent ' + parent.document.title); } catch { say('no parent'); }
    """
    text = f'<p class="label">loadmaster compare</p><title>hostile</title><body><script>{script}</script>'
    (server.folder / "newer" / "report.html").write_text(text)
    page.goto(server.address)
    page.wait_for_url(f"http://127.0.0.1:{server.port}/")
    page.goto(f"http://127.0.0.1:{server.port}/result?at=0/newer")
    body = page.frame_locator("#page").locator("body")
    body.locator("p", has_text="asked").wait_for()
    said = body.inner_text()
    assert "asked rejected,rejected" in said
    assert "no cookie" in said
    assert "no parent" in said
