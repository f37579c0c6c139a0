"""Placements that are searched: weighted terms of what a host would have left, and of its size (rule U6)."""

from loadmaster.model.arrays import Floats
from loadmaster.tuning.knobs import Knob, Value, Values, weight

PART_LEFT = '''def part_left(demand, free, capacity, r):
    """The part of resource r that would be left on the host."""
    return (free[r] - demand[r]) / capacity[r] if capacity[r] > 0.0 else 0.0
'''


def placement_knobs(resources: tuple[str, ...]) -> tuple[Knob, ...]:
    """What is searched of a placement: for each resource the part and the amount left; evenness; the host's size."""
    names = words_of(resources)
    each = [
        knob
        for name in names
        for knob in (
            weight(f"placement.{name}-part", f"for the part of the host's {name} that would be left"),
            weight(f"placement.{name}-left", f"for the {name} that would be left, over those of the largest host"),
        )
    ]
    uneven = [weight("placement.uneven", "for the distance between the parts left of the first two resources")]
    size = f"for the host's {names[0]}, over those of the largest host"
    return (*each, *(uneven if len(resources) > 1 else ()), weight("placement.size", size))


def first_placements(knobs: tuple[Knob, ...]) -> list[dict[str, Value]]:
    """Each term alone with its weight at 1, so best-fit of each kind and mix-fit are among them."""
    zero: dict[str, Value] = {knob.name: 0.0 for knob in knobs}
    return [{**zero, knob.name: 1.0} for knob in knobs]


def placement_text(knobs: tuple[Knob, ...], values: Values, resources: tuple[str, ...], largest: Floats) -> str:
    """The function `score` with its constants; terms of no weight are left out.

    Args:
        knobs: of the placement.
        values: of all knobs.
        resources: their names.
        largest: float64[R], the most of each that a host has.
    """
    formulas = _formulas(resources, largest)
    used = [knob for knob in knobs if values[knob.name] != knob.off]
    constants = [f"{knob.constant} = {values[knob.name]!r}  # {knob.meaning}" for knob in used]
    terms = [f"{knob.constant} * {formulas[knob.term]}" for knob in used]
    body = ["    return ("] + [f"        {'+ ' * (at > 0)}{term}" for at, term in enumerate(terms)] + ["    )"]
    score = ["def score(demand, free, capacity):", '    """The lowest rated host that fits is taken."""']
    score += body if terms else ["    return 0.0"]
    helper = [PART_LEFT, ""] if any("part_left" in term for term in terms) else []
    return "\n".join([*constants, "", "", *helper, *score, ""])


def _formulas(resources: tuple[str, ...], largest: Floats) -> dict[str, str]:
    """The text of every term; what no host has counts over 1."""
    formulas = {}
    for r, name in enumerate(words_of(resources)):
        most = max(float(largest[r]), 1.0)
        formulas[f"{name}-part"] = f"part_left(demand, free, capacity, {r})"
        formulas[f"{name}-left"] = f"((free[{r}] - demand[{r}]) / {most!r})"
    formulas["uneven"] = "abs(part_left(demand, free, capacity, 0) - part_left(demand, free, capacity, 1))"
    formulas["size"] = f"(capacity[0] / {max(float(largest[0]), 1.0)!r})"
    return formulas


def words_of(resources: tuple[str, ...]) -> list[str]:
    """The names of resources as parts of constants' names; by their number where that is no name, or one of two."""
    plain = ["".join(sign if sign.isalnum() and sign.isascii() else "-" for sign in name.lower()) for name in resources]
    return [
        name if name.replace("-", "_").isidentifier() and plain.count(name) == 1 else f"resource-{r}"
        for r, name in enumerate(plain)
    ]
