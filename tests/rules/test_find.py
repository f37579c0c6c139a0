import sys
from pathlib import Path

import pytest

from loadmaster.model import InputError
from loadmaster.rules.find import Reference, sources
from loadmaster.rules.self_contained_text import text_alone

RULE = "def rule(demand, free, capacity):\n    return free[0]\n"


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("mine.py").write_text(RULE)
    return tmp_path


@pytest.mark.parametrize(
    ("spec", "path", "name"),
    [("mine.py:rule", "mine.py", "rule"), ("C:\\mine.py:rule", "C:\\mine.py", "rule"), ("a:b:c", "a:b", "c")],
)
def test_what_is_behind_the_last_colon_is_the_function(spec, path, name):
    assert Reference.of(spec) == Reference(path, name)
    assert str(Reference.of(spec)) == spec


@pytest.mark.parametrize("spec", ["mine.py", "mine.py:", ":rule"])
def test_half_a_reference_is_refused(spec):
    with pytest.raises(InputError, match=r"write file\.py:function"):
        Reference.of(spec)


def test_the_sources_of_several_specs_are_the_texts_of_their_files(here):
    assert sources("mine.py:rule", "mix-fit", "mine.py:other") == {"mine.py": RULE}


def test_the_same_text_gives_the_same_function_and_another_text_another(here):
    reference = Reference("mine.py", "rule")
    first = reference.function()
    assert reference.function() is first
    Path("mine.py").write_text(RULE.replace("free[0]", "-free[0]"))
    assert reference.function() is not first
    assert reference.function(RULE) is first


def test_a_function_is_written_down_from_the_text_that_made_it_though_another_bears_its_file_name(here):
    reference = Reference("mine.py", "rule")
    first, later = reference.function(), reference.function("\n" + RULE.replace("free[0]", "-free[0]"))
    assert "return free[0]" in text_alone(first)
    assert "return -free[0]" in text_alone(later)


def test_two_files_of_one_name_do_not_meet(here):
    Path("sub").mkdir()
    Path("sub/mine.py").write_text(RULE.replace("free[0]", "free[1]"))
    one, other = Reference("mine.py", "rule").function(), Reference("sub/mine.py", "rule").function()
    assert (one(None, [1, 2], None), other(None, [1, 2], None)) == (1, 2)


def test_a_text_is_run_without_a_file_of_it_being_written(here, monkeypatch):
    import tempfile

    monkeypatch.setattr(tempfile, "mkdtemp", None)
    before = set(here.rglob("*"))
    assert Reference("gone.py", "rule").function(RULE)(None, [7], None) == 7
    assert set(here.rglob("*")) == before


def test_what_a_file_prints_as_it_is_imported_stays_off_stdout(here, capsys):
    Path("loud.py").write_text("print('hello')\n" + RULE)
    Reference("loud.py", "rule").function()
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    ("text", "name", "says"),
    [
        (RULE, "rul", "mine.py: 'rul': no such function; did you mean rule?"),
        (RULE, "zebra", "mine.py: 'zebra': no such function; name a function of this file"),
        ("rule = 7\n", "rule", "mine.py: 'rule': not a function but an int"),
        ("class rule: pass\n", "rule", "mine.py: 'rule': not a function but a class"),
        ("import nothing_of_this_name\n", "rule", "'mine.py': this file cannot be imported: ModuleNotFoundError"),
        ("import sys\nsys.exit(3)\n", "rule", "'mine.py': this file cannot be imported: SystemExit: 3"),
        ("raise ValueError('x' * 9999)\n", "rule", "'mine.py': this file cannot be imported: ValueError: xxx"),
    ],
)
def test_what_cannot_be_had_is_refused_in_one_short_line(here, text, name, says):
    Path("mine.py").write_text(text)
    modules = set(sys.modules)
    with pytest.raises(InputError) as stop:
        Reference("mine.py", name).function()
    assert str(stop.value).startswith(says)
    assert len(str(stop.value)) < 300
    assert "cannot be imported" not in says or set(sys.modules) == modules


@pytest.mark.parametrize(("content", "says"), [(None, "no such file"), (b"\xff\xfe\x00", "not a Python file")])
def test_what_is_no_python_file_is_named(here, content, says):
    if content is not None:
        Path("bad.py").write_bytes(content)
    with pytest.raises(InputError, match=f"'bad.py': {says}"):
        Reference("bad.py", "rule").function()


def test_a_function_that_is_compiled_already_is_taken_as_the_python_that_it_was(here):
    Path("mine.py").write_text("from numba import njit\n\n@njit\n" + RULE)
    assert Reference("mine.py", "rule").function()(None, [3], None) == 3
