"""Bags on machines in memory: nothing is lost, paid twice or begun beyond the budget, whatever the machines do."""

import dataclasses
import math

import pytest
from bag_replay import decide_again, sessions
from fake_machines import FakeMachines, Waking
from hypothesis import given, settings
from hypothesis import strategies as st

from loadmaster.live.bag import run_bag as module
from loadmaster.live.bag.config import BagConfig
from loadmaster.live.bag.run_bag import run_bag
from loadmaster.live.session.engine import Refusal
from loadmaster.live.session.record_file import RecordFile
from loadmaster.model.actions import Release, Rent, Start, Stop
from loadmaster.sizing import FixedHosts, HostType, SilvaRule

KIND = HostType("slot", 720.0, unit_s=5.0, limit=4)


@pytest.fixture(autouse=True, scope="module")
def disk_of_this_process():
    """What dies here is never the machine, so nothing need wait for a disk."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("os.fsync", lambda file: None)
        yield


class Budgeted(FixedHosts):
    """So many machines, within a budget that all starts share."""

    budget = None

    def remaining(self, spent, elapsed_s):
        return self


def budgeted(machines, budget):
    sizer = Budgeted(machines)
    object.__setattr__(sizer, "budget", budget)
    return sizer


def run(folder, lasts_s, sizer=None, *, watch=None, **options):
    """Run a bag whose command number k lasts `lasts_s[k - 1]`; the report and the engine."""
    config = {name: options.pop(name) for name in ("retries", "boot_limit_s") if name in options}
    clock = Waking()
    lasts = {k: each if isinstance(each, list) else [each] for k, each in enumerate(lasts_s, 1)}
    engine = FakeMachines(clock, folder, lasts, **options)
    config = BagConfig(folder, sizer or FixedHosts(3), KIND, **config)
    commands = [f"c{k}" for k in lasts]
    return run_bag(engine, clock, commands, config, watch, say=lambda _: None), engine


def replayed_alike(folder, sizer):
    """Every recorded decision is what the sizer decides on the recorded events."""
    for session in sessions(RecordFile(folder / "log.jsonl")):
        again = decide_again(session, sizer, KIND)
        if [made.actions for made in again] != [made.actions for made in session.decisions]:
            return False
    return True


@given(
    lasts_s=st.lists(st.floats(0.1, 8.0), min_size=1, max_size=12), seed=st.integers(0, 999),
    taken_every_s=st.sampled_from([math.inf, 40.0, 15.0]),
    sizer=st.sampled_from([FixedHosts(1), FixedHosts(3), SilvaRule(tick_s=2.0, host_time_s=10.0)]),
)  # fmt: skip
@settings(max_examples=25)
def test_every_command_ends_once_and_every_decision_can_be_taken_again(
    tmp_path_factory, lasts_s, seed, taken_every_s, sizer
):
    folder = tmp_path_factory.mktemp("bag")
    report, engine = run(folder, lasts_s, sizer, seed=seed, taken_every_s=taken_every_s)
    assert report.exits == dict.fromkeys(range(1, len(lasts_s) + 1), 0)
    assert len(engine.begun) == len(set(engine.begun)) == len(lasts_s) + len(report.again)
    assert report.cost == pytest.approx(engine.charged(KIND), abs=0.01 * KIND.unit_price) or taken_every_s < math.inf
    assert replayed_alike(folder, sizer)


@given(
    lasts_s=st.lists(st.floats(0.1, 20.0), min_size=1, max_size=10),
    units=st.integers(0, 12),
    seed=st.integers(0, 999),
    boot_s=st.sampled_from([0.5, 3.0]),
    stops=st.lists(st.integers(1, 40), max_size=3),
)
@settings(max_examples=25)
def test_a_budget_is_never_overrun_not_even_over_several_starts(tmp_path_factory, lasts_s, units, seed, boot_s, stops):
    folder = tmp_path_factory.mktemp("bag")
    budget, paid = units * KIND.unit_price, 0.0
    for stop in [*stops, math.inf]:
        left = [stop]

        def watch(*_, left=left):
            left[0] -= 1
            if left[0] <= 0:
                raise KeyboardInterrupt

        clock = Waking()
        lasts = {k: [each] for k, each in enumerate(lasts_s, 1)}
        engine = FakeMachines(clock, folder, lasts, boot_s=boot_s, seed=seed)
        config = BagConfig(folder, budgeted(4, budget), KIND)
        try:
            report = run_bag(engine, clock, [f"c{k}" for k in lasts], config, watch, say=lambda _: None)
        except KeyboardInterrupt:
            paid += engine.charged(KIND)
            continue
        paid += engine.charged(KIND)
        assert report.spent == pytest.approx(paid)
        assert report.spent <= budget + 1e-9
        assert sorted([*report.exits, *report.unpaid]) == list(lasts)


def test_a_command_that_the_budget_does_not_pay_to_its_end_is_stopped_with_its_machine_and_that_is_said(tmp_path):
    clock, said = Waking(), []
    engine = FakeMachines(clock, tmp_path, {1: [600.0], 2: [600.0]})
    config = BagConfig(tmp_path, budgeted(1, 2 * KIND.unit_price), KIND)
    report = run_bag(engine, clock, ["c1", "c2"], config, say=said.append)
    assert said == ["task 1 is stopped: the budget does not pay for more time"]
    assert (report.exits, report.unpaid, report.again, report.spent) == ({}, [1, 2], [], 2 * KIND.unit_price)
    assert engine.asked == [Rent("slot", 1), Start("1.1", ("m0",)), Release("m0")]
    assert report.span_s < 2 * KIND.unit_s


class Killed(BaseException):
    """The process is gone."""


@given(
    lasts_s=st.lists(st.floats(0.1, 5.0), min_size=1, max_size=6),
    deaths=st.lists(st.integers(0, 30), max_size=4),
    after=st.booleans(),
)
@settings(max_examples=25)
def test_killed_between_any_two_writes_no_command_is_lost_and_none_that_ended_well_is_run_again(
    tmp_path_factory, lasts_s, deaths, after
):
    folder = tmp_path_factory.mktemp("bag")
    begun, ended_well = [], []
    for steps in [*deaths, math.inf]:
        left = [steps]

        class Mortal(RecordFile):
            def append(self, lines, left=left):
                left[0] -= 1
                if left[0] < 0 and not (after and left[0] == -1):
                    raise Killed
                super().append(lines)
                if left[0] < 0:
                    raise Killed

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(module, "RecordFile", Mortal)
            clock = Waking()
            engine = FakeMachines(clock, folder, {k: [each] for k, each in enumerate(lasts_s, 1)})
            commands = [f"c{k}" for k in range(1, len(lasts_s) + 1)]
            try:
                report = run_bag(engine, clock, commands, BagConfig(folder, FixedHosts(2), KIND), say=lambda _: None)
            except Killed:
                report = None
        again = {int(job.split(".")[0]) for job in engine.begun} & set(ended_well)
        assert not again
        begun += engine.begun
        ended_well = [k for k in range(1, len(lasts_s) + 1) if list((folder / "tasks").glob(f"{k:06d}/*/result.json"))]
        if report is not None:
            break
    assert report is not None
    assert report.exits == dict.fromkeys(range(1, len(lasts_s) + 1), 0)
    assert len(begun) == len(set(begun))


def test_a_machine_that_never_comes_up_is_given_up_and_given_back(tmp_path):
    clock, boots = Waking(), [math.inf, 1.0]

    class Late(FakeMachines):
        def observe(self):
            if self.ordered:
                self.boot_s = boots.pop(0)
            return super().observe()

    engine = Late(clock, tmp_path, {1: [2.0]})
    said = []
    config = BagConfig(tmp_path, FixedHosts(1), KIND, boot_limit_s=30.0)
    report = run_bag(engine, clock, ["c1"], config, say=said.append)
    assert report.exits == {1: 0}
    assert said == ["machine m0 did not come up, is given up"]
    assert [action for action in engine.asked if not isinstance(action, Rent)] == [Release("m0"), Start("1.1", ("m1",))]


class Copying(FixedHosts):
    """Starts a copy of whatever has run for five seconds."""

    tick_s = 1.0

    def decide(self, snapshot):
        late = tuple(host.task for host in snapshot.running if host.elapsed_s > 5.0)
        return dataclasses.replace(super().decide(snapshot), replicate=late, release=())


def test_the_copy_that_ends_first_counts_and_the_other_is_stopped(tmp_path):
    sizer = Copying(2)
    object.__setattr__(sizer, "tick_s", 1.0)
    report, engine = run(tmp_path, [[600.0, 2.0], 1.0], sizer)
    assert engine.begun == ["1.1", "2.1", "1.2"]
    assert [action for action in engine.asked if isinstance(action, Stop)] == [Stop("1.1")]
    assert report.again == [(1, "lasts far longer than others, a copy is started")]
    assert report.span_s < 20.0


def test_a_command_that_fails_is_tried_as_often_as_asked_and_then_given_up(tmp_path):
    report, engine = run(tmp_path, [1.0, 1.0], fails=frozenset({(1, 1), (2, 1), (2, 2)}), retries=1)
    assert report.exits == {1: 0, 2: 3}
    assert sorted(engine.begun) == ["1.1", "1.2", "2.1", "2.2"]


def test_a_start_that_is_refused_gives_its_machine_up_and_the_command_runs_elsewhere(tmp_path):
    clock = Waking()

    class Full(FakeMachines):
        def act(self, action):
            if action == Start("1.1", ("m0",)):
                return Refusal(action, "busy", "it runs something else")
            return super().act(action)

    engine = Full(clock, tmp_path, {1: [2.0]})
    report = run_bag(engine, clock, ["c1"], BagConfig(tmp_path, FixedHosts(1), KIND), say=lambda _: None)
    assert report.exits == {1: 0}
    assert engine.begun == ["1.2"]
    assert report.again == [(1, "its machine did not take it (it runs something else), is run again")]


def test_where_fewer_machines_can_be_had_than_are_wanted_the_bag_goes_on_with_those(tmp_path):
    report, _ = run(tmp_path, [1.0] * 6, FixedHosts(4), most=2)
    assert (report.hosts, set(report.exits.values())) == (2, {0})


def test_the_log_of_a_run_says_what_the_engine_refused(tmp_path):
    class Poor(FakeMachines):
        def act(self, action):
            return Refusal(action, "denied", "not today") if isinstance(action, Rent) else super().act(action)

    clock = Waking()
    engine = Poor(clock, tmp_path, {1: [1.0]})

    def watch(*_):
        if clock.now_s() > 3.0:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_bag(engine, clock, ["c1"], BagConfig(tmp_path, FixedHosts(1), KIND), watch, say=lambda _: None)
    answers = [line["answer"] for line in RecordFile(tmp_path / "log.jsonl").lines() if line.get("answer")]
    assert answers[0] == [[["rent", "slot", 1], "denied", "not today"]]
