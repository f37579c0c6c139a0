"""Limits of an account, a user or a QOS, as the accounting database names them."""

from dataclasses import dataclass, fields
from typing import Any

from loadmaster.site.fields import Fields, amounts, whole
from loadmaster.site.lines import Pair
from loadmaster.site.times import duration_s

Amounts = tuple[tuple[str, float], ...]
"""By resource in lower case: `cpu`, `mem` (MiB), `node`, `gres/gpu`, `billing`, ..."""


@dataclass(frozen=True)
class SiteLimits:
    """None or empty where nothing is limited.

    `grp_`: of all under an account or a QOS together; `_pu`, `_pa`: of each user and each account under a QOS;
    `_run_mins`: minutes that running jobs may still take.
    """

    max_jobs: int | None = None
    max_jobs_pu: int | None = None
    max_jobs_pa: int | None = None
    grp_jobs: int | None = None
    max_submit: int | None = None
    max_submit_pu: int | None = None
    max_submit_pa: int | None = None
    grp_submit: int | None = None
    max_tres: Amounts = ()
    max_tres_node: Amounts = ()
    max_tres_pu: Amounts = ()
    max_tres_pa: Amounts = ()
    grp_tres: Amounts = ()
    min_tres: Amounts = ()
    max_tres_mins: Amounts = ()
    grp_tres_mins: Amounts = ()
    grp_tres_run_mins: Amounts = ()
    max_wall_s: float | None = None
    grp_wall_s: float | None = None

    @property
    def given(self) -> tuple[str, ...]:
        """Names of the limits that are there."""
        return tuple(field.name for field in fields(self) if getattr(self, field.name) not in (None, ()))


_KEYS: dict[str, tuple[str, ...]] = {
    "max_jobs": ("MaxJobs",),
    "max_jobs_pu": ("MaxJobsPU", "MaxJobsPerUser"),
    "max_jobs_pa": ("MaxJobsPA", "MaxJobsPerAccount"),
    "grp_jobs": ("GrpJobs",),
    "max_submit": ("MaxSubmit", "MaxSubmitJobs"),
    "max_submit_pu": ("MaxSubmitPU", "MaxSubmitJobsPU", "MaxSubmitJobsPerUser"),
    "max_submit_pa": ("MaxSubmitPA", "MaxSubmitJobsPA", "MaxSubmitJobsPerAccount"),
    "grp_submit": ("GrpSubmit", "GrpSubmitJobs"),
    "max_tres": ("MaxTRES", "MaxTRESPerJob"),
    "max_tres_node": ("MaxTRESPerNode",),
    "max_tres_pu": ("MaxTRESPU", "MaxTRESPerUser"),
    "max_tres_pa": ("MaxTRESPA", "MaxTRESPerAccount"),
    "grp_tres": ("GrpTRES",),
    "min_tres": ("MinTRES", "MinTRESPerJob"),
    "max_tres_mins": ("MaxTRESMins", "MaxTRESMinsPerJob"),
    "grp_tres_mins": ("GrpTRESMins",),
    "grp_tres_run_mins": ("GrpTRESRunMins",),
    "max_wall_s": ("MaxWall", "MaxWallDurationPerJob"),
    "grp_wall_s": ("GrpWall",),
}
"""How tables, dumps and their versions name each."""


def read_limits(row: Fields) -> SiteLimits:
    """The limits of a row; an empty cell and -1 limit nothing.

    Raises:
        InputError: a value that is no such limit.
    """
    limits: dict[str, Any] = {}
    for name, keys in _KEYS.items():
        pair = row.pair(*keys)
        if pair is not None and pair.value.strip() not in ("", "-1"):
            limits[name] = _limit(name, pair)
    return SiteLimits(**limits)


def _limit(name: str, pair: Pair) -> Any:
    if name.endswith("_wall_s"):
        return duration_s(pair.value, pair.where)
    if "tres" in name:
        return tuple((kind, amount) for kind, amount in amounts(pair).items() if amount >= 0)
    return whole(0, 2**31)(pair)
