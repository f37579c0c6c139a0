"""Which jobs may stop running jobs at a site, and what happens to the stopped jobs."""

from dataclasses import dataclass

from loadmaster.site.fields import Fields, names, one_of, yes_no
from loadmaster.site.lines import Pair
from loadmaster.site.times import duration_s

_MODES = {name: name for name in ("off", "cancel", "requeue", "suspend", "gang", "within", "priority")}
_TYPES = {f"{prefix}{name}": name for prefix in ("preempt/", "") for name in ("none", "qos", "partition_prio")}


@dataclass(frozen=True)
class PreemptionSetting:
    """PreemptType (`none`, `qos`, `partition_prio`), PreemptMode, PreemptExemptTime and JobRequeue."""

    kind: str = "none"
    mode: tuple[str, ...] = ("off",)
    exempt_s: float = 0.0
    requeue: bool = True


def read_preemption(fields: Fields) -> PreemptionSetting:
    """The settings of the whole cluster.

    Raises:
        InputError: a value that breaks its rule.
    """
    return PreemptionSetting(
        fields.read("PreemptType", lambda pair: one_of(pair, _TYPES), "none"),
        fields.read("PreemptMode", read_mode, ("off",)),
        fields.read("PreemptExemptTime", exempt_s, 0.0),
        fields.read("JobRequeue", yes_no, True),
    )


def read_mode(pair: Pair) -> tuple[str, ...]:
    """Modes parted by commas, in lower case.

    Raises:
        InputError: one is unknown.
    """
    return tuple(one_of(Pair(pair.key, word, pair.where), _MODES) for word in names(pair))


def exempt_s(pair: Pair) -> float:
    """Seconds that a job runs before it may be pushed aside; -1 is 0."""
    return 0.0 if pair.value.strip() == "-1" else duration_s(pair.value, pair.where)
