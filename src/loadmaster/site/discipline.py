"""The queue of a site in our own notation: its order, its backfilling, all their parameters (rules L5 and L6)."""

from dataclasses import fields

from loadmaster.site.amounts import parts_of, rates_of
from loadmaster.site.job_scope import ALL_JOBS, LeftOut
from loadmaster.site.priority import Priority
from loadmaster.site.scheduler import SchedulerParameters
from loadmaster.site.site import Site

_RAW = {f"no_normal_{name}": name for name in ("part", "qos", "assoc", "tres", "all")}
_UNSEEN = ("depth_oblivious", "incr_only", "max_tres_gres")
"""Flags that change which job goes first and are not modelled; the last is of newer releases."""
_UNFELT = ("bf_continue", "bf_licenses", "bf_max_time")
"""Parameters that the loops `slurm` do not have: a pass takes no time there, and there are no licences."""


def discipline_of_site(site: Site) -> tuple[str, LeftOut]:
    """`ORDER+BACKFILLING(...)` of a site, and what of it is not modelled, with the jobs that it concerns."""
    left_out: LeftOut = {}
    order = _multifactor(site.priority, left_out) if site.priority.multifactor else "fcfs"
    return f"{order}+{_loops(site, left_out)}", left_out


def _multifactor(given: Priority, left_out: LeftOut) -> str:
    left_out |= {f"PriorityFlags={flag.upper()}": ALL_JOBS for flag in given.flags if flag in _UNSEEN}
    by_unit = {"no_normal_tres", "no_normal_all"} & set(given.flags)
    tres = (rates_of if by_unit else parts_of)(given.weights.tres, "PriorityWeightTRES", left_out)
    classic = {"no_fair_tree", "depth_oblivious"} & set(given.flags)
    raw = [_RAW[flag] for flag in given.flags if flag in _RAW]
    values = {
        "age": given.weights.age,
        "fair_share": given.weights.fair_share,
        "size": given.weights.job_size,
        "partition": given.weights.partition,
        "qos": given.weights.qos,
        "assoc": given.weights.assoc,
        "tres": ";".join(f"{name}:{weight!r}" for name, weight in tres),
        "max_age": given.max_age_s,
        "half_life": given.half_life_s,
        "calc_period": given.calc_period_s,
        "reset": given.reset,
        "form": "classic" if classic else "tree",
        "damp": given.damping,
        "favor_small": given.favor_small,
        "small_relative_to_time": "small_relative_to_time" in given.flags,
        "accrue_always": "accrue_always" in given.flags,
        "max_tres": "max_tres" in given.flags,
        "no_normal": ":".join(raw),
    }
    return f"multifactor({_written(values)})"


def _written(values: dict[str, object]) -> str:
    """Every parameter that says something, as name=value."""
    return ",".join(f"{name}={_word(value)}" for name, value in values.items() if value != "")


def _word(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:g}" if isinstance(value, float) and value == int(value) and value < 1e6 else str(value)


def _loops(site: Site, left_out: LeftOut) -> str:
    """Both loops with what differs from Slurm's defaults; `sched/builtin` never backfills."""
    given, usual = site.scheduler.parameters, SchedulerParameters()
    values: dict[str, object] = {
        field.name: "none" if (value := getattr(given, field.name)) == -1 else value
        for field in fields(SchedulerParameters)
        if getattr(given, field.name) != getattr(usual, field.name) and not field.name.startswith("preempt_")
    }
    left_out |= {f"SchedulerParameters={name}": ALL_JOBS for name in _UNFELT if values.pop(name, None) is not None}
    if site.scheduler.kind == "builtin":
        values["bf_interval"] = "none"
    if site.kill_wait_s != 30.0:
        values["kill_wait"] = int(site.kill_wait_s)
    if site.over_time_limit_s != 0.0:
        values["over_time_limit"] = "none" if site.over_time_is_unlimited else int(site.over_time_limit_s / 60.0)
    return f"slurm({_written(values)})" if values else "slurm"
