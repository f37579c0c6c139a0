"""A part of the CPU as kernels and hypervisors have it: so many microseconds of it in every period."""

from typing import NamedTuple

PERIOD_US = 20_000
"""The CPU is shared out anew so often: a changed cap shows at once."""
LEAST_QUOTA_US, LONGEST_PERIOD_US = 1_000, 1_000_000
"""Neither Linux nor libvirt takes less, or longer."""
NO_QUOTA_US = -1


class CpuQuota(NamedTuple):
    """A quota that is not positive is none."""

    quota_us: int
    period_us: int


NO_QUOTA = CpuQuota(NO_QUOTA_US, PERIOD_US)


def quota_of(cores: float) -> CpuQuota:
    """What gives so many cores, more than 0: a very small part has a longer period.

    Example:
        >>> quota_of(0.5), quota_of(0.01)
        (CpuQuota(quota_us=10000, period_us=20000), CpuQuota(quota_us=1000, period_us=100000))
    """
    period_us = min(LONGEST_PERIOD_US, max(PERIOD_US, LEAST_QUOTA_US / cores))
    return CpuQuota(max(LEAST_QUOTA_US, round(cores * period_us)), round(period_us))


def quota_of_share(share: float) -> CpuQuota:
    """What gives a processor that part of a core; all of it is no quota."""
    return NO_QUOTA if share >= 1.0 else quota_of(share)


def share_of(quota: CpuQuota) -> float:
    """The part of a core that a processor may have; no more than all of it."""
    return 1.0 if quota.quota_us <= 0 or quota.period_us <= 0 else min(1.0, quota.quota_us / quota.period_us)
