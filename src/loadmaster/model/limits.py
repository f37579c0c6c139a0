"""Limits of what may run or wait at once, for a user, an account, a quality of service or a partition."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Literal, NamedTuple

from loadmaster.model.errors import InputError

Amounts = tuple[tuple[str, float], ...]
"""By resource, as the cluster names them (`cores`, `memory` in bytes, `gpus`), and `hosts` for a number of hosts."""
HOSTS = "hosts"


class LimitKind(NamedTuple):
    """The properties of a limit, which is a field of `Limits`.

    Attributes:
        counts: jobs that are `running`; that are `submitted`, so run or wait; the `work` of jobs (rule C10); or what
            one `job` alone requests.
        of: each user or each account has a counter of its own; "" is one of all together.
        words: what is counted, for users; {} is the resource. Jobs that `explain` finds waiting for it need them.
    """

    counts: Literal["running", "submitted", "work", "job"]
    of: Literal["", "user", "account"] = ""
    words: str = ""


LIMIT_KINDS: Mapping[str, LimitKind] = {
    "max_jobs_pu": LimitKind("running", "user", "jobs of one user"),
    "max_jobs_pa": LimitKind("running", "account", "jobs of one account"),
    "grp_jobs": LimitKind("running", "", "jobs"),
    "max_submit_pu": LimitKind("submitted", "user"),
    "max_submit_pa": LimitKind("submitted", "account"),
    "grp_submit": LimitKind("submitted"),
    "max_tres_pu": LimitKind("running", "user", "{} of one user"),
    "max_tres_pa": LimitKind("running", "account", "{} of one account"),
    "grp_tres": LimitKind("running", "", "{}"),
    "max_tres_job": LimitKind("job"),
    "min_tres_job": LimitKind("job"),
    "max_tres_host": LimitKind("job"),
    "max_tres_s_job": LimitKind("job"),
    "grp_tres_s": LimitKind("work", "", "seconds times {}"),
    "grp_tres_run_s": LimitKind("work", "", "seconds times {} that running jobs may still take"),
    "grp_wall_s": LimitKind("work", "", "seconds of all jobs"),
    "max_wall_s": LimitKind("job"),
}
"""Every field of `Limits`; engines, the checker and `explain` read its properties here."""


@dataclass(frozen=True)
class Limits:
    """Limits of a QOS, an account or a user; a limit that is None or empty does not bind.

    Limits in `_pu` hold for each user, limits in `_pa` for each account that comes under them, and limits in `grp_` for
    all of them together. At an account of the tree, `_pu` limits each of its users in that account.

    Attributes:
        max_jobs_pu, max_jobs_pa, grp_jobs: jobs that run.
        max_submit_pu, max_submit_pa, grp_submit: jobs that run or wait; a job beyond the limit is refused.
        max_tres_pu, max_tres_pa, grp_tres: what running jobs hold.
        max_tres_job, min_tres_job: what one job may request, and must.
        max_tres_host: what one job may request, over the hosts that it requests at least.
        max_tres_s_job: what one job may request, times its limit.
        grp_tres_s: resource-seconds used so far.
        grp_tres_run_s: what running jobs hold, times what is left of their limits.
        grp_wall_s: seconds run so far by all jobs.
        max_wall_s: the limit that a job may have.
    """

    max_jobs_pu: int | None = None
    max_jobs_pa: int | None = None
    grp_jobs: int | None = None
    max_submit_pu: int | None = None
    max_submit_pa: int | None = None
    grp_submit: int | None = None
    max_tres_pu: Amounts = ()
    max_tres_pa: Amounts = ()
    grp_tres: Amounts = ()
    max_tres_job: Amounts = ()
    min_tres_job: Amounts = ()
    max_tres_host: Amounts = ()
    max_tres_s_job: Amounts = ()
    grp_tres_s: Amounts = ()
    grp_tres_run_s: Amounts = ()
    grp_wall_s: float | None = None
    max_wall_s: float | None = None

    def __post_init__(self) -> None:
        for name in self.given:
            value = getattr(self, name)
            for what, amount in value if isinstance(value, tuple) else ((name, value),):
                if not amount >= 0:
                    raise InputError(amount, f"the limit {name} of {what} must be zero or more")

    @property
    def given(self) -> tuple[str, ...]:
        """Names of the limits that are there."""
        return tuple(field.name for field in fields(self) if getattr(self, field.name) not in (None, ()))
