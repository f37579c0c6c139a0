"""Rules as the user gives them: names, text separated by commas, functions and classes, pairs of order and backfilling.

What comes out are the names that everything below this room knows.
"""

from collections.abc import Callable, Sequence
from dataclasses import fields, is_dataclass
from types import NoneType
from typing import Any

Rule = str | Callable[..., Any]
"""A name, or a function or class of the user's own."""
Discipline = Rule | tuple[Rule, Rule]
"""A name, an order or a backfilling of the user's own, or a pair of order and backfilling."""
Naming = Callable[[Any], str]
"""What names functions and classes: `loadmaster.rules.by_value.naming`."""


def names_of(rules: Rule | Sequence[Rule | tuple[Rule, Rule]], option: str, name: Naming) -> list[str]:
    """The names of a list of rules, each once, in order; text is parted at commas outside parentheses.

    Raises:
        InputError: there is none, or one is no rule.
    """
    from loadmaster.model import InputError
    from loadmaster.rules.part import split_specs

    if isinstance(rules, str):
        names = split_specs(rules)
    else:
        listed = rules if isinstance(rules, Sequence) else [rules]
        names = list(dict.fromkeys(name_of(each, name) for each in listed))
    if not names:
        raise InputError(rules, f"{option} names nothing", fix="see `loadmaster policies`")
    return names


def name_of(rule: Any, name: Naming) -> str:
    """The name of one rule; a pair is an order and a backfilling.

    Raises:
        InputError: it is no rule.
    """
    from loadmaster.model import InputError

    if isinstance(rule, tuple):
        if len(rule) != 2:
            raise InputError(rule, "a discipline is a pair of an order and a backfilling", fix='(my_rank, "easy")')
        return "+".join(name_of(each, name) for each in rule)
    if isinstance(rule, str):
        return rule.strip()
    if is_dataclass(rule) and not isinstance(rule, type):
        return _with_parameters(rule, name) if _is_written_down(rule) else name(rule)
    return name(rule)


def _is_written_down(rule: Any) -> bool:
    """Whether its class and its parameters say all of an object: no method of the class changes it."""
    from loadmaster.rules.self_contained_text import NoText, text_alone
    from loadmaster.rules.state import state_written

    kind = type(rule)
    if kind.__module__.startswith("loadmaster."):
        return True
    try:
        text_alone(kind)
    except NoText:
        return False
    values = [getattr(rule, field.name) for field in fields(rule) if field.init]
    return state_written(kind) is None and all(
        isinstance(each, int | float | str | tuple | NoneType) for each in values
    )


def _with_parameters(rule: Any, name: Naming) -> str:
    """An object of a class as its name and those parameters that are not the usual ones."""
    from loadmaster.backfilling import BACKFILLINGS
    from loadmaster.order import ORDERS, ORDERS_WITH_MEMORY
    from loadmaster.place import POLICIES
    from loadmaster.scheduling.meta_rules import META_RULES
    from loadmaster.scheduling.time_shared import MOVERS
    from loadmaster.sharing.models import SHARING_MODELS
    from loadmaster.sizing import FixedHosts, Planner, SilvaRule

    for key, built_in in (*POLICIES.items(), *ORDERS.items()):
        if built_in is rule:
            return key
    kinds = {kind: key for table in (BACKFILLINGS, ORDERS_WITH_MEMORY, META_RULES) for key, (kind, *_) in table.items()}
    kinds |= {type(one): key for table in (MOVERS, SHARING_MODELS) for key, (one, *_) in table.items()}
    kinds |= {Planner: "planner", SilvaRule: "silva", FixedHosts: "fixed"}
    kind = type(rule)
    given = {
        field.name: getattr(rule, field.name)
        for field in fields(rule)
        if field.init and field.name != "name" and getattr(rule, field.name) != field.default
    }
    base = kinds[kind] if kind in kinds else name(kind)
    return base + (f"({','.join(f'{key}={_written(value)}' for key, value in given.items())})" if given else "")


def _written(value: Any) -> str:
    from loadmaster.model import InputError

    if value is None or isinstance(value, bool):
        return {None: "all", True: "yes", False: "no"}[value]
    if isinstance(value, tuple) and all(isinstance(each, int | float) for each in value):
        return ":".join(map(str, value))
    if isinstance(value, int | float | str):
        return str(value)
    raise InputError(type(value).__name__, "this parameter cannot be written down", fix="name the rule as text")
