"""`loadmaster report`: the page of a kept folder."""

import json
import sys

import numpy as np
import pytest
from charts_on_pages import charts_of, headings_of
from live_records import CONDUCT, SETTING, begin, cycle, decided, first, job, live_run

import loadmaster
from loadmaster.cli import main
from loadmaster.model import Cluster, Cycles, Schedule, Workload
from loadmaster.runs import Case, Setting
from loadmaster.runs.record import Record, write_record

HOSTILE = "</script><script>alert(1)</script><b>"


@pytest.fixture
def written(tmp_path, monkeypatch, capsys):
    """Exit code, stdout and stderr of `report` on a folder with these files; lists are lines of JSON."""
    monkeypatch.chdir(tmp_path)

    def report(files, *options):
        folder = tmp_path / "d"
        folder.mkdir(exist_ok=True)
        for name, content in files.items():
            lines = content if isinstance(content, str) else "".join(json.dumps(line) + "\n" for line in content)
            (folder / name).write_text(lines)
        monkeypatch.setattr(sys, "argv", ["loadmaster", "report", "d", *options])
        with pytest.raises(SystemExit) as ended:
            main()
        return ended.value.code, *capsys.readouterr()

    return report


def test_a_live_folder_gives_its_page_and_says_where_it_is(written, tmp_path):
    code, out, _ = written({"live.jsonl": live_run()})
    assert code == 0
    assert out.splitlines()[0].startswith("In 20 s 1 of 2 jobs began, after 15 s of waiting. ")
    assert "refused 1 time (1 busy)" in out
    assert out.splitlines()[1] == "d/report.html"
    text = (tmp_path / "d" / "report.html").read_text(encoding="utf-8")
    for section in (
        "The queue over time",
        "How long jobs waited",
        "The hosts",
        "What the engine refused",
        "How this was made",
    ):
        assert any(title.startswith(section) for title in headings_of(text))


def test_the_figures_are_those_of_the_record(written):
    live = json.loads(written({"live.jsonl": live_run()}, "--json")[1])["live"]
    assert (live["jobs"], live["began"], live["by_others"], live["waiting"]) == (2, 1, 0, 1)
    assert (live["mean_wait_s"], live["longest_waiting_s"], live["refusals"]) == (15.0, 30.0, {"busy": 1})


def test_the_page_goes_where_it_is_asked_to(written, tmp_path):
    assert written({"live.jsonl": live_run()}, "-o", "p.html")[0] == 0
    assert (tmp_path / "p.html").is_file()
    assert not (tmp_path / "d" / "report.html").exists()


def test_a_shadow_says_how_far_the_site_agreed(written, tmp_path):
    code, out, _ = written({"live.jsonl": live_run(mode="shadow")})
    assert code == 0
    assert "of the site's 1 start it would have made 100 % in the same cycle, 100 % on the same hosts" in out
    assert "Agreement with the site" in (tmp_path / "d" / "report.html").read_text(encoding="utf-8")


def test_a_meta_rule_shows_whom_it_followed(written):
    options = [["first-fit", 1, 1.0], ["mix-fit", 2, 2.0]]
    chose = decided(("j1", "a"), winners=2, chosen=1, options=options)
    lines = [begin(), cycle(0.0, first({"j1": job(995.0)}), chose, asked=[("j1", "a")]), cycle(10.0, {})]
    followed = json.loads(written({"live.jsonl": lines}, "--json")[1])["live"]["followed"]
    assert [tuple(each.values()) for each in followed] == [("mix-fit", 1, 1, 1)]


def test_a_run_that_has_not_ended_says_so(written, tmp_path):
    assert written({"live.jsonl": live_run()[:-1]})[0] == 0
    assert "Its loop died, and did not say how it ended." in (tmp_path / "d" / "report.html").read_text(
        encoding="utf-8"
    )


