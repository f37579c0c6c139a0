"""Parameters of Slurm's own queue that are searched, and the lines of `slurm.conf` that set them (rule U15)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from loadmaster.model import Cluster, InputError
from loadmaster.rules.part import Part
from loadmaster.runs.setting import Setting
from loadmaster.scheduling.notation import order_and_backfilling
from loadmaster.site.scheduler import SchedulerParameters
from loadmaster.site.times import duration_s
from loadmaster.tuning.knobs import Knob, Value, Values

PART = "slurm"
MULTIFACTOR, LOOPS = "multifactor", "slurm"
_WEIGHTS = ("0", "100", "1000", "10000", "100000")


@dataclass(frozen=True)
class SlurmParameter:
    """One parameter.

    Attributes:
        key: its name in `slurm.conf`; of a word of SchedulerParameters, this word.
        side: whether it is of the order or of the backfilling.
        name: its name in our notation of that side.
        values: that are tried, beside the present one.
        meaning: what it does, in words.
    """

    key: str
    side: Literal["order", "backfilling"]
    name: str
    values: tuple[str, ...]
    meaning: str


PARAMETERS = (
    SlurmParameter("PriorityWeightAge", "order", "age", _WEIGHTS, "weight of the time that a job has waited"),
    SlurmParameter("PriorityWeightFairshare", "order", "fair_share", _WEIGHTS, "weight of a small use in the past"),
    SlurmParameter("PriorityWeightJobSize", "order", "size", _WEIGHTS, "weight of the size of a job"),
    SlurmParameter("PriorityWeightPartition", "order", "partition", _WEIGHTS, "weight of PriorityJobFactor"),
    SlurmParameter("PriorityWeightQOS", "order", "qos", _WEIGHTS, "weight of the priority of a QOS"),
    SlurmParameter("PriorityMaxAge", "order", "max_age", ("1-0", "3-0", "7-0", "14-0"), "the age that counts 1"),
    SlurmParameter(
        "PriorityFavorSmall", "order", "favor_small", ("NO", "YES"), "whether small jobs count more by size"
    ),
    SlurmParameter(
        "bf_window", "backfilling", "bf_window", ("720", "1440", "2880", "4320", "10080"), "minutes planned ahead"
    ),
    SlurmParameter(
        "bf_max_job_test", "backfilling", "bf_max_job_test", ("100", "500", "1000", "5000"), "jobs tried in a pass"
    ),
    SlurmParameter(
        "bf_max_job_user", "backfilling", "bf_max_job_user", ("0", "5", "20", "50"), "jobs of a user tried in a pass"
    ),
    SlurmParameter(
        "bf_min_age_reserve", "backfilling", "bf_min_age_reserve", ("0", "600", "3600"), "seconds before a reservation"
    ),
)
"""All that is searched. A pass takes no time in the model, so what only spares time is not (bf_interval)."""
_BY_KEY = {each.key: each for each in PARAMETERS}


def slurm_knobs(base: Setting, cluster: Cluster) -> tuple[Knob, ...]:
    """A knob for each parameter that can change anything at this site; the present value is the one that is `off`.

    Raises:
        InputError: the queue of `base` is not Slurm's own.
    """
    order, backfilling = _sides(base)
    given = {"order": order.given, "backfilling": backfilling.given}
    knobs = []
    for each in PARAMETERS:
        if each.side == "order" and (order.name != MULTIFACTOR or not _matters(each, cluster)):
            continue
        present = _present(each, given[each.side])
        words = tuple(dict.fromkeys((*each.values, present)))
        knobs.append(Knob(f"{PART}.{each.key}", each.meaning, words=words, off=present))
    return tuple(knobs)


def refuse_other_queues(base: Setting) -> None:
    """See that the queue is Slurm's own.

    Raises:
        InputError: it is another.
    """
    _sides(base)


def one_by_one(knobs: tuple[Knob, ...]) -> list[dict[str, Value]]:
    """Candidates to begin with: the present queue with one parameter changed."""
    present: dict[str, Value] = {knob.name: knob.off for knob in knobs if knob.off is not None}
    return [{**present, knob.name: word} for knob in knobs for word in knob.words if word != knob.off]


def slurm_discipline(base: Setting, knobs: tuple[Knob, ...], values: Values) -> str:
    """The queue of `base` with the parameters of a candidate."""
    sides = dict(zip(("order", "backfilling"), _sides(base), strict=True))
    says = {side: dict(part.given) for side, part in sides.items()}
    for knob in knobs:
        parameter = _BY_KEY[knob.term]
        if values[knob.name] != knob.off:
            says[parameter.side][parameter.name] = _in_notation(parameter, str(values[knob.name]))
    return "+".join(_written(part.name, says[side]) for side, part in sides.items())


def slurm_conf_lines(knobs: tuple[Knob, ...], values: Values, scheduler_parameters: str) -> tuple[str, ...]:
    """The lines of `slurm.conf` that make the present queue the candidate; () where nothing changes.

    Args:
        knobs: what was searched.
        values: of the candidate.
        scheduler_parameters: what SchedulerParameters says now: its other words stay.
    """
    lines, words = [], {}
    for word in (word.strip() for word in scheduler_parameters.split(",") if word.strip()):
        words[word.partition("=")[0].strip().lower()] = word
    changed = False
    for knob in knobs:
        value, parameter = values[knob.name], _BY_KEY[knob.term]
        if value == knob.off:
            continue
        if parameter.side == "order":
            lines.append(f"{parameter.key}={value}")
        else:
            changed = True
            words[parameter.key] = f"{parameter.key}={value}"
    if changed:
        lines.append(f"SchedulerParameters={','.join(words.values())}")
    return tuple(lines)


def what_if_words(knobs: tuple[Knob, ...], values: Values) -> str:
    """The same as `--what-if` takes it; empty where nothing changes."""
    steps = []
    for knob in knobs:
        if values[knob.name] != knob.off:
            parameter = _BY_KEY[knob.term]
            key = parameter.key if parameter.side == "order" else f"SchedulerParameters={parameter.key}"
            steps.append(f"set {key}={values[knob.name]}")
    return "; ".join(steps)


def _sides(base: Setting) -> tuple[Part, Part]:
    order, backfilling = (Part.of(side) for side in order_and_backfilling(base.discipline))
    if backfilling.name != LOOPS:
        rule = "the parameters of Slurm are searched where its own queue is known"
        raise InputError(base.discipline, rule, fix="give the site's configuration: --site slurm.conf")
    return order, backfilling


def _present(parameter: SlurmParameter, given: Mapping[str, str]) -> str:
    """What the parameter is now, as `slurm.conf` writes it."""
    if parameter.side == "backfilling":
        return given.get(parameter.name, str(getattr(SchedulerParameters(), parameter.name)))
    value = given.get(parameter.name, "0")
    if parameter.name == "favor_small":
        return value.upper()
    if parameter.name != "max_age":
        return value
    seconds = float(value)
    same = next((word for word in parameter.values if duration_s(word) == seconds), None)
    return same or f"0-0:0:{seconds:.0f}"


def _in_notation(parameter: SlurmParameter, value: str) -> str:
    if parameter.name == "max_age":
        return f"{duration_s(value):.0f}"
    return value.lower() if parameter.name == "favor_small" else value


def _matters(parameter: SlurmParameter, cluster: Cluster) -> bool:
    """Whether jobs of this site differ in the factor."""
    rules = cluster.rules
    if parameter.name == "partition":
        return rules is not None and len({each.job_factor for each in rules.partitions}) > 1
    if parameter.name == "qos":
        return rules is not None and len({each.priority for each in rules.qos}) > 1
    return True


def _written(name: str, says: Mapping[str, str]) -> str:
    return f"{name}({','.join(f'{key}={value}' for key, value in says.items())})" if says else name
