"""Commands under CPU shares on a box in memory: caps change as others come and end, and nothing is lost or doubled."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from share_fake import Dead, FakeBox, batch

from loadmaster.live.session.clocks import FakeClock
from loadmaster.live.shares.check import FILE, check_shares, share_lines
from loadmaster.live.shares.config import SharesConfig
from loadmaster.live.shares.method_names import share_method_named
from loadmaster.live.shares.run_under_shares import run_under_shares
from loadmaster.model import InputError, Workload
from loadmaster.scheduling.time_shared import METHODS
from loadmaster.sim.timeshared.problem import TimesharedProblem
from loadmaster.sim.timeshared.reference import replay_timeshared


@pytest.fixture(autouse=True, scope="module")
def disk_of_this_process():
    """What dies here is never the machine, so nothing need wait for a disk."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("os.fsync", lambda file: None)
        yield


def config(folder, method="fractional", least=0.0, **more):
    return SharesConfig(folder, share_method_named(method, least), least, **more)


def run(folder, of, work_s, method="fractional", least=0.0, refuse=(), **more):
    clock = FakeClock()
    box = FakeBox(of, clock, work_s, refuse)
    report, state = run_under_shares(box, clock, of, config(folder, method, least, **more))
    return box, report, state


def asked(folder):
    return [tuple(what) for line in share_lines(folder) for what in map(flat, line.get("asked", ()))]


def flat(action):
    return [each[0] if isinstance(each, list) else each for each in action]


def test_two_commands_on_one_core_have_half_of_it_each_until_one_ends(tmp_path):
    box, _, _ = run(tmp_path, batch([1.0, 1.0]), [1.0, 2.0])
    assert asked(tmp_path) == [
        ("cap", "1", 0.5),
        ("start", "1", "m0"),
        ("cap", "2", 0.5),
        ("start", "2", "m0"),
        ("cap", "2", 1.0),
    ]
    assert box.over["1"].end_s == pytest.approx(2.0)
    assert box.over["2"].end_s == pytest.approx(3.0, abs=0.2)  # its cap changes when the other's end is seen


def test_a_command_waits_rather_than_press_a_share_below_the_least(tmp_path):
    box, _, _ = run(tmp_path, batch([1.0, 1.0, 1.0]), [1.0, 1.0, 1.0], least=0.5)
    assert [each[1] for each in asked(tmp_path) if each[0] == "start"] == ["1", "2", "3"]
    assert box.over["3"].end_s > 2.0


def test_memory_is_never_shared(tmp_path):
    box, _, _ = run(tmp_path, batch([0.1, 0.1], [5.0, 5.0]), [0.1, 0.1])
    assert box.over["1"].end_s == pytest.approx(1.0)
    assert box.over["2"].end_s >= 2.0


@pytest.mark.parametrize(("method", "work_s"), [("fractional", [4.0, 1.0, 4.0]), ("mcb8", [4.0, 4.0, 1.0])])
def test_when_a_machine_is_empty_one_of_two_on_the_other_moves_there_and_has_all_of_it(tmp_path, method, work_s):
    of = batch([1.0, 1.0, 1.0], machines=((1.0, 8.0), (1.0, 8.0)))
    box, _, _ = run(tmp_path, of, work_s, method)
    first = {name: machine for what, name, machine in asked(tmp_path) if what == "start"}
    moved = {name: machine for what, name, machine in asked(tmp_path) if what == "move"}
    alone = next(name for name in first if list(first.values()).count(first[name]) == 1)
    (name,) = moved
    assert moved[name] == first[alone] != first[name]
    assert [each[2] for each in asked(tmp_path) if each[:2] == ("cap", name)] == [0.5, 1.0]
    assert box.starts == {"1": 1, "2": 1, "3": 1}


def test_slow_machines_give_less_for_the_same_share(tmp_path):
    box, _, _ = run(tmp_path, batch([1.0], speed=[0.5]), [1.0])
    assert box.over["1"].end_s == pytest.approx(2.0)


@settings(max_examples=20, deadline=None)
@given(
    needs=st.lists(st.tuples(st.integers(1, 3), st.floats(0.1, 2.0)), min_size=1, max_size=6),
    cores=st.lists(st.integers(1, 4), min_size=2, max_size=4), method=st.sampled_from(["pvm", "e-pvm", "greedy"]),
)  # fmt: skip
def test_commands_are_placed_where_the_simulator_of_time_shared_clusters_places_them(
    tmp_path_factory, needs, cores, method
):
    folder = tmp_path_factory.mktemp("placed")
    asks, memory = zip(*needs, strict=True)
    of = batch(asks, memory, machines=tuple((float(each), 100.0) for each in cores))
    run(folder, of, [1.0] * len(needs), method)
    work = Workload(
        of.machines.resources,
        np.zeros(len(needs)),
        np.ones(len(needs)),
        of.demand,
    )
    simulated = replay_timeshared(TimesharedProblem(work, of.machines, METHODS[method]))
    started = [each[2] for each in asked(folder) if each[0] == "start"]
    assert started == [f"m{at}" for at in simulated.first_host]


