"""A site's multifactor priority: the settings `Priority...` and the dampening of fair share (rule L6)."""

from dataclasses import dataclass

from loadmaster.site.fields import Fields, names, one_of, weights, whole, yes_no
from loadmaster.site.lines import Pair
from loadmaster.site.times import duration_s

_MOST = 2**32 - 1
_TYPES = {f"{prefix}{name}": name == "multifactor" for prefix in ("priority/", "") for name in ("basic", "multifactor")}
_RESETS = {name: name for name in ("none", "now", "daily", "weekly", "monthly", "quarterly", "yearly")}
FLAGS = (
    "accrue_always", "calculate_running", "depth_oblivious", "fair_tree", "incr_only", "max_tres", "max_tres_gres",
    "no_fair_tree", "no_normal_all", "no_normal_assoc", "no_normal_part", "no_normal_qos", "no_normal_tres",
    "small_relative_to_time",
)  # fmt: skip


@dataclass(frozen=True)
class PriorityWeights:
    """The weight of every factor; `tres` by resource."""

    age: int = 0
    assoc: int = 0
    fair_share: int = 0
    job_size: int = 0
    partition: int = 0
    qos: int = 0
    tres: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True)
class Priority:
    """How jobs are ranked; `multifactor` False is the order of submission.

    Attributes:
        max_age_s: the age at which its factor is 1.
        half_life_s: of past use; 0 never fades.
        calc_period_s: between two reckonings.
        reset: when use is forgotten: `none`, `now`, `daily`, ..., `yearly`.
        flags: words of `FLAGS` in lower case.
    """

    multifactor: bool = False
    weights: PriorityWeights = PriorityWeights()
    max_age_s: float = 604800.0
    half_life_s: float = 604800.0
    calc_period_s: float = 300.0
    favor_small: bool = False
    flags: tuple[str, ...] = ()
    reset: str = "none"
    damping: int = 1


def read_priority(fields: Fields) -> Priority:
    """All settings of the priority.

    Raises:
        InputError: a value that breaks its rule.
    """
    weight = whole(0, _MOST)
    return Priority(
        fields.read("PriorityType", lambda pair: one_of(pair, _TYPES), False),
        PriorityWeights(
            fields.read("PriorityWeightAge", weight, 0),
            fields.read("PriorityWeightAssoc", weight, 0),
            fields.read("PriorityWeightFairshare", weight, 0),
            fields.read("PriorityWeightJobSize", weight, 0),
            fields.read("PriorityWeightPartition", weight, 0),
            fields.read("PriorityWeightQOS", weight, 0),
            fields.read("PriorityWeightTRES", weights, ()),
        ),
        fields.read("PriorityMaxAge", _time_s, 604800.0),
        fields.read("PriorityDecayHalfLife", _time_s, 604800.0),
        60.0 * fields.read("PriorityCalcPeriod", whole(1, 2**31), 5),
        fields.read("PriorityFavorSmall", yes_no, False),
        fields.read("PriorityFlags", _flags, ()),
        fields.read("PriorityUsageResetPeriod", lambda pair: one_of(pair, _RESETS), "none"),
        fields.read("FairShareDampeningFactor", whole(1, _MOST), 1),
    )


def _time_s(pair: Pair) -> float:
    return duration_s(pair.value, pair.where)


def _flags(pair: Pair) -> tuple[str, ...]:
    table = {name: name for name in FLAGS}
    return tuple(one_of(Pair(pair.key, word, pair.where), table) for word in names(pair))
