"""Commands in real control groups: CPU time and what is left behind are asserted, never seconds."""

import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from loadmaster.live.cgroup.command import outcome_in
from loadmaster.live.cgroup.engine import CgroupEngine
from loadmaster.live.cgroup.groups import groups_named, make_group, why_not
from loadmaster.live.cgroup.tree import PREFIX, clean_up, name_of
from loadmaster.live.session.clocks import RealClock
from loadmaster.live.session.engine import RUNNING
from loadmaster.live.shares.batch import Batch
from loadmaster.live.shares.check import check_shares
from loadmaster.live.shares.config import SharesConfig
from loadmaster.live.shares.method_names import share_method_named
from loadmaster.live.shares.run_under_shares import run_under_shares
from loadmaster.model import Cluster, InputError
from loadmaster.model.actions import Cap, Move, Start, Stop

pytestmark = pytest.mark.skipif(bool(why_not()), reason=why_not() or "they can be made")

SPIN = f"exec {sys.executable} -c 'while True: pass'"
PATIENCE_S = 60.0


def commands(*texts, machines=2, cores=0.5):
    names = tuple(str(row + 1) for row in range(len(texts)))
    demand = np.tile([cores, 0.0], (len(texts), 1))
    cluster = Cluster(
        ("cores", "memory"), np.tile([0.5, 100.0], (machines, 1)), tuple(f"m{row}" for row in range(machines))
    )
    return Batch(texts, names, demand, cluster)


@pytest.fixture
def engine_of(tmp_path):
    engines = []

    def make(of):
        engines.append(CgroupEngine(of, tmp_path))
        return engines[-1]

    yield make
    for engine in engines:
        for name in list(engine._where):
            engine.act(Stop(name))
        engine.close()
    assert name_of(tmp_path) not in groups_named(PREFIX)


def until(what):
    end = time.monotonic() + PATIENCE_S
    while not what():
        assert time.monotonic() < end
        time.sleep(0.02)


def test_a_command_has_no_more_cpu_than_its_share_and_a_changed_share_counts_at_once(engine_of):
    engine = engine_of(commands(SPIN))
    assert engine.act(Cap("1", 0.2)) is None
    assert engine.act(Start("1", ("m0",))) is None
    seen = engine.observe()
    seen.check()
    assert (seen.tasks.state[0], seen.tasks.host[0]) == (RUNNING, 0)
    group = engine._tree.make("1", "m0")
    for share in (0.2, 0.8):
        engine.act(Cap("1", share))
        before, begun = group.used_s(), time.monotonic()
        time.sleep(1.0)
        had = (group.used_s() - before) / (time.monotonic() - begun)
        assert 0.0 < had <= share * 0.5 + 0.03


def test_a_moved_command_goes_on_in_its_new_group_with_all_its_processes(engine_of):
    engine = engine_of(commands(f"{SPIN[5:]} & {SPIN[5:]} & wait"))
    engine.act(Start("1", ("m0",)))
    until(lambda: len(engine._tree.make("1", "m0").processes()) == 4)
    assert engine.act(Move("1", ("m1",))) is None
    assert engine._tree.make("1", "m0").processes() == []
    assert len(engine._tree.make("1", "m1").processes()) == 4
    assert engine.observe().tasks.host.tolist() == [1]


def test_what_a_command_prints_and_how_it_ends_is_kept_and_its_group_is_gone(engine_of):
    engine = engine_of(commands("echo out; echo err >&2; sleep 1000 & exit 7"))
    engine.act(Start("1", ("m1",)))
    until(lambda: engine.observe().over)
    (over,) = engine.observe().over
    assert (over.id, over.status, over.exit_code) == ("1", "failed", 7)
    place = engine.place("1")
    assert ((place / "stdout").read_text(), (place / "stderr").read_text()) == ("out\n", "err\n")
    outcome = outcome_in(place)
    assert outcome is not None
    assert (outcome["machine"], outcome["exit_code"]) == ("m1", 7)
    assert list(engine._tree.commands()) == []


