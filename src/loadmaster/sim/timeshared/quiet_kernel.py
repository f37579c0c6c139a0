# mypy: disable-error-code="no-untyped-def"
"""Whether a tick could move anything at all: while it could not, ticks need not be simulated.

A log of months has millions of quiet seconds. The contacts of a host differ from tick to tick, so one tick without a
move says nothing about the next. But if no host would move a task to any other host, no tick moves a task until one
comes or goes.
"""

import numpy as np

from loadmaster.jit.kernels import inner
from loadmaster.sim.timeshared.enhanced_kernel import enhanced_content
from loadmaster.sim.timeshared.state import MOSIX


@inner
def all_content(world, jobs, clock, rules, buffers, exactly):
    """True only if no host would move a task, with any contacts; False may also mean that it was not tested."""
    if rules.mover == MOSIX:
        return _mosix_content(world, rules)
    return enhanced_content(world, jobs, clock, buffers, exactly)


@inner
def _mosix_content(world, rules):
    """No memory to relieve, and not even the most loaded host above the least loaded one and the stability factor."""
    hosts, used = world.hosts, world.used
    most, least = 0.0, np.inf
    for host in range(hosts.shape[0]):
        power = hosts[host].power
        least = min(least, (used[host, 0] + rules.stability) / power)
        if hosts[host].root >= 0:
            most = max(most, used[host, 0] / power)
            if used.shape[1] > 1 and used[host, 1] > (1.0 - rules.free_fraction) * world.capacity[host, 1]:
                return False
    return most <= least
