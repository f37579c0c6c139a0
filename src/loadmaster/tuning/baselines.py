"""Baselines of a search: built-in rules of the same kind as the rules that are searched (rule U10)."""

from collections.abc import Sequence
from dataclasses import replace

from loadmaster.order import ORDERS
from loadmaster.place import POLICIES
from loadmaster.runs.case import Case
from loadmaster.runs.setting import Setting, sources_of
from loadmaster.scheduling.notation import order_and_backfilling
from loadmaster.tuning.bench import PortableRule
from loadmaster.tuning.space import PartName, Space

BASELINE = "fcfs+easy"
SITE_QUEUE = "the site"
"""What sentences call the baseline where parameters of Slurm are searched."""
_BACKFILLINGS = ("easy", "easy(fill=shortest)", "netbatch", "skip", "stepwise", "selective")


def baseline(base: Setting, parts: Sequence[PartName] = ()) -> PortableRule:
    """First come, first served with EASY backfilling, with the placement of `base`.

    Where parameters of Slurm are searched it is `base`, the site's own queue.
    """
    setting = base if "slurm" in parts else replace(base, discipline=BASELINE)
    return PortableRule(setting, sources_of(setting))


def baselines(space: Space, case: Case) -> list[PortableRule]:
    """The base, and with each part that is searched in turn replaced by every built-in one; the baseline first."""
    base = space.base
    order, backfilling = order_and_backfilling(base.discipline)
    settings = [baseline(base, space.parts).setting, base]
    if "order" in space.parts:
        settings += [replace(base, discipline=f"{name}+{backfilling}") for name in ORDERS if _can_rank(name, case)]
    if space.places:
        settings += [replace(base, policy=name) for name, policy in POLICIES.items() if not policy.varies]
    if "backfilling" in space.parts:
        settings += [replace(base, discipline=f"{order}+{each}") for each in _BACKFILLINGS]
    once: dict[tuple[str, str], Setting] = {}
    for each in settings:
        once.setdefault((each.policy, _written(each.discipline)), each)
    return [PortableRule(each, sources_of(each)) for each in once.values()]


def of_the_kind(rule: PortableRule, space: Space) -> bool:
    """Whether a built-in rule is what is searched: whatever is not searched is as in the base."""
    (order, backfilling), own = (order_and_backfilling(each.discipline) for each in (rule.setting, space.base))
    return (
        (space.places or rule.setting.policy == space.base.policy)
        and (bool({"order", "slurm"} & {*space.parts}) or order == own[0])
        and (bool({"backfilling", "slurm"} & {*space.parts}) or backfilling == own[1])
    )


def _written(discipline: str) -> str:
    """A discipline with both its sides, so that `easy` and `fcfs+easy` are one rule."""
    return "+".join(order_and_backfilling(discipline))


def _can_rank(order: str, case: Case) -> bool:
    """Whether the log says what the order looks at."""
    bound = case.workload.constraints
    return order != "priority" or (bound is not None and bound.priority is not None)