def test_a_command_ends_when_it_ended_though_nobody_looked(engine_of, tmp_path):
    engine = engine_of(commands("exit 3"))
    engine.act(Start("1", ("m0",)))
    until(lambda: (tmp_path / "commands" / "1" / "exit").exists())
    written_s = (tmp_path / "commands" / "1" / "exit").stat().st_mtime
    os.utime(tmp_path / "commands" / "1" / "exit", (written_s + 100.0, written_s + 100.0))
    until(lambda: engine._shells["1"].poll() is not None)
    (over,) = engine.observe().over
    assert (over.exit_code, over.end_s) == (3, pytest.approx(written_s + 100.0))
    assert outcome_in(tmp_path / "commands" / "1")["seconds"] >= 99.0


def test_a_second_start_of_what_runs_or_has_run_is_refused(engine_of):
    engine = engine_of(commands("true"))
    assert engine.act(Start("1", ("m0",))) is None
    refusal = engine.act(Start("1", ("m0",)))
    assert refusal is not None
    assert refusal.kind == "busy"
    until(lambda: engine.observe().over)
    assert engine.act(Start("1", ("m0",))).kind == "busy"
    assert engine.act(Start("9", ("m0",))).kind == "gone"
    assert engine.act(Move("1", ("m1",))).kind == "gone"


def test_a_command_that_is_ended_by_us_waits_again(engine_of):
    engine = engine_of(commands(SPIN))
    engine.act(Start("1", ("m0",)))
    assert engine.act(Stop("1")) is None
    seen = engine.observe()
    assert (seen.ids, seen.tasks.host.tolist(), seen.over) == (("1",), [-1], ())


def test_a_second_loadmaster_in_one_folder_is_refused(engine_of, tmp_path):
    engine_of(commands(SPIN))
    with pytest.raises(InputError, match="another loadmaster"):
        CgroupEngine(commands(SPIN), tmp_path)


def test_a_bag_runs_under_shares_and_its_decisions_are_taken_again_alike(tmp_path):
    of = commands("i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done", "echo two", "exit 3", "true")
    engine = CgroupEngine(of, tmp_path)
    try:
        report, state = run_under_shares(
            engine, RealClock(), of, SharesConfig(tmp_path, share_method_named("fractional"), interval_s=0.05)
        )
    finally:
        engine.close()
    assert report.ended == "done"
    assert state.over == {"1": ("ok", 0), "2": ("ok", 0), "3": ("failed", 3), "4": ("ok", 0)}
    assert name_of(tmp_path) not in groups_named(PREFIX)
    checked = check_shares(tmp_path)
    assert checked.same == checked.decisions > 0


DRIVE = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[2])
from test_cgroup_engine import *
folder = Path(sys.argv[1])
of = commands(f"echo once >> {folder}/runs; while [ ! -e {folder}/go ]; do sleep 0.05; done")
engine = CgroupEngine(of, folder)
run_under_shares(engine, RealClock(), of, SharesConfig(folder, share_method_named("fractional"), interval_s=0.05))
engine.close()
"""


def test_after_a_kill_the_next_start_goes_on_with_what_still_runs(tmp_path):
    argv = [sys.executable, "-c", DRIVE, str(tmp_path), os.path.dirname(__file__)]
    with subprocess.Popen(argv) as first:
        until((tmp_path / "runs").exists)
        first.send_signal(signal.SIGKILL)
    assert clean_up(tmp_path / "other") == [str(make_group(name_of(tmp_path), again=True).path)]
    (tmp_path / "go").touch()
    subprocess.run(argv, check=True, timeout=PATIENCE_S)
    assert (tmp_path / "runs").read_text() == "once\n"
    assert outcome_in(tmp_path / "commands" / "1")["exit_code"] == 0
    assert name_of(tmp_path) not in groups_named(PREFIX)


def test_groups_of_a_run_that_died_with_nothing_left_in_them_are_taken_away(tmp_path):
    make_group(name_of(tmp_path), again=True).within("machine0").within("1")
    clean_up(tmp_path / "other")
    assert name_of(tmp_path) not in groups_named(PREFIX)
