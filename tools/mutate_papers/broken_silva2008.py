"""Silva et al. 2008: what the study takes for the paper's rule is another one."""

import math
from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from unittest.mock import patch

from loadmaster.papers.silva2008 import claims
from loadmaster.papers.silva2008 import study as silva
from loadmaster.papers.silva2008.workloads import normal, rendered
from loadmaster.sim.bags.repetitions import draws, repeat
from loadmaster.sizing import FixedHosts, SilvaRule

RUNS = 60
NEEDED = ((1.0, 0.0), (0.5, 0.5), (0.0, 0.0), (0.0, 0.75), (0.75, 0.75))


@lru_cache(maxsize=2)
def _bags(name):
    return draws({"normal": normal, "render": rendered}[name](), RUNS)


def study():
    """The claims on both workloads, 60 bags each."""
    found = []
    for name in ("normal", "render"):
        cells = {key: repeat(_bags(name), silva.SilvaRule(*key, tick_s=math.inf)) for key in NEEDED}
        plain = name == "normal"
        found += [
            claims.optimum(name, cells, plain),
            claims.full_creation(name, cells, ""),
            *claims.increase_ratio(name, cells),
            claims.thirteen(name, cells, plain),
            *claims.behaviours(name, cells, not plain),
        ]
    return found


def _rule(change: Callable[[SilvaRule], object]):
    return lambda: patch.object(silva, "SilvaRule", lambda c, i, **more: change(SilvaRule(c, i, **more)))


MUTANTS = {
    "never rents a second machine": _rule(lambda rule: FixedHosts(1)),
    "rents one machine for each task": _rule(lambda rule: FixedHosts(256)),
    "rents a fixed number, too few": _rule(lambda rule: FixedHosts(8)),
    "rents the right number at once": _rule(lambda rule: FixedHosts(11)),
    "ignores the creation ratio: all that is necessary": _rule(lambda rule: replace(rule, creation_ratio=1.0)),
    "ignores the increase ratio": _rule(lambda rule: replace(rule, increase_ratio=0.0)),
    "takes one ratio for the other": _rule(
        lambda rule: replace(rule, creation_ratio=rule.increase_ratio, increase_ratio=rule.creation_ratio)
    ),
    "wants machines busy for half of the hour": _rule(lambda rule: replace(rule, host_time_s=1800.0)),
    "wants machines busy for two hours": _rule(lambda rule: replace(rule, host_time_s=7200.0)),
    "forgets that the running task counts": _rule(lambda rule: replace(rule, count_running=False)),
    "rents only above zero": _rule(lambda rule: replace(rule, condition="gt")),
    "raises the ratio after every result": _rule(lambda rule: replace(rule, c_update="every")),
}