def test_names_of_jobs_and_hosts_and_words_of_engines_are_escaped(written, tmp_path):
    lines = live_run(name=HOSTILE, host=HOSTILE, text=HOSTILE)
    about = {"setting": {**SETTING, "policy": HOSTILE}, "command": HOSTILE, "engine": HOSTILE}
    assert written({"live.jsonl": [begin(**about), *lines[1:]]})[0] == 0
    text = (tmp_path / "d" / "report.html").read_text(encoding="utf-8")
    page = text.partition('<script type="text/plain" id="specs">')[0]
    assert "<b>" not in page
    assert "<script" not in page
    assert "&lt;script&gt;alert(1)" in page
    assert "alert(1)" in json.dumps(charts_of(text))


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ({}, "no result of loadmaster here"),
        ({"live.jsonl": ""}, "no record of a live run here"),
        ({"live.jsonl": "nonsense\n\x00"}, "no record of a live run here"),
        ({"live.jsonl": [{"begin": 1}]}, "this live record is damaged"),
        ({"live.jsonl": [begin()]}, "nothing was observed in it yet"),
        ({"live.jsonl": [begin(conduct=7)]}, "this live record is damaged"),
        ({"live.jsonl": [begin(), {"cycle": 0.0, "seen": {"at_s": 1.0, "new": {"x": 3}}}]}, "live record is damaged"),
        ({"live.jsonl": [begin(), cycle(float("nan"), first({}))]}, "this live record is damaged"),
        ({"live.jsonl": [begin(), {"cycle": 0.0, "seen": []}]}, "this live record is damaged"),
        ({"live.jsonl": [begin(setting={"policy": {}, "discipline": [[]]}, conduct=CONDUCT | {"interval_s": "x"})]},
         "live record is damaged"),
        ({"run.json": "{}"}, "this run record is damaged"),
        ({"run.json": "[]"}, "this run record is damaged"),
        ({"log.jsonl": ""}, "this bag has not ended"),
        ({"results.sqlite": "", "report.html": "kept"}, "its page is d/report.html"),
    ],
)  # fmt: skip
def test_a_folder_without_a_sound_record_is_refused_in_one_line(written, files, words):
    code, out, err = written(files)
    assert (code, out) == (2, "")
    assert words in err
    assert err.count("\n") == 1
    assert len(err) < 320


def test_the_page_of_any_kept_result_is_written_once_more(tmp_path, monkeypatch, capsys):
    page = loadmaster.pack(loadmaster.generate.virtual_clusters(hosts=2, tasks=4), out=tmp_path / "d")
    monkeypatch.setattr(sys, "argv", ["loadmaster", "report", str(tmp_path / "d"), "--json"])
    with pytest.raises(SystemExit) as ended:
        main()
    made = json.loads(capsys.readouterr().out)
    assert (ended.value.code, made["kind"], made["answer"]) == (0, "pack", page.answer)
    assert page.answer in (tmp_path / "d" / "report.html").read_text(encoding="utf-8")


def test_a_page_that_is_there_stays_where_none_can_be_made(written, tmp_path):
    written({"results.sqlite": "", "report.html": "kept"})
    assert (tmp_path / "d" / "report.html").read_text() == "kept"


def test_no_folder_and_a_file_are_refused(tmp_path, monkeypatch, capsys):
    (tmp_path / "f").write_text("")
    for name, words in (("f", "this is a file"), ("g", "no such folder")):
        monkeypatch.setattr(sys, "argv", ["loadmaster", "report", str(tmp_path / name)])
        with pytest.raises(SystemExit) as ended:
            main()
        assert ended.value.code == 2
        assert words in capsys.readouterr().err


def test_every_chart_of_a_live_page_is_a_valid_specification(written, tmp_path):
    import vl_convert

    options = [["first-fit", 1, 1.0], ["mix-fit", 2, 2.0]]
    lines = live_run(mode="shadow")
    lines[1]["passes"][0] |= {"winners": 2, "chosen": 1, "options": options}
    written({"live.jsonl": lines})
    text = (tmp_path / "d" / "report.html").read_text(encoding="utf-8")
    specs = charts_of(text)
    assert len(specs) == 6
    for spec in specs:
        assert "<svg" in vl_convert.vegalite_to_svg(spec)


def test_a_run_record_that_somebody_changed_is_refused_in_one_line(written, tmp_path):
    work = Workload.of(submit_s=[0, 1], runtime_s=[5, 5], cores=[1, 1])
    counts = np.array([1, 1])
    cycles = Cycles(np.array([0.0, 5.0]), counts, counts, counts * 0)
    schedule = Schedule(np.array([0.0, 5.0]), np.array([0, 0]), cycles)
    case = Case(work, Cluster.uniform(1, cores=1))
    write_record(tmp_path / "d", Record(case, Setting("first-fit"), work, schedule, {}))
    assert written({})[0] == 0
    about = json.loads((tmp_path / "d" / "run.json").read_text())
    for changed in (about | {"notes": [7]}, about | {"setting": about["setting"] | {"beta": 0}}):
        code, _, err = written({"run.json": json.dumps(changed)})
        assert (code, err.count("\n")) == (2, 1)
        assert "damaged" in err
