"""Slurm's limits and amounts in the model's words and units (rule L7)."""

from collections.abc import Iterator

from loadmaster.model import limits as model
from loadmaster.model.units import CORES, GPUS, MB, MEMORY
from loadmaster.site.job_scope import ALL_JOBS, LeftOut
from loadmaster.site.limits import Amounts, SiteLimits

_RESOURCE = {
    "cpu": (CORES, 1.0), "mem": (MEMORY, float(MB)), "gres/gpu": (GPUS, 1.0), "node": (model.HOSTS, 1.0),
}  # fmt: skip
"""Slurm's names of resources, ours, and how many of our units one of theirs is."""


def limits_of(limits: SiteLimits, left_out: LeftOut) -> model.Limits:
    """The same in the model's words; an association's own number of jobs is that of each user."""

    def converted(name: str, *, minutes: bool = False) -> model.Amounts:
        amounts = amounts_of(getattr(limits, name), name, left_out)
        return tuple((kind, 60.0 * amount) for kind, amount in amounts) if minutes else amounts

    return model.Limits(
        max_jobs_pu=limits.max_jobs if limits.max_jobs_pu is None else limits.max_jobs_pu,
        max_jobs_pa=limits.max_jobs_pa,
        grp_jobs=limits.grp_jobs,
        max_submit_pu=limits.max_submit if limits.max_submit_pu is None else limits.max_submit_pu,
        max_submit_pa=limits.max_submit_pa,
        grp_submit=limits.grp_submit,
        max_tres_pu=converted("max_tres_pu"),
        max_tres_pa=converted("max_tres_pa"),
        grp_tres=converted("grp_tres"),
        max_tres_job=converted("max_tres"),
        min_tres_job=converted("min_tres"),
        max_tres_host=converted("max_tres_node"),
        max_tres_s_job=converted("max_tres_mins", minutes=True),
        grp_tres_s=converted("grp_tres_mins", minutes=True),
        grp_tres_run_s=converted("grp_tres_run_mins", minutes=True),
        grp_wall_s=limits.grp_wall_s,
        max_wall_s=limits.max_wall_s,
    )


def amounts_of(amounts: Amounts, what: str, left_out: LeftOut) -> model.Amounts:
    """Amounts by our resources, in our units."""
    return tuple((name, amount * units) for name, amount, units in _our_amount(amounts, what, left_out))


def rates_of(amounts: Amounts, what: str, left_out: LeftOut) -> model.Amounts:
    """Something for each unit of a resource: for each of ours, which are smaller, it is less."""
    return tuple((name, amount / units) for name, amount, units in _our_amount(amounts, what, left_out))


def parts_of(amounts: Amounts, what: str, left_out: LeftOut) -> model.Amounts:
    """Something for all of a resource that there is, in whatever units."""
    return tuple((name, amount) for name, amount, _ in _our_amount(amounts, what, left_out))


def _our_amount(amounts: Amounts, what: str, left_out: LeftOut) -> Iterator[tuple[str, float, float]]:
    """Our name, the amount, and how many of our units one of Slurm's is."""
    for name, amount in amounts:
        if name in _RESOURCE:
            ours, units = _RESOURCE[name]
            yield ours, amount, units
        else:
            left_out[f"{what}: {name}"] = ALL_JOBS
