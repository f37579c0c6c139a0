import json

import pytest

from loadmaster.workbench.json_lines import LONGEST, events_in, first_line, last_lines, object_in


def test_the_ends_of_a_long_file_are_read_without_its_middle(tmp_path):
    path = tmp_path / "l.jsonl"
    path.write_text("".join(json.dumps({"n": n, "fill": "x" * 100}) + "\n" for n in range(10_000)) + '{"half": ')
    assert first_line(path)["n"] == 0
    last = last_lines(path)
    assert [line["n"] for line in last] == list(range(10_000 - len(last), 10_000))
    assert 1000 < len(last) < LONGEST / 100


@pytest.mark.parametrize("text", ["", "[]", "{", "3", "[" * 200_000, "\xff"])
def test_what_is_no_object_is_an_empty_one(tmp_path, text):
    path = tmp_path / "f"
    path.write_text(text, encoding="latin-1")
    assert (first_line(path), object_in(path), last_lines(path)) == ({}, {}, [])


def test_an_object_that_is_too_large_is_not_read(tmp_path):
    path = tmp_path / "f"
    path.write_text('{"a": "bcd"}')
    assert object_in(path) == {"a": "bcd"}
    assert object_in(path, 11) == {}


def test_of_a_bag_each_command_that_has_ended_counts_once(tmp_path):
    path = tmp_path / "log.jsonl"
    lines = [
        {"session": 1, "commands": ["a", "b", "c"]},
        {"event": "finished", "task": 1, "exit": 1},
        {"event": "finished", "task": 1, "exit": 0},
        {"event": "given-up", "task": 3},
        {"event": "started", "task": 2},
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert events_in(path) == (2, 3)
