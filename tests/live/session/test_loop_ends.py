"""How a live run ends: by itself, by a signal, on a full disk, beside an engine that is down."""

import errno
import os
import signal
from contextlib import nullcontext

import pytest
from fake_runs import FOUR, Failing, disk_of_this_process, drive, made_jobs, one_job, ruled

from loadmaster.live.fake.engine import FakeEngine
from loadmaster.live.queue.record import LiveRecord, lines_of
from loadmaster.live.queue.run_live import run_live
from loadmaster.live.queue.settings import LiveSettings
from loadmaster.live.session.clocks import FakeClock
from loadmaster.live.session.engine import EngineDown
from loadmaster.live.session.report import Report
from loadmaster.model import Cluster, InputError


@pytest.fixture(autouse=True, scope="module")
def without_waiting():
    with disk_of_this_process():
        yield


@pytest.mark.parametrize(("on_exit", "over"), [("release", 20), ("hold", 0)])
def test_at_the_end_waiting_jobs_go_to_the_engine_unless_they_are_to_be_held(tmp_path, on_exit, over):
    workload = made_jobs(20, 2, every_s=1.0)
    run = drive(tmp_path, workload, Cluster.uniform(1, cores=8, memory=16), max_starts=0, on_exit=on_exit, for_s=60.0)
    run.engine.run_out(1e5)
    assert len(run.engine.over) == over


def test_who_is_stopped_while_something_is_compiled_hands_back_what_is_held(tmp_path):
    class Compiling(Failing):
        def decide(self, snapshot):
            raise KeyboardInterrupt

    clock = FakeClock()
    engine = FakeEngine(one_job(), FOUR, clock)
    report = run_live(engine, clock, Compiling(0.0), LiveSettings(5.0), LiveRecord(tmp_path))
    assert (report.ended, report.cycles, report.stranded) == ("stopped", 0, [])
    assert [line["end"] for line in lines_of(tmp_path) if "end" in line] == ["stopped"]
    clock.sleep_until(1000.0)
    engine.observe()
    assert sorted(engine.over) == ["0"]


@pytest.mark.parametrize(
    ("trouble", "ended"), [(InputError("x", "no listing"), "crashed"), (KeyboardInterrupt(), "stopped")]
)
def test_that_it_is_over_is_written_down_also_where_nothing_can_be_handed_back(tmp_path, trouble, ended):
    clock = FakeClock()
    engine, look = FakeEngine(one_job(), FOUR, clock), FakeEngine.observe

    def observe():
        if clock.now_s() >= 10.0:
            raise trouble
        return look(engine)

    engine.observe, report = observe, Report()
    with pytest.raises(InputError) if ended == "crashed" else nullcontext():
        run_live(engine, clock, ruled(), LiveSettings(5.0, max_starts=0), LiveRecord(tmp_path), report=report)
    assert report.stranded == ["0"]
    assert [line["end"] for line in lines_of(tmp_path) if "end" in line] == [ended]


class Full(LiveRecord):
    """A record on a disk that is full after so many lines."""

    room = 2

    def append(self, lines):
        if self.room <= 0:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "live.jsonl")
        self.room -= 1
        super().append(lines)


def test_on_a_full_disk_the_run_ends_and_all_that_it_holds_is_handed_back(tmp_path):
    clock, report = FakeClock(), Report()
    engine = FakeEngine(made_jobs(20, 3, every_s=0.1), FOUR, clock)
    with pytest.raises(OSError, match="No space left"):
        run_live(engine, clock, ruled(), LiveSettings(5.0, max_starts=1), Full(tmp_path), report=report)
    assert (report.ended, report.stranded) == ("crashed", [])
    assert any("the record lacks its end" in note for note in report.notes)
    engine.run_out(5000.0)
    assert len(engine.over) == 20


class ByHand(FakeEngine):
    """What it holds can be freed by hand."""

    def held_of(self, ids):
        return list(ids)

    def by_hand(self, ids):
        return f"free {','.join(ids)}"


def test_what_an_engine_that_is_down_does_not_take_back_is_named_with_the_command_that_frees_it(tmp_path):
    clock, report, heard = FakeClock(), Report(), []
    engine, look = ByHand(one_job(), FOUR, clock), FakeEngine.observe

    def observe():
        if clock.now_s() >= 15.5:
            raise EngineDown("no answer")
        return look(engine)

    engine.observe, report.listener = observe, heard.append
    report = run_live(
        engine, clock, ruled(), LiveSettings(5.0, max_starts=0, for_s=19.0), LiveRecord(tmp_path), report=report
    )
    assert (report.ended, report.stranded) == ("done", ["0"])
    assert clock.now_s() < 100.0
    assert heard[-2:] == [
        "1 job stays held, since fake did not accept the release: 0",
        "release the held jobs by hand: free 0",
    ]


def test_every_outage_is_told_as_it_begins_and_as_it_ends(tmp_path):
    clock, report, heard = FakeClock(), Report(), []
    engine, look = FakeEngine(made_jobs(5, 3), FOUR, clock), FakeEngine.observe

    def observe():
        down = 20.0 <= clock.now_s() < 30.0 or 60.0 <= clock.now_s() < 70.0
        if down:
            raise EngineDown("no answer")
        assert report.up or heard[-1].startswith("fake does not answer")
        return look(engine)

    engine.observe, report.listener = observe, heard.append
    run_live(engine, clock, ruled(), LiveSettings(5.0, for_s=100.0), LiveRecord(tmp_path), report=report)
    assert heard == ["fake does not answer; loadmaster asks again: no answer", "fake answers again"] * 2
    assert (report.up, report.failed_calls) == (True, 8)
    assert report.observed_s > 90.0


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_who_is_told_to_end_or_loses_the_terminal_hands_back_what_is_held(tmp_path, number):
    clock = FakeClock()
    engine, look = FakeEngine(one_job(), FOUR, clock), FakeEngine.observe

    def observe():
        if clock.now_s() == 10.0:
            os.kill(os.getpid(), number)
        return look(engine)

    engine.observe = observe
    before = signal.signal(number, signal.SIG_DFL)  # who began the tests may have it passed over
    try:
        report = run_live(engine, clock, ruled(), LiveSettings(5.0, max_starts=0, for_s=60.0), LiveRecord(tmp_path))
        assert signal.getsignal(number) == signal.SIG_DFL
    finally:
        signal.signal(number, before)
    assert (report.ended, report.stranded) == ("stopped", [])
    assert report.outcome == ("terminated" if number == signal.SIGTERM else "stopped")
    engine.run_out(1e5)
    assert sorted(engine.over) == ["0"]
