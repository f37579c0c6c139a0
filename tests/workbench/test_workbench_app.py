import json
import time

import pytest
from benches import HOSTILE, TOKEN, bench_over, client_of, compared, simulated

from loadmaster.workbench import child_processes as c
from loadmaster.workbench.command_queries import CommandQueries
from loadmaster.workbench.guard import PAGE
from loadmaster.workbench.refusal import Refused

INFO = {
    "sentence": "3 jobs.",
    "notes": ["a note"],
    "left_out": [{"reason": "no runtime", "count": 2}],
    "cluster": None,
    "jobs": 3,
}
WHY = {
    "sentences": ["Job 7 waited.", "", "Why host h", HOSTILE],
    "demand": {"cores": 1.0, "memory": 2.0**30},
    "hosts": ["h"],
    "choice": {"rated": 9, "hosts": [{"host": "h", "score": 1.5, "free": {"cores": 3.0, "memory": 2.0**31}}]},
}
CHOICES = {
    "log": "a.csv",
    "hosts": "2x4c8g",
    "policies": ["first-fit"],
    "disciplines": ["easy"],
    "loads": "",
    "limit": 0,
}


@pytest.fixture
def asked(monkeypatch):
    """Answers in the place of child processes, by verb; what was asked is listed."""
    answers, questions = {"info": INFO, "explain": WHY}, []

    async def ask(_self, arguments, _folder, _patience_s=0.0):
        questions.append(arguments)
        answer = answers[arguments[0]]
        if isinstance(answer, Refused):
            raise answer
        return answer

    monkeypatch.setattr(CommandQueries, "ask", ask)
    return answers, questions


@pytest.fixture
def sleeping(tmp_path, monkeypatch):
    monkeypatch.setattr(c, "PROGRAM", ("-c", "import time; time.sleep(60)", "loadmaster"))
    bench = bench_over(tmp_path)
    yield bench
    bench.children.stop_all(5.0)


def test_the_overview_lists_results_and_never_their_markup(tmp_path):
    compared(tmp_path / "a", {HOSTILE: 1.0}, answer=HOSTILE)
    compared(tmp_path / "<b> & 'c'", {"x": 1.0})
    text = client_of(bench_over(tmp_path)).get("/").text
    assert "<script>alert" not in text
    assert text.count("&lt;/script&gt;&lt;script&gt;alert(1)") == 2
    assert 'href="/result?at=0/%3Cb%3E%20%26%20%27c%27"' in text
    assert TOKEN.csrf in text
    assert TOKEN.text not in text


def test_the_rows_are_sent_only_if_they_have_changed(tmp_path):
    compared(tmp_path / "a", {"x": 1.0})
    client = client_of(bench_over(tmp_path))
    first = client.get("/rows")
    assert client.get("/rows", headers={"if-none-match": first.headers["etag"]}).status_code == 304
    compared(tmp_path / "b", {"x": 1.0})
    assert client.get("/rows", headers={"if-none-match": first.headers["etag"]}).text.count("<tr") == 2


def test_the_page_of_a_result_is_shut_in_whatever_stands_in_it(tmp_path):
    (compared(tmp_path / "a", {"x": 1.0}) / "report.html").write_text(
        f'<p class="label">loadmaster compare</p>{HOSTILE}'
    )
    client = client_of(bench_over(tmp_path))
    answer = client.get("/page?at=0/a")
    assert answer.headers["content-security-policy"] == PAGE
    assert PAGE.startswith("sandbox allow-scripts; default-src 'none';")
    assert "allow-same-origin" not in PAGE
    assert 'sandbox="allow-scripts" src="/page?at=0/a"' in client.get("/result?at=0/a").text
    assert "<script>alert" not in client.get("/result?at=0/a").text


def test_a_result_that_was_never_there_is_not_found_and_one_outside_is_refused(tmp_path):
    (tmp_path / "served").mkdir()
    compared(tmp_path / "secret", {"x": 1.0})
    (tmp_path / "served" / "link").symlink_to(tmp_path / "secret")
    client = client_of(bench_over(tmp_path / "served"))
    for path in ("result", "page", "state"):
        assert client.get(f"/{path}?at=0/none").status_code == 404
        assert client.get(f"/{path}?at=0/../secret").status_code == 400
        assert client.get(f"/{path}?at=0/link").status_code == 403
    for path in (
        "/parts/../../server.py",
        "/parts/%2e%2e%2fserver.py",
        "/parts/workbench.css",
        "/..%2f..%2fetc/passwd",
    ):
        assert client.get(path).status_code == 404


def test_how_a_result_stands_is_told_for_the_page_that_is_open(tmp_path):
    compared(tmp_path / "a", {"x": 1.0})
    told = client_of(bench_over(tmp_path)).get("/state?at=0/a").json()
    assert told["state"] == "done"
    assert told["page"].startswith("report.html-")


def test_any_job_of_a_kept_run_has_a_page_that_says_why(tmp_path, asked):
    simulated(tmp_path / "a")
    client = client_of(bench_over(tmp_path))
    assert '<a href="/why?at=0/a&amp;job=8">8</a>' in client.get("/result?at=0/a").text
    text = client.get("/why?at=0/a&job=7").text
    assert asked[1] == [["explain", "--json", "--", str(tmp_path / "a"), "7"]]
    assert "<h2>Why host h</h2>" in text
    assert "<script>alert" not in text
    assert "2 GiB" in text
    assert "8 more with higher scores" in text
    asked[0]["explain"] = Refused(422, "this record carries Python; --trust runs it")
    assert "carries Python" in client.get("/why?at=0/a&job=7").text


