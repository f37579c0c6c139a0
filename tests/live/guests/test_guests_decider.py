"""Machines on hosts in memory: caps follow who is where, moves keep within their budget, and a crash does no harm."""

import json

import pytest
from guests_fake import Dead, FakeHosts
from hypothesis import given, settings
from hypothesis import strategies as st

from loadmaster.live.guests.check import FILE, check_guests, guest_lines
from loadmaster.live.guests.config import GuestsConfig
from loadmaster.live.guests.run_guests import run_guests
from loadmaster.live.session.clocks import FakeClock
from loadmaster.live.session.record_file import RecordFile
from loadmaster.model import InputError

TWO = {"a": (1.0, 4.0), "b": (1.0, 4.0)}


@pytest.fixture(autouse=True, scope="module")
def disk_of_this_process():
    """What dies here is never the machine, so nothing need wait for a disk."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("os.fsync", lambda file: None)
        yield


def site(machines, hosts=TWO, **more):
    return FakeHosts(FakeClock(), hosts, machines, **more)


def run(site, folder, **config):
    given = {"for_s": 60.0, "interval_s": 1.0, "every_s": 5.0} | config
    return run_guests(site, site.clock, GuestsConfig(**given), folder)


def asked(folder):
    return [tuple(each) for line in guest_lines(folder) for each in line.get("asked", ())]


def test_machines_of_one_host_share_its_cores_alike_and_have_all_they_ask_for_at_the_end(tmp_path):
    hosts = site({"x": (1, 1, "a"), "y": (3, 1, "a"), "z": (1, 1, "b")})
    run(hosts, tmp_path, on_exit="leave")
    assert hosts.share == {"x": 0.25, "y": 0.25, "z": 1.0}
    run(hosts, tmp_path)
    assert hosts.share == {"x": 1.0, "y": 1.0, "z": 1.0}


def test_a_cap_that_somebody_set_before_is_the_most_a_machine_gets_and_is_there_again_at_the_end(tmp_path):
    hosts = site({"x": (1, 1, "a"), "y": (1, 1, "a"), "z": (1, 1, "b")})
    hosts.share |= {"x": 0.75, "z": 0.5}
    run(hosts, tmp_path / "left", on_exit="leave")
    assert hosts.share == {"x": 0.5, "y": 0.5, "z": 0.5}
    run(hosts, tmp_path / "left")
    assert hosts.share == {"x": 0.75, "y": 1.0, "z": 0.5}


def test_whoever_comes_later_is_capped_and_whoever_goes_leaves_its_share_to_the_others(tmp_path):
    hosts = site({"x": (1, 1, "a")})
    real = hosts.observe

    def observe():
        if 10 <= hosts.clock.now_s() < 20:
            hosts.where.setdefault("y", "a")
            hosts.asks["y"], _ = (1, 1), hosts.share.setdefault("y", 1.0)
        elif hosts.clock.now_s() >= 20:
            hosts.where.pop("y", None)
        return real()

    hosts.observe = observe
    run(hosts, tmp_path)
    assert asked(tmp_path) == [("cap", "x", 0.5), ("cap", "y", 0.5), ("cap", "x", 1.0)]


@pytest.mark.parametrize("mover", ["rebalance", "mosix", "enhanced-mosix"])
def test_a_mover_takes_machines_from_a_crowded_host_to_an_empty_one(tmp_path, mover):
    hosts = site(dict.fromkeys("wxyz", (1, 1, "a")))
    run(hosts, tmp_path, mover=mover, most=10, on_exit="leave")
    assert sorted(hosts.where.values()) == ["a", "a", "b", "b"]
    assert hosts.share == dict.fromkeys("wxyz", 0.5)
    assert [each[0] for each in asked(tmp_path)[:5]] == [*["cap"] * 4, "move"]  # nobody sets off without its cap
    checked = check_guests(tmp_path)
    assert checked.same == checked.decisions > 10


@pytest.mark.parametrize(("unit", "most", "moved"), [("count", 1, 1), ("bytes", 1.5, 1), ("bytes", 0.5, 0)])
def test_no_more_is_moved_in_an_hour_than_the_budget_says_even_if_it_is_stopped_and_started(
    tmp_path, unit, most, moved
):
    hosts = site(dict.fromkeys("wxyz", (1, 1, "a")))
    for _ in range(2):
        run(hosts, tmp_path, mover="rebalance", most=most, unit=unit)
    assert len(hosts.moves) == moved
    hosts.clock.sleep_until(3700.0)
    run(hosts, tmp_path, mover="rebalance", most=most, unit=unit)
    assert len(hosts.moves) == 2 * moved


def test_a_machine_that_cannot_be_moved_stays_and_one_whose_move_failed_stays_for_a_while(tmp_path):
    hosts = site({"x": (1, 1, "a"), "y": (1, 1, "a"), "z": (1, 1, "a")}, stays=("x",), fails=("z",))
    report, state = run(hosts, tmp_path, mover="rebalance", most=10)
    assert hosts.moves[0][0] == "z"
    assert [each[0] for each in hosts.moves].count("z") == 1
    assert [each[0] for each in hosts.moves] == ["z", "y"]
    assert (state.moved, report.notes) == (1, ["z was not moved: the road was closed"])


def test_nothing_moves_to_a_host_that_is_down_or_has_no_room_for_the_memory(tmp_path):
    hosts = site({"x": (1, 3, "a"), "y": (1, 3, "a")}, {"a": (1.0, 6.0), "b": (4.0, 2.0), "c": (4.0, 9.0)})
    hosts.down = {"c"}
    for mover in ("rebalance", "mosix", "enhanced-mosix"):
        run(hosts, tmp_path / mover, mover=mover, most=10)
    assert hosts.moves == []


def test_a_refused_cap_is_asked_again_twice_and_then_left_for_five_minutes(tmp_path):
    hosts = site({"x": (1, 1, "a"), "y": (1, 1, "a")}, refuse={("Cap", "x")})
    report, _ = run(hosts, tmp_path, for_s=200.0)
    assert report.refusals["unknown"] == 3
    assert check_guests(tmp_path).same == check_guests(tmp_path).decisions


def test_a_dry_run_asks_nothing_and_says_what_it_would(tmp_path):
    hosts = site({"x": (1, 1, "a"), "y": (1, 1, "a")})
    run(hosts, tmp_path, mover="rebalance", most=1, acts=False)
    assert (hosts.moves, hosts.share) == ([], {"x": 1.0, "y": 1.0})
    would = [tuple(each) for line in guest_lines(tmp_path) for each in line.get("would", ())]
    assert {each[0] for each in would} == {"cap", "move"}
    checked = check_guests(tmp_path)
    assert checked.same == checked.decisions > 10


def test_a_changed_record_is_noticed(tmp_path):
    run(site({"x": (1, 1, "a"), "y": (1, 1, "a")}), tmp_path)
    path = tmp_path / FILE
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    lines[1]["asked"][0][2] = 0.75
    path.write_text("\n".join(map(json.dumps, lines)) + "\n")
    checked = check_guests(tmp_path)
    assert checked.same == checked.decisions - 1
    assert checked.first == "at 0.000: now ['cap', 'x', 0.5] in place of ['cap', 'x', 0.75]"


def test_while_nobody_answers_nothing_is_decided_and_then_it_goes_on(tmp_path):
    hosts = site({"x": (1, 1, "a"), "y": (1, 1, "a")})
    hosts.silent_until_s = 10.0
    report, _ = run(hosts, tmp_path)
    assert asked(tmp_path) == [("cap", "x", 0.5), ("cap", "y", 0.5)]
    assert report.notes == [
        "fake-hosts does not answer; loadmaster asks again: nobody answers",
        "fake-hosts answers again",
    ]


@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_killed_anywhere_and_started_again_no_host_is_overfilled_and_all_ends_as_if_nothing_had_happened(
    tmp_path_factory, data
):
    folder = tmp_path_factory.mktemp("killed")
    cores = data.draw(st.lists(st.integers(1, 4), min_size=2, max_size=3))
    hosts = {f"h{row}": (float(each), 12.0) for row, each in enumerate(cores)}
    machines = {
        f"m{row}": (float(data.draw(st.integers(1, 3))), float(data.draw(st.integers(1, 3))), "h0")
        for row in range(data.draw(st.integers(1, 4)))
    }
    mover = data.draw(st.sampled_from(["mosix", "enhanced-mosix"]))
    site_ = site(machines, hosts, journey_s=data.draw(st.sampled_from([0.5, 3.0])))
    append = RecordFile.append

    def mortal(self, lines):
        site_.step()
        append(self, lines)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(RecordFile, "append", mortal)
        for steps in data.draw(st.lists(st.integers(0, 40), max_size=4)):
            site_.steps = steps
            try:
                run(site_, folder, mover=mover, most=6, on_exit="leave", for_s=30.0)
            except Dead:
                continue
        site_.steps = float("inf")
        run(site_, folder, mover=mover, most=6, for_s=30.0, on_exit="leave")
    assert set(site_.where) == set(machines)
    assert len(site_.moves) <= 6
    assert max(site_.promised().values()) <= 1 + 1e-9
    checked = check_guests(folder)
    assert checked.same == checked.decisions > 0
    run(site_, folder)
    assert site_.share == dict.fromkeys(machines, 1.0)


def test_a_mover_without_a_budget_and_terms_that_do_nothing_are_refused():
    with pytest.raises(InputError, match="within a budget only"):
        GuestsConfig(mover="mosix")
    with pytest.raises(InputError, match="nothing would be done"):
        GuestsConfig(caps=False)
    with pytest.raises(InputError, match="acts when a task ends"):
        GuestsConfig(mover="assign-u-r", most=1)
    with pytest.raises(InputError, match="did you mean mosix"):
        GuestsConfig(mover="mosiks", most=1)


def test_a_second_run_in_the_same_folder_is_refused(tmp_path):
    log = RecordFile(tmp_path / FILE)
    log.open()
    with pytest.raises(InputError, match="another run is writing this log"):
        run(site({"x": (1, 1, "a")}), tmp_path)
    log.close()
    assert list(log.lines()) == []
