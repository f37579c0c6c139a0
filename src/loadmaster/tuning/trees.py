"""Placements that are searched as small expression trees of what a host would have left (rule U14).

Places of a tree are numbered as a heap's: 1 is the root, 2 k and 2 k + 1 hang from k. 1 to 7 hold operators, 8 to 15
terms.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from loadmaster.model.arrays import Floats
from loadmaster.tuning.knobs import Knob, Value, Values
from loadmaster.tuning.placements import PART_LEFT, words_of

DEPTH = 3
"""Operators above one another, at most."""
_OPERATORS, _TERMS = range(1, 2**DEPTH), range(2**DEPTH, 2 ** (DEPTH + 1))
_FIRST = "first"
_WORDS = (_FIRST, "plus", "minus", "times", "over", "smaller", "larger")
_NUMBERS = ("0.5", "1.0", "2.0")
_SUM, _PRODUCT, _CALL = 1, 2, 3
"""How tightly an expression holds together, so that parentheses stand only where they are needed."""
_OVER = '''def over(a, b):
    """a / b; 1 where b is next to nothing."""
    return a / b if abs(b) > 1e-6 else 1.0
'''
_SIGNS: Mapping[str, tuple[str, int]] = {"plus": ("+", _SUM), "minus": ("-", _SUM), "times": ("*", _PRODUCT)}
_CALLS: Mapping[str, str] = {"over": "over", "smaller": "min", "larger": "max"}


class Branch(NamedTuple):
    """An expression as Python writes it.

    Attributes:
        text: of it.
        holds: how tightly it holds together.
    """

    text: str
    holds: int


def tree_knobs(resources: tuple[str, ...]) -> tuple[Knob, ...]:
    """What is searched of a tree: the operator at each place, and the terms below them."""
    terms = (*_terms(resources), *_NUMBERS)
    operators = tuple(Knob(_place(k), "the operator at this place", words=_WORDS, off=_FIRST) for k in _OPERATORS)
    return (*operators, *(Knob(_place(k), "the term at this place", words=terms) for k in _TERMS))


def first_trees(resources: tuple[str, ...]) -> list[dict[str, Value]]:
    """Trees to begin with: best-fit of each kind, the product of what is left, and mix-fit's distance."""
    names = _names(resources)
    parts = [f"{name}_part" for name in names]
    trees = [_tree(_FIRST, {8: term}) for name in names for term in (f"{name}_part", f"{name}_left")]
    if len(parts) > 1:
        trees.append(_tree("times", {8: parts[0], 12: parts[1]}))
        trees.append(_tree("larger", {8: parts[0], 10: parts[1], 12: parts[1], 14: parts[0]}, (2, 3), "minus"))
    return trees


def expression(values: Values) -> str:
    """The tree in a line, as the written file has it.

    Example:
        >>> expression(_tree("minus", {8: "cores_part", 12: "size", 14: "1.0"}, (3,), "plus"))
        'cores_part - (size + 1.0)'
    """
    return _branch(values, 1).text


def tree_text(values: Values, resources: tuple[str, ...], largest: Floats) -> str:
    """The function `score` of a tree; only terms that it has are worked out.

    Args:
        values: of all knobs.
        resources: their names.
        largest: float64[R], the most of each that a host has.
    """
    written, formulas = expression(values), _terms(resources, largest)
    used = [name for name in formulas if name in _names_in(values, 1)]
    lines = [f"    {name} = {formulas[name]}" for name in used]
    helpers = [PART_LEFT, ""] if any("part_left" in line for line in lines) else []
    helpers += [_OVER, ""] if "over(" in written else []
    head = ["def score(demand, free, capacity):", '    """The lowest rated host that fits is taken."""']
    return "\n".join([*helpers, *head, *lines, f"    return {written}", ""])


def cut(knobs: Sequence[Knob], values: Values) -> list[tuple[Knob, dict[str, Value]]]:
    """The tree with one operator and all behind it taken out, for each operator that counts (rule U12)."""
    taken = []
    for k in _alive(values, 1):
        knob = next(knob for knob in knobs if knob.name == _place(k))
        less = {**values, knob.name: _FIRST}
        lost = f"{values[knob.name]} {_branch(values, 2 * k + 1).text}"
        taken.append((Knob(f"tree.{lost}", f"leaves {expression(less)}", words=_WORDS), less))
    return taken


def _place(k: int) -> str:
    return f"tree.{k}"


def _branch(values: Values, k: int) -> Branch:
    """The expression that hangs from place k."""
    says = str(values[_place(k)])
    if k in _TERMS:
        return Branch(says, _CALL)
    one = _branch(values, 2 * k)
    if says == _FIRST:
        return one
    other = _branch(values, 2 * k + 1)
    if says in _CALLS:
        return Branch(f"{_CALLS[says]}({one.text}, {other.text})", _CALL)
    sign, holds = _SIGNS[says]
    return Branch(f"{_within(one, holds)} {sign} {_within(other, holds + 1)}", holds)


def _within(branch: Branch, holds: int) -> str:
    return branch.text if branch.holds >= holds else f"({branch.text})"


def _alive(values: Values, k: int) -> list[int]:
    """Places from k down whose operators count: none in a branch that `first` leaves out."""
    if k in _TERMS:
        return []
    if values[_place(k)] == _FIRST:
        return _alive(values, 2 * k)
    return [k, *_alive(values, 2 * k), *_alive(values, 2 * k + 1)]


def _names_in(values: Values, k: int) -> set[str]:
    if k in _TERMS:
        return {str(values[_place(k)])}
    names = _names_in(values, 2 * k)
    return names if values[_place(k)] == _FIRST else names | _names_in(values, 2 * k + 1)


def _tree(root: str, terms: Mapping[int, str], inner: tuple[int, ...] = (), operator: str = _FIRST) -> dict[str, Value]:
    """A tree of one operator at the root and one at the `inner` places; what is not named does not count."""
    values: dict[str, Value] = {_place(k): root if k == 1 else _FIRST for k in _OPERATORS}
    values.update((_place(k), operator) for k in inner)
    values.update((_place(k), terms.get(k, _NUMBERS[0])) for k in _TERMS)
    return values


def _terms(resources: tuple[str, ...], largest: Floats | None = None) -> dict[str, str]:
    """The text of every term by its name; what no host has counts over 1."""
    most = [1.0] * len(resources) if largest is None else [max(float(each), 1.0) for each in largest]
    terms = {}
    for r, name in enumerate(_names(resources)):
        terms[f"{name}_part"] = f"part_left(demand, free, capacity, {r})"
        terms[f"{name}_left"] = f"(free[{r}] - demand[{r}]) / {most[r]!r}"
        terms[f"{name}_asked"] = f"demand[{r}] / {most[r]!r}"
    terms["size"] = f"capacity[0] / {most[0]!r}"
    return terms


def _names(resources: tuple[str, ...]) -> list[str]:
    """The names of resources as parts of variables' names."""
    return [name.replace("-", "_") for name in words_of(resources)]
