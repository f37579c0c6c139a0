"""A page that a command made says that command, as one types it in a shell."""

import sys

import pytest

import loadmaster as lm
from loadmaster.cli import main


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tasks.csv").write_text("name,cores,memory_gb\na,2,2\nb,1,1\n")
    (tmp_path / "state.csv").write_text("name,cores,memory_gb,host\na,2,2,0\nb,1,1,0\n")
    lm.simulate(lm.generate.netbatch(jobs=40, hosts=2, seed=1)).save("run")
    return tmp_path


@pytest.mark.parametrize("command", [
    "pack tasks.csv --hosts 2x4c8g -o made", "rebalance state.csv --hosts 2x2c8g -o made",
    "explain run 1 -o made", "share --methods pvm --limit 60 -o made",
])  # fmt: skip
def test_the_page_of_a_command_names_that_command(folder, monkeypatch, command):
    monkeypatch.setattr(sys, "argv", ["loadmaster", *command.split()])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code in (0, None)
    assert f"<dt>command</dt><dd>loadmaster {command}</dd>" in (folder / "made" / "report.html").read_text()
