import asyncio
import sys

import pytest

from loadmaster.system.process import identity_of
from loadmaster.workbench import command_queries
from loadmaster.workbench.refusal import Refused


def ask(monkeypatch, folder, code, patience_s=60.0):
    monkeypatch.setattr(command_queries, "PROGRAM", ("-c",))
    return asyncio.run(command_queries.CommandQueries().ask([code], folder, patience_s))


def test_the_document_that_a_command_prints_is_the_answer(tmp_path, monkeypatch):
    assert ask(monkeypatch, tmp_path, "print('{\"jobs\": 3}')") == {"jobs": 3}


def test_what_the_command_refuses_is_refused_in_its_words(tmp_path, monkeypatch):
    code = "import sys; print('note', file=sys.stderr); sys.exit('loadmaster: x: not a log')"
    with pytest.raises(Refused, match=r"^x: not a log$"):
        ask(monkeypatch, tmp_path, code)
    with pytest.raises(Refused, match="gave no answer"):
        ask(monkeypatch, tmp_path, "print('[1]')")


def test_a_command_that_takes_too_long_is_stopped(tmp_path, monkeypatch):
    code = "import os, time; open('pid', 'w').write(str(os.getpid())); time.sleep(60)"
    with pytest.raises(Refused, match="took longer"):
        ask(monkeypatch, tmp_path, code, 3.0)
    assert identity_of(int((tmp_path / "pid").read_text())) == ""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux limits the memory of another process")
def test_a_command_that_wants_more_memory_than_is_free_fails_alone(tmp_path, monkeypatch):
    monkeypatch.setattr(command_queries, "free_memory_bytes", lambda: 1 << 28)
    code = "import time; time.sleep(0.5); print('{\"bytes\": %d}' % len(bytearray(1 << 30)))"
    with pytest.raises(Refused, match="MemoryError"):
        ask(monkeypatch, tmp_path, code)
