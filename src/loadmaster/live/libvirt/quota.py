"""A share of the CPU as libvirt has it: each virtual CPU may run so many microseconds in every period."""

from typing import NamedTuple

PERIOD_US = 20_000
"""Short ones answer a changed cap at once."""
LEAST_QUOTA_US, LONGEST_PERIOD_US = 1_000, 1_000_000
"""libvirt takes no less, and no longer."""
NO_QUOTA_US = -1


class Quota(NamedTuple):
    """Of each virtual CPU; a quota that is not positive is none."""

    quota_us: int
    period_us: int


def quota_of(share: float) -> Quota:
    """What gives each virtual CPU that part of a core; all of it is no quota.

    Example:
        >>> quota_of(0.5), quota_of(0.01)
        (Quota(quota_us=10000, period_us=20000), Quota(quota_us=1000, period_us=100000))
        >>> quota_of(1.0).quota_us
        -1
    """
    if share >= 1.0:
        return Quota(NO_QUOTA_US, PERIOD_US)
    period_us = PERIOD_US
    if share * period_us < LEAST_QUOTA_US:
        period_us = min(LONGEST_PERIOD_US, round(LEAST_QUOTA_US / share))
    return Quota(max(LEAST_QUOTA_US, round(share * period_us)), period_us)


def share_of(quota: Quota) -> float:
    """The part of a core that each virtual CPU may have; no more than all of it."""
    return 1.0 if quota.quota_us <= 0 or quota.period_us <= 0 else min(1.0, quota.quota_us / quota.period_us)
