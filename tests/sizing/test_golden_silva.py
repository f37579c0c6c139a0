"""The worked examples of Silva et al. 2008 (rule Z8)."""

import math

import numpy as np
import pytest

from loadmaster.sim.bags.reference import World, run_bag
from loadmaster.sim.bags.repetitions import repeat
from loadmaster.sizing import FixedHosts, HostType, SilvaRule, all_at_once, oracle, user_guess
from loadmaster.sizing.silva import half_away, periodic_average, periodic_average_as_printed
from loadmaster.verbs.bag_options import chosen_sizer

TASKS = np.full(300, 300.0)


def run(sizer, duration_s=TASKS):
    return run_bag(World(duration_s), sizer)


def test_a_guess_is_counted_in_units_of_the_machines():
    for unit_s in (60.0, 3600.0, 86400.0):
        rule = user_guess(300, 300.0, unit_s, creation_ratio=1.0)
        assert rule.first_hosts == min(300, max(1, math.ceil(300 * 300 / unit_s)))
    assert chosen_sizer("silva", HostType(unit_s=60.0), 10, None, None, 0.9, "60s") == user_guess(10, 60.0, 60.0)
    assert chosen_sizer("silva", HostType(speed=2.0), 240, None, None, 0.9, "60s") == user_guess(240, 60.0, 7200.0)


@pytest.mark.parametrize(
    ("value", "nearest"), [(0.5, 1), (1.5, 2), (2.5, 3), (-0.5, -1), (-1.5, -2), (-2.5, -3), (2.49, 2), (-2.49, -2)]
)
def test_halves_are_rounded_away_from_zero(value, nearest):
    assert half_away(value) == nearest


@pytest.mark.parametrize("plain", [True, False], ids=["plain", "compiled"])
@pytest.mark.parametrize(
    ("tasks", "unit_s", "creation", "hosts", "span_s"), [(14, 4000, 1, 4, 5000), (7, 2000, 0.5, 4, 3000)]
)
def test_the_rule_takes_half_a_machine_for_a_whole_one_and_lacks_a_whole_one_where_half_a_one_is_too_many(
    plain, tasks, unit_s, creation, hosts, span_s
):
    # 14 tasks: after the first, (13 - 3) * 1,000 / 4,000 = 2.5 machines are missing; to even, or down, it would be 2.
    # 7 tasks: later half a machine is too many, -0.5: to even, or up, that would be 0, and one more were rented.
    kind = HostType(unit_s=float(unit_s))
    rule = SilvaRule(creation, 0.0, tick_s=np.inf)
    done = repeat(np.full((1, tasks), 1000.0), rule, (kind,), plain=plain)
    assert (done.hosts.tolist(), done.span_s.tolist()) == ([hosts], [span_s])


@pytest.mark.parametrize(
    ("hosts", "span_min", "charged_h"),
    [
        (1, 1500, 25), (5, 300, 25), (10, 150, 30), (13, 120, 26), (20, 75, 40), (24, 65, 36), (25, 60, 25),
        (26, 60, 26), (30, 50, 30), (50, 30, 50), (150, 10, 150), (300, 5, 300),
    ],
)  # fmt: skip
def test_figure_1_with_a_fixed_number_of_hosts(hosts, span_min, charged_h):
    done = run(FixedHosts(hosts))
    assert (done.span_s / 60, done.cost, len(done.hosts)) == (span_min, charged_h, hosts)


@pytest.mark.parametrize(
    ("creation", "increase", "condition", "hosts", "span_s"),
    [
        (1.0, 0.0, "ge", 25, 3900), (0.5, 0.5, "ge", 26, 3900), (0.5, 0.5, "gt", 25, 4200), (0.0, 1.0, "ge", 25, 4200),
        (0.0, 0.5, "ge", 26, 4200), (0.0, 0.5, "gt", 25, 4500),
    ],
)  # fmt: skip
def test_the_rule_on_equal_tasks_rents_the_known_number(creation, increase, condition, hosts, span_s):
    done = run(SilvaRule(creation, increase, condition=condition, tick_s=np.inf))
    assert (len(done.hosts), done.span_s, done.cost) == (hosts, span_s, hosts)


def test_with_creation_ratio_one_all_further_hosts_come_after_the_first_result():
    done = run(SilvaRule(1.0, 0.0, tick_s=np.inf))
    assert [row.rented_s for row in done.hosts] == [0.0] + [300.0] * 24
    assert done.speedup == pytest.approx(23.0769, abs=5e-5)


def test_the_mean_of_figure_3b_is_corrected_and_the_printed_one_kept():
    assert periodic_average(1000, 10, 1000, 5) == pytest.approx(133.333, abs=5e-4)
    assert periodic_average_as_printed(1000, 10, 1000, 5) == pytest.approx(20.0)


def test_a_long_first_task_does_not_delay_the_next_hosts():
    long_first = np.concatenate([[3000.0], np.full(99, 60.0)])
    waits = run(SilvaRule(1.0, 0.0, tick_s=np.inf), long_first)
    looks = run(SilvaRule(1.0, 0.0), long_first)
    assert waits.hosts[1].rented_s == 3000.0
    assert looks.hosts[1].rented_s < 300.0


def test_baselines_rent_what_their_names_say():
    assert len(run(all_at_once(300)).hosts) == 300
    assert len(run(oracle(TASKS)).hosts) == 25
