import pytest

from loadmaster.workbench.first_comparison import DISCIPLINES, POLICIES, USUAL, arguments_of, choices_of, new_folder
from loadmaster.workbench.refusal import Refused
from loadmaster.workbench.served_folders import ServedFolders

GIVEN = {"log": "a.swf", "hosts": "2x4c8g", "policies": ["first-fit"], "disciplines": ["easy"], "loads": "", "limit": 0}


@pytest.fixture
def places(tmp_path):
    (tmp_path / "logs").mkdir()
    for name in ("a.swf", "machines.csv"):
        (tmp_path / "logs" / name).write_text("x")
    return ServedFolders((tmp_path,), tmp_path)


def test_choices_become_the_arguments_of_one_command(places, tmp_path):
    chosen = choices_of(GIVEN | {"loads": "0.8, 0.9", "limit": 50, "policies": ["mix-fit", "first-fit"]}, places)
    assert arguments_of(chosen, places, tmp_path / "out") == [
        "compare",
        f"{tmp_path}/logs/a.swf",
        "-o",
        f"{tmp_path}/out",
        "--hosts=2x4c8g",
        "--policies=mix-fit,first-fit",
        "--disciplines=easy",
        "--loads=0.8,0.9",
        "--limit=50",
    ]
    assert choices_of(chosen.plain() | {"policies": list(chosen.policies), "disciplines": ["easy"]}, places) == chosen


def test_machines_may_be_a_file_that_was_sent_or_those_of_the_log(places, tmp_path):
    sent = arguments_of(choices_of(GIVEN | {"hosts": "machines.csv"}, places), places, tmp_path)
    assert f"--hosts={tmp_path}/logs/machines.csv" in sent
    none = arguments_of(choices_of(GIVEN | {"hosts": ""}, places), places, tmp_path)
    assert not [each for each in none if each.startswith("--hosts")]


@pytest.mark.parametrize("changed", [
    {"log": "b.swf"}, {"log": "../a.swf"}, {"log": "--help"}, {"log": 3}, {"hosts": "/etc/passwd"},
    {"hosts": "none.csv"},
    {"hosts": "0x4c"}, {"hosts": "9" * 300}, {"hosts": "x" * 500}, {"hosts": "--version"}, {"policies": []},
    {"policies": ["evil.py:run"]}, {"policies": "first-fit"}, {"policies": [["first-fit"]]}, {"policies": None},
    {"policies": ["--on=tcp://evil"]}, {"disciplines": ["evil.py:run+easy"]}, {"loads": "0.8 --on x"}, {"loads": "nan"},
    {"loads": ["0.8"]}, {"limit": -1}, {"limit": "5"}, {"limit": 2.5}, {"limit": True},
])  # fmt: skip
def test_a_choice_that_is_not_offered_is_refused(places, changed):
    with pytest.raises(Refused) as refused:
        choices_of(GIVEN | changed, places)
    assert refused.value.status == 400


def test_all_that_is_offered_is_known_to_compare():
    from loadmaster.runs.kinds import listed

    known = {rule.name for _, rule in listed(None, None)}
    assert {*POLICIES, *DISCIPLINES} <= known
    assert {*USUAL} <= {*POLICIES}


def test_every_comparison_gets_a_folder_of_its_own(places, tmp_path):
    names = [new_folder(places, name).name for name in ("CTC-SP2 (1996).swf.gz", "CTC-SP2 (1996).swf.gz", "ä.csv")]
    assert names == ["CTC-SP2-1996-1", "CTC-SP2-1996-2", "log-1"]
    with pytest.raises(Refused):
        new_folder(places, "../x")
