"""Parameters of backfillings that are searched (rule U7)."""

from collections.abc import Mapping

from loadmaster.model.errors import InputError
from loadmaster.tuning.knobs import Knob, Value, Values

_HEADS = Knob("backfilling.heads", "number of blocked jobs with a reservation", 1, 8, step=1)
_LOOK = "number of waiting jobs tried in a pass"
_KNOBS: Mapping[str, tuple[Knob, ...]] = {
    "easy": (_HEADS, Knob("backfilling.fill", "the jobs that may fill free capacity", words=("order", "shortest"))),
    "conservative": (
        Knob("backfilling.early_end", "what happens to reservations when a job ends early",
             words=("arrival", "replan", "start", "now", "kept")),
        Knob("backfilling.lookahead", _LOOK, 10, 1000),
    ),
    "netbatch": (
        Knob("backfilling.reservations", "number of hosts reserved in a pass", 1, 1000),
        Knob("backfilling.lookahead", _LOOK, 10, 10_000),
    ),
    "stepwise": (Knob("backfilling.depth", "number of blocked jobs with a reservation", 1, 64),),
    "selective": (
        Knob("backfilling.expansion", "expansion factor from which a job gets a reservation", 1.0, 20.0, step=0.5),
    ),
}  # fmt: skip
_USUAL: Mapping[str, Value] = {
    "heads": 1, "fill": "order", "early_end": "replan", "lookahead": 1000, "reservations": 1000, "depth": 10,
    "expansion": 2.0,
}  # fmt: skip


def backfilling_knobs(name: str, *, by_arrival: bool) -> tuple[Knob, ...]:
    """What is searched of the backfilling `name`; promises can stand only where jobs go `by_arrival`.

    Raises:
        InputError: it has no parameter that could be searched.
    """
    knobs = tuple(knob for knob in _KNOBS.get(name, ()) if by_arrival or "replan" not in knob.words)
    if not knobs:
        fix = f"give --discipline with one of {', '.join(_KNOBS)}"
        raise InputError(name, "this backfilling has no parameters to search", fix=fix)
    return knobs


def usual_backfilling(knobs: tuple[Knob, ...]) -> dict[str, Value]:
    """The parameters as they are by default."""
    return {knob.name: _USUAL[knob.term] for knob in knobs}


def backfilling_text(name: str, given: Mapping[str, str], knobs: tuple[Knob, ...], values: Values) -> str:
    """The backfilling as a discipline writes it, what was `given` first.

    Example:
        >>> backfilling_text("easy", {"promise": "hosts"}, (_HEADS,), {"backfilling.heads": 2})
        'easy(promise=hosts,heads=2)'
    """
    says = {**given, **{knob.term: str(values[knob.name]) for knob in knobs}}
    return name + (f"({','.join(f'{key}={value}' for key, value in says.items())})" if says else "")
