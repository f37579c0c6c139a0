"""The harness that throws broken input at the command line: a slice of it runs with every test run."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FUZZ = ROOT / "tools" / "fuzz"
KINDS = ("readers", "options", "stores", "states", "sites", "deep")


@pytest.fixture
def harness(monkeypatch):
    """The harness' modules by name."""
    monkeypatch.syspath_prepend(str(FUZZ))
    import cases
    import deep
    import readers
    import states
    import verdict

    return {module.__name__: module for module in (cases, deep, readers, states, verdict)}


def test_a_slice_of_every_kind_shows_no_fault():
    done = subprocess.run(
        [sys.executable, str(FUZZ), "--cases", "12", "--first", "1", "--seed", "9"],
        capture_output=True,
        text=True,
        timeout=1800,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert all(f"{kind}: 12 cases" in done.stdout for kind in KINDS), done.stdout
    assert "72 cases (12 deep), 0 tracebacks, 0 hangs, 0 wrong" in done.stdout


def test_of_all_cases_together_a_third_is_deep():
    done = subprocess.run(
        [sys.executable, str(FUZZ), "--total", "20", "--cold", "--minutes", "0"], capture_output=True, text=True
    )
    assert "{'deep': 7, 'readers': 3, 'options': 3, 'stores': 3, 'states': 2, 'sites': 2}" in done.stdout
    assert "0 cases (0 deep), 0 tracebacks, 0 hangs" in done.stdout


@pytest.mark.parametrize("kind", ["readers", "states", "deep"])
def test_a_case_is_made_from_its_seed_and_number_alone(harness, kind, tmp_path):
    draw, make = harness["cases"].draw, harness[kind].make
    for number in range(20):
        made = []
        for folder in (tmp_path / "one", tmp_path / "two"):
            case = draw(make, kind, 5, number, folder)
            files = {path.name: path.read_bytes() for path in folder.iterdir()}
            made.append((case.arguments, files))
        assert made[0] == made[1]


@pytest.mark.parametrize(
    ("code", "out", "err", "fault"),
    [
        (70, "", "Traceback (most recent call last):\nKeyError: 3", "a traceback"),
        (3, "", "", "exit code 3"),
        (-1, "", "", "died"),
        (-2, "", "", "still running"),
        (2, "", "oops", "without saying why"),
        (2, "", "loadmaster: " + "x" * 500, "a refusal of"),
        (0, '{"load": Infinity}', "", "no JSON"),
        (0, "rows\n", "", "no JSON"),
        (0, "", "", "no JSON"),
    ],
)
def test_what_is_wrong_is_said(harness, tmp_path, code, out, err, fault):
    case = harness["cases"].Case(tmp_path, ("compare", "--json"))
    found = harness["verdict"].faults(case, harness["cases"].Result(code, out, err, 1.0))
    assert any(fault in sentence for sentence in found)


def test_an_honest_refusal_and_strict_json_are_sound(harness, tmp_path):
    case, result = harness["cases"].Case(tmp_path, ("compare", "--json")), harness["cases"].Result
    (tmp_path / "size.json").write_text(json.dumps({"cost": None, "note": "NaN is not a number"}))
    assert harness["verdict"].faults(case, result(2, "", "loadmaster: none.csv: no such file", 1.0)) == []
    assert harness["verdict"].faults(case, result(1, '{"rows": []}', "", 1.0)) == []
    (tmp_path / "log.json").write_text('{"cost": NaN}')
    assert harness["verdict"].faults(case, result(1, '{"rows": []}', "", 1.0)) != []