@pytest.mark.parametrize("job", ["", "x", "1 2", "--trust", "9" * 30, "1.5"])
def test_a_job_is_named_by_a_number_alone(tmp_path, asked, job):
    simulated(tmp_path / "a")
    assert client_of(bench_over(tmp_path)).get("/why", params={"at": "0/a", "job": job}).status_code == 400
    assert asked[1] == []


def test_two_results_stand_side_by_side(tmp_path):
    compared(tmp_path / "a", {"x": 100.0})
    compared(tmp_path / "b", {"x": 50.0})
    text = client_of(bench_over(tmp_path)).get("/beside?first=0/a&second=0/b").text
    assert '<td class="good">−50 %</td>' in text


def test_a_log_is_sent_and_shown_by_what_info_says(tmp_path, asked):
    client = client_of(bench_over(tmp_path))
    assert client.post("/upload?name=a.csv", content=b"job_id\n1\n").json() == {"log": "a.csv"}
    assert (tmp_path / "logs" / "a.csv").read_bytes() == b"job_id\n1\n"
    text = client.get("/log?name=a.csv").text
    assert "3 jobs." in text
    assert "2: no runtime" in text
    assert asked[1] == [["info", "--json", "--", str(tmp_path / "logs" / "a.csv")]]
    assert client.get("/log?name=../a.csv").status_code == 400
    assert client.get("/log?name=b.csv").status_code == 404
    asked[0]["info"] = Refused(422, "'a.csv': not a log")
    assert "This file cannot be read as a log: &#39;a.csv&#39;: not a log" in client.get("/log?name=a.csv").text


def test_too_large_a_file_is_refused_in_one_line_and_nothing_is_left(tmp_path):
    client = client_of(bench_over(tmp_path, max_upload=10))
    answer = client.post("/upload?name=a.csv", content=b"x" * 11, headers={"accept": "application/json"})
    assert answer.status_code == 413
    assert answer.json()["why"].startswith("larger than 10 B")
    assert client.post("/upload?name=..%2Fa.csv", content=b"x").status_code == 400
    assert list(tmp_path.rglob("*.csv*")) == []


def test_a_comparison_is_started_watched_stopped_and_gone_on_with(tmp_path, sleeping):
    client = client_of(sleeping)
    client.post("/upload?name=a.csv", content=b"x")
    at = client.post("/start", content=json.dumps(CHOICES)).json()["at"]
    assert at == "0/a-1"

    assert client.get(f"/state?at={at}").json()["state"] == "runs"
    assert "Stop, and keep finished runs" in client.get(f"/result?at={at}").text
    assert client.post(f"/go-on?at={at}").status_code == 409
    assert client.post(f"/stop?at={at}&at_once=yes").status_code == 200
    end = time.monotonic() + 20
    while client.get(f"/state?at={at}").json()["state"] == "runs" and time.monotonic() < end:
        time.sleep(0.05)
    assert client.get(f"/state?at={at}").json()["state"] == "stopped"
    assert "Continue" in client.get(f"/result?at={at}").text
    assert client.post(f"/go-on?at={at}").json()["at"] == at
    assert client.get(f"/state?at={at}").json()["state"] == "runs"


def test_a_folder_that_came_from_elsewhere_starts_nothing_but_what_is_offered(tmp_path, sleeping):
    folder = tmp_path / "evil"
    folder.mkdir()
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "a.csv").write_text("x")
    for changed in ({"policies": ["evil.py:run"]}, {"log": "/etc/passwd"}, {"hosts": "/etc/passwd"}):
        content = {"process": "1.1", "started_s": 1.0, "choices": CHOICES | changed}
        (folder / c.FILE).write_text(json.dumps(content))
        assert client_of(sleeping).post("/go-on?at=0/evil").status_code == 400
    assert sleeping.children.running() == []


@pytest.mark.parametrize("body", [b"", b"[]", b"{", b'{"log": 3}', b"[" * 9000, b"x" * (1 << 15)])
def test_choices_that_are_none_start_nothing(tmp_path, body):
    client = client_of(bench_over(tmp_path))
    assert client.post("/start", content=body).status_code in (400, 413)
    assert list(tmp_path.iterdir()) == []


def test_a_workbench_that_only_looks_changes_nothing(tmp_path):
    compared(tmp_path / "a", {"x": 1.0})
    client = client_of(bench_over(tmp_path, read_only=True))
    for path in ("/upload?name=a.csv", "/start", "/stop?at=0/a", "/go-on?at=0/a"):
        assert client.post(path, content=b"x").status_code == 403
    assert "Compare a log" not in client.get("/").text
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


def test_nothing_is_written_outside_of_the_work_folder(tmp_path, sleeping, monkeypatch):
    served, work = tmp_path / "served", tmp_path / "work"
    compared(served / "a", {"x": 1.0})
    work.mkdir()
    bench = bench_over(served, work, work=work)
    before = sorted(path for path in served.rglob("*"))
    client = client_of(bench)
    client.post("/upload?name=a.csv", content=b"x")
    assert client.post("/start", content=json.dumps(CHOICES)).json()["at"] == "1/a-1"
    bench.children.stop_all(5.0)
    assert sorted(path for path in served.rglob("*")) == before
    assert {path.name for path in work.iterdir()} == {"logs", "a-1"}


def test_what_fails_within_says_nothing_of_how(tmp_path, monkeypatch):
    bench = bench_over(tmp_path)
    monkeypatch.setattr(type(bench.results), "all", lambda _self: 1 / 0)
    answer = client_of(bench, raise_server_exceptions=False).get("/")
    assert answer.status_code == 500
    assert "something failed here" in answer.text
    assert "ZeroDivision" not in answer.text
