"""`loadmaster live cgroup`: what a person types, and every mistake in one line."""

import json
import signal
import subprocess
import sys
import time

import pytest

from loadmaster.cli import main
from loadmaster.live.cgroup import groups
from loadmaster.live.cgroup.groups import groups_named, why_not
from loadmaster.live.cgroup.tree import name_of
from loadmaster.model import InputError
from loadmaster.system.process import usable_cores
from loadmaster.verbs import live_cgroup
from loadmaster.verbs.commands_with_needs import read_batch
from loadmaster.verbs.live_cgroup import this_box

real = pytest.mark.skipif(bool(why_not()), reason=why_not() or "they can be made")
LOADMASTER = [sys.executable, "-m", "loadmaster"]


def typed(*words, cwd):
    return subprocess.run(
        [*LOADMASTER, *map(str, words)], cwd=cwd, capture_output=True, text=True, timeout=120, check=False
    )


@real
def test_a_table_of_commands_runs_and_its_decisions_are_taken_again_alike(tmp_path):
    (tmp_path / "work.csv").write_text("name,command,cores,memory_mb\na,echo hi,1,10\nb,exit 4,0.5,10\n")
    done = typed("live", "cgroup", "work.csv", "--hosts", "1x1c1g", "--json", cwd=tmp_path)
    assert done.returncode == 1, done.stderr
    said = json.loads(done.stdout)
    assert [(row["name"], row["status"], row["exit_code"]) for row in said["rows"]] == [
        ("a", "ok", 0),
        ("b", "failed", 4),
    ]
    assert (tmp_path / "live/commands/1/stdout").read_text() == "hi\n"
    checked = typed("live", "--check", "live", "--json", cwd=tmp_path)
    assert checked.returncode == 0
    assert json.loads(checked.stdout)["same"] == json.loads(checked.stdout)["decisions"]
    again = typed("live", "cgroup", "work.csv", "--hosts", "1x1c1g", "--json", cwd=tmp_path)
    assert json.loads(again.stdout)["starts"] == 0


@real
def test_ctrl_c_ends_what_runs_and_leaves_no_group(tmp_path):
    (tmp_path / "work.txt").write_text("echo run > ran; sleep 1000\n")
    with subprocess.Popen([*LOADMASTER, "live", "cgroup", "work.txt"], cwd=tmp_path, stderr=subprocess.PIPE) as running:
        end = time.monotonic() + 60
        while not (tmp_path / "ran").exists():
            assert time.monotonic() < end
            time.sleep(0.05)
        running.send_signal(signal.SIGINT)
        assert running.wait(60) == 130
    assert name_of(tmp_path / "live") not in groups_named("loadmaster-shares-")


@real
def test_needs_for_a_plain_file_are_refused_beside_a_table(tmp_path):
    (tmp_path / "work.csv").write_text("command,cores\necho,1\n")
    done = typed("live", "cgroup", "work.csv", "--cores", "2", cwd=tmp_path)
    assert done.returncode == 2
    assert len(done.stderr.strip().splitlines()) == 1


@pytest.mark.parametrize("mounts", ["x / ext4 rw 0 0\n", "x /proc cgroup rw,cpu,cpuacct 0 0\n"])
def test_where_no_group_can_be_made_it_says_so_in_one_line(tmp_path, monkeypatch, capsys, mounts):
    (tmp_path / "mounts").write_text(mounts)
    (tmp_path / "work.txt").write_text("echo\n")
    monkeypatch.setattr(groups, "MOUNTS", tmp_path / "mounts")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["loadmaster", "live", "cgroup", "work.txt"])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 2
    assert len(capsys.readouterr().err.strip().splitlines()) == 1


@pytest.mark.parametrize(
    ("table", "wrong"),
    [
        ("name,cores\na,1\n", "no column command"), ("command,cores,tasks\necho,1,2\n", "not served"),
        ("command,cores\n,1\n", "needs a shell command"), ("command,cores\necho,0\n", "needs a part of a core"),
        ("command,cores,memory_gb\necho,1,9999999\n", "no machine"), ("command,cores,gpus\necho,1,1\n", "do not have"),
    ],
)  # fmt: skip
def test_a_table_that_breaks_a_rule_is_refused(tmp_path, table, wrong):
    path = tmp_path / "work.csv"
    path.write_text(table)
    with pytest.raises(InputError, match=wrong):
        read_batch(path, this_box("1x1c1g"), 1.0, "")


def test_a_plain_file_asks_for_the_same_everywhere(tmp_path):
    path = tmp_path / "work.txt"
    path.write_text("# two\necho 1\n\necho 2\n")
    batch, _ = read_batch(path, this_box("1x1c1g"), 0.5, "100MB")
    assert batch.commands == ("echo 1", "echo 2")
    assert batch.demand.tolist() == [[0.5, 100 * 2**20]] * 2


def test_this_box_can_be_parted_into_no_more_than_it_is():
    assert this_box(None).names == ("here",)
    assert this_box("1x1c1g").names == ("machine0",)
    with pytest.raises(InputError, match="this box has"):
        this_box(f"{usable_cores() + 1}x1c1g")


def test_methods_that_let_everybody_in_have_no_least_share():
    assert live_cgroup._least("pvm", None) == 0.0
    assert live_cgroup._least("fractional", None) == 0.1
    assert live_cgroup._least("mcb8", 0.3) == 0.3
