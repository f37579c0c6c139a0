"""How a rule with parameters is written: `name(parameter=value,...)`, in one grammar for every kind of rule."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from loadmaster.model.errors import InputError

HOW = "name(parameter=value,...), such as easy(heads=2)"


@dataclass(frozen=True)
class Part:
    """A name and its parameters as they are written.

    Example:
        >>> Part.of("easy(heads=2)")
        Part(name='easy', given={'heads': '2'})
    """

    name: str
    given: Mapping[str, str]

    @classmethod
    def of(cls, text: str) -> "Part":
        """The part that `text` is.

        Raises:
            InputError: the parentheses or a parameter are not as the grammar says.
        """
        found = re.fullmatch(r"([^()]+)(?:\((.*)\))?", text.strip(), re.DOTALL)
        if found is None:
            raise InputError(text, "not as a rule is written", fix=f"write {HOW}")
        given = {}
        for pair in parted(found[2], ",") if found[2] else ():
            name, equals, value = pair.partition("=")
            if not equals or not name.strip() or not value.strip() or name.strip() in given:
                raise InputError(pair.strip() or text, "a parameter is written once, as name=value", where=text)
            given[name.strip()] = value.strip()
        return cls(found[1].strip(), given)


def split_specs(text: str) -> list[str]:
    """The disciplines of a list parted by commas that stand outside parentheses, each once, in order.

    Example:
        >>> split_specs("sjf+conservative(early_end=now), netbatch(reservations=2,lookahead=9),sjf+skip,sjf+skip")
        ['sjf+conservative(early_end=now)', 'netbatch(reservations=2,lookahead=9)', 'sjf+skip']
    """
    return list(dict.fromkeys(part.strip() for part in parted(text, ",") if part.strip()))


def parted(text: str, by: str) -> list[str]:
    """`text` cut at each `by` that stands outside parentheses.

    Example:
        >>> parted("twin(members=a;b(c=1)),none", ",")
        ['twin(members=a;b(c=1))', 'none']
    """
    parts, deep = [""], 0
    for sign in text:
        deep = max(0, deep + (sign == "(") - (sign == ")"))
        if sign == by and deep == 0:
            parts.append("")
        else:
            parts[-1] += sign
    return parts


def part_of(spec: str) -> Part:
    """Name and parameters of what stands alone, such as a policy or a sizer; parentheses may be part of a path.

    Example:
        >>> part_of("old (2)/my.py:score").name
        'old (2)/my.py:score'
    """
    return Part.of(spec) if spec.endswith(")") else Part(spec, {})
