"""Objects of JSON documents, one by one."""

import json

import pytest

from loadmaster.model import InputError
from loadmaster.traces import json_records as module
from loadmaster.traces.json_records import json_records
from traces.logs import write

JOBS = [{"id": k, "text": "é,}]\n" * k} for k in range(40)]


@pytest.mark.parametrize("piece", [7, 1 << 20])
@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("ascii_", [True, False])
def test_the_objects_of_a_list_come_one_by_one(tmp_path, monkeypatch, piece, indent, ascii_):
    monkeypatch.setattr(module, "_READ", piece)
    document = {"meta": {"jobs": 3}, "errors": [], "jobs": JOBS, "warnings": ["}"]}
    for whole in (document, JOBS):
        path = write(tmp_path, "a.json", json.dumps(whole, indent=indent, ensure_ascii=ascii_))
        assert [job for _, job in json_records(path, ("jobs",))] == JOBS


def test_objects_one_a_line_have_its_number(tmp_path):
    path = write(tmp_path, "a.json", "".join(json.dumps(job) + "\n" for job in JOBS))
    assert list(json_records(path, ("jobs",))) == [(k + 1, job) for k, job in enumerate(JOBS)]


def test_an_empty_list_has_none(tmp_path):
    assert list(json_records(write(tmp_path, "a.json", '{"jobs": []}'), ("jobs",))) == []


@pytest.mark.parametrize(
    "text", ['{"jobs": [{"a": 1}', "[1]", "{,}", '[{"a": 1} {"b"', "[" * 100_000, '{"a": ' + "9" * 5000]
)
def test_what_is_no_such_document_is_refused_in_one_line(tmp_path, text):
    with pytest.raises(InputError) as error:
        list(json_records(write(tmp_path, "a.json", text), ("jobs",)))
    assert "\n" not in str(error.value)
