"""Dask's workers as an engine: what it shows keeps the contract, what it cannot do it refuses."""

import threading

import pytest
from patience import until

pytest.importorskip("distributed")

from loadmaster.live.dask.engine import DaskEngine
from loadmaster.live.dask.machine_source import DaskMachineSource, machines
from loadmaster.live.session.clocks import WokenClock
from loadmaster.model.actions import Hold, Release, Rent, Start, Stop


@pytest.fixture(scope="module")
def place():
    with machines(DaskMachineSource()) as found:
        yield found


def test_a_machine_is_rented_runs_an_attempt_is_stopped_and_given_back(place, tmp_path):
    commands = [f"echo > {tmp_path}/begun; sleep 600", "echo done"]
    clock = WokenClock()
    engine = DaskEngine(place, commands, tmp_path, clock)

    def seen():
        found = engine.observe()
        found.check()
        return found

    assert (seen().cluster, seen().hosts) == (None, ())
    assert engine.act(Rent("hour", 1)) is None
    (name,) = seen().hosts
    until(lambda: seen().up.all(), "the machine")
    assert engine.act(Start("1.1", (name,))) is None
    until((tmp_path / "begun").exists, "the command")
    assert (seen().ids, seen().tasks.host.tolist()) == (("1.1",), [0])
    assert engine.act(Start("2.1", (name,))).kind == "busy"
    assert engine.act(Stop("1.1")) is None
    assert engine.act(Stop("1.1")).kind == "gone"
    assert (seen().ids, seen().over) == ((), ())
    assert engine.act(Start("2.1", (name,))) is None
    until(lambda: seen().over, "the end of the second command")
    (over,) = seen().over
    assert (over.id, over.status, over.exit_code) == ("2.1", "ok", 0)
    assert engine.act(Release(name)) is None
    assert seen().hosts == ()
    assert engine.act(Start("2.2", (name,))).kind == "gone"
    assert engine.act(Hold("2.2")).kind == "unknown"


def test_who_waits_on_a_clock_that_can_be_woken_is_woken_by_news_and_news_are_not_lost_before_that():
    clock = WokenClock()
    clock.ring()
    clock.sleep_until(clock.now_s() + 600.0)
    threading.Timer(0.05, clock.ring).start()
    clock.sleep_until(clock.now_s() + 600.0)
    assert clock.now_s() < 600.0
