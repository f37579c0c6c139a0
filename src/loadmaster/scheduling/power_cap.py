"""A cap on the power of the whole cluster: what each job is expected to draw, and what the cap leaves over time.

The draw of a job is an amount of the whole cluster, as a licence is (rule C14).
"""

import numpy as np

from loadmaster.model import Cluster, InputError, SiteRules, Workload
from loadmaster.model.arrays import Floats
from loadmaster.model.energy import HostPower, Steps

POWER = "power"
"""The kind of the counter, and its resource."""
ABOVE_CAP = "it draws more than the power cap ever leaves"
GRID = 1024.0
"""A draw is rounded up, and a cap down, to this part of a watt, so that sums are exact."""


def draws_w(workload: Workload, cluster: Cluster, rules: SiteRules) -> Floats:
    """float64[J]: the most that each job adds to the power of the hosts, on whichever of them it runs."""
    steepest = max((_steepest_w(power, cluster) for power in rules.power), default=0.0)
    cores = workload.demand[:, 0] * workload.task_count
    return np.asarray(np.ceil(cores * steepest * GRID) / GRID)


def _steepest_w(power: HostPower, cluster: Cluster) -> float:
    """The most watts that one more core in use adds on one of these hosts."""
    loads, watts = (np.array(column) for column in zip(*power.points, strict=True))
    slope_w = max(float((np.diff(watts) / np.diff(loads)).max()), 0.0)
    return slope_w / float(cluster.capacity[list(power.hosts), 0].min())


def leaves_no_power(cluster: Cluster) -> bool:
    """Whether idle hosts alone draw more than the cap at all times, so that no job could ever start."""
    rules = cluster.rules
    return rules is not None and bool(rules.power_cap) and _idle_w(rules) > max(cap_w for _, cap_w in rules.power_cap)


def above_idle(rules: SiteRules) -> Steps:
    """What the cap leaves to jobs over time: the cap less what all hosts draw without load; may be below 0.

    Raises:
        InputError: the power of hosts is not known, or idle hosts draw more than the cap at all times.
    """
    if not rules.power:
        fix = "give idle_w and full_w in a file for --hosts"
        raise InputError("power cap", "the power of the hosts is not known, so no cap can be kept", fix=fix)
    idle_w = _idle_w(rules)
    steps = tuple((from_s, float(np.floor((cap_w - idle_w) * GRID) / GRID)) for from_s, cap_w in rules.power_cap)
    if max(watts for _, watts in steps) < 0:
        most_w = max(watts for _, watts in rules.power_cap)
        rule = f"idle hosts draw {idle_w:,.6g} W, so no job could ever start under this cap"
        raise InputError(f"{most_w:,.6g} W", rule, fix="raise the cap, or take fewer hosts")
    return steps


def _idle_w(rules: SiteRules) -> float:
    return sum(power.idle_w * len(power.hosts) for power in rules.power)
