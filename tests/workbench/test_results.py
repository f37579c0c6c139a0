import json
import os
import platform
from dataclasses import asdict

from benches import compared, simulated

from loadmaster.report.page import Page, write
from loadmaster.results.progress_file import FILE, Progress
from loadmaster.results.values import write_value
from loadmaster.system.process import identity_of
from loadmaster.workbench import results as r
from loadmaster.workbench.served_folders import ServedFolders


def results_in(folder):
    return r.Results(ServedFolders((folder,), folder))


def test_every_kind_of_folder_is_found_with_its_answer_and_those_under_way_come_first(tmp_path):
    compared(tmp_path / "a", {"first-fit": 1.0})
    simulated(tmp_path / "deep" / "er" / "b")
    (tmp_path / "paper").mkdir()
    write(tmp_path / "paper" / "shai2014.html", Page("Shai: 3 hold", [], label="loadmaster reproduce shai2014"))
    (tmp_path / "c").mkdir()
    now = Progress("loadmaster share log.swf", identity_of(os.getpid()), platform.node(), 0.0, cells=4, done=1)
    (tmp_path / "c" / FILE).write_text(json.dumps(asdict(now)))
    (tmp_path / "nothing").mkdir()
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "index.html").write_text("<title>not ours</title>")
    found = {each.shown.partition("/")[2]: each for each in results_in(tmp_path).all()}
    assert {name: each.verb for name, each in found.items()} == {
        "a": "compare",
        "deep/er/b": "simulate",
        "paper": "reproduce",
        "c": "share",
    }
    assert (found["a"].answer, found["a"].page, found["a"].record) == ("mix-fit waits least.", "report.html", False)
    assert (found["paper"].answer, found["paper"].page) == ("Shai: 3 hold", "shai2014.html")
    assert (found["deep/er/b"].page, found["deep/er/b"].made, found["deep/er/b"].record) == ("", True, True)
    assert next(iter(found)) == "c"
    assert found["c"].state.percent == 25
    assert found["c"].subtitle == "loadmaster share log.swf"


def test_a_kept_result_is_known_by_its_own_file_and_its_page_can_be_made(tmp_path):
    write_value(tmp_path, "pack", (1, 2))
    found = results_in(tmp_path).in_folder(tmp_path)
    assert (found.verb, found.page, found.made) == ("pack", "", True)
    for text in ("", "{}", '{"kind": "<script>"}', '{"kind": 3}'):
        (tmp_path / "result.json").write_text(text)
        assert results_in(tmp_path).in_folder(tmp_path) is None


def test_what_has_not_changed_is_not_read_again_and_what_has_is(tmp_path, monkeypatch):
    compared(tmp_path / "a", {"first-fit": 1.0})
    results = results_in(tmp_path)
    before = results.all()
    with monkeypatch.context() as watched:
        watched.setattr(r, "_read", None)
        assert results.all() == before
    compared(tmp_path / "a", {"first-fit": 1.0}, answer="Another answer.")
    assert results.all()[0].answer == "Another answer."


def test_a_page_older_than_its_record_is_made_again(tmp_path):
    simulated(tmp_path)
    write(tmp_path / "report.html", Page("old", [], label="loadmaster simulate"))
    assert results_in(tmp_path).in_folder(tmp_path).page == "report.html"
    later = (tmp_path / "report.html").stat().st_mtime + 5
    os.utime(tmp_path / "run.json", (later, later))
    found = results_in(tmp_path).in_folder(tmp_path)
    assert (found.page, found.answer) == ("", "Under mix-fit a job waits 1 min on average.")


def test_a_link_in_the_place_of_a_page_is_not_followed(tmp_path):
    (tmp_path / "a").mkdir()
    write(tmp_path / "secret.html", Page("secret", [], label="loadmaster compare"))
    (tmp_path / "a" / "report.html").symlink_to(tmp_path / "secret.html")
    assert results_in(tmp_path).in_folder(tmp_path / "a") is None