def test_a_start_that_is_refused_three_times_is_given_up_and_the_others_run(tmp_path):
    _, report, state = run(tmp_path, batch([1.0, 1.0]), [1.0, 1.0], refuse={("Start", "1")})
    assert state.over == {"1": ("refused", None), "2": ("ok", 0)}
    assert report.refusals["unknown"] == 3
    assert check_shares(tmp_path).same == check_shares(tmp_path).decisions > 0


def test_a_command_that_no_empty_machine_can_hold_at_that_share_is_given_up(tmp_path):
    _, _, state = run(tmp_path, batch([4.0, 1.0]), [1.0, 1.0], least=0.5)
    assert state.over["1"] == ("refused", None)
    assert state.over["2"] == ("ok", 0)


def test_at_ctrl_c_what_runs_is_ended_and_waits_for_the_next_start(tmp_path):
    of, clock = batch([1.0, 1.0]), FakeClock()

    class Stopped(FakeBox):
        def observe(self):
            if clock.now_s() > 1.0 and self.starts["1"] == 1 and not self.over and self.where:
                self.observe = super().observe  # once
                raise KeyboardInterrupt
            return super().observe()

    box = Stopped(of, clock, [3.0, 3.0])
    report, _ = run_under_shares(box, clock, of, config(tmp_path))
    assert (report.ended, box.where, box.over) == ("stopped", {}, {})
    run_under_shares(box, clock, of, config(tmp_path))
    assert box.starts == {"1": 2, "2": 2}
    assert set(box.over) == {"1", "2"}


def test_leaving_at_the_end_ends_nothing(tmp_path):
    box, report, _ = run(tmp_path, batch([1.0]), [100.0], on_exit="leave", for_s=2.0)
    assert (report.ended, box.where) == ("done", {"1": 0})


needs = st.lists(st.tuples(st.floats(0.05, 2.0), st.floats(0, 4), st.floats(0.1, 5)), min_size=1, max_size=8)


@settings(max_examples=25, deadline=None)
@given(
    needs=needs, method=st.sampled_from(["fractional", "mcb8", "pvm", "e-pvm"]),
    deaths=st.lists(st.integers(0, 25), max_size=3),
)  # fmt: skip
def test_killed_at_any_step_every_command_runs_once_and_no_machine_promises_more_than_it_has(
    tmp_path_factory, needs, method, deaths
):
    folder = tmp_path_factory.mktemp("shares")
    cores, memory, work_s = zip(*needs, strict=True)
    of, clock = batch(cores, memory, machines=((1.0, 4.0), (2.0, 6.0))), FakeClock()

    class Watched(FakeBox):
        def observe(self):
            self.after_actions()
            return super().observe()

    box = Watched(of, clock, work_s)
    for steps in (*deaths, float("inf")):
        box.steps = steps
        try:
            run_under_shares(box, clock, of, config(folder, method, on_exit="leave"))
        except Dead:
            continue
    assert set(box.over) == set(of.ids)
    assert set(box.starts.values()) == {1}
    checked = check_shares(folder)
    assert (checked.first, checked.same) == ("", checked.decisions)


def test_the_check_tells_a_record_in_which_a_share_was_changed(tmp_path):
    run(tmp_path, batch([1.0, 1.0]), [1.0, 2.0])
    path = tmp_path / FILE
    path.write_text(path.read_text().replace('["cap", "2", 1.0]', '["cap", "2", 0.75]'))
    checked = check_shares(tmp_path)
    assert checked.same == checked.decisions - 1
    assert "0.75" in checked.first


def test_a_folder_of_other_commands_is_refused(tmp_path):
    run(tmp_path, batch([1.0]), [1.0])
    with pytest.raises(InputError, match="other commands or machines"):
        run(tmp_path, batch([0.5]), [1.0])


def test_the_record_stands_on_disk_before_anything_is_asked(tmp_path):
    of, clock = batch([1.0]), FakeClock()
    seen = []

    class Looking(FakeBox):
        def act(self, action):
            seen.append(json.loads((tmp_path / FILE).read_text().splitlines()[-1]))
            return super().act(action)

    run_under_shares(Looking(of, clock, [1.0]), clock, of, config(tmp_path))
    assert all("asked" in line for line in seen)
    assert len(seen) == 2


@pytest.mark.parametrize("spec", ["mosix", "d-pvm", "local-search", "exact", "nobody", "a.py:rule"])
def test_methods_that_cannot_decide_here_are_refused_in_one_line(spec):
    with pytest.raises(InputError):
        share_method_named(spec)
