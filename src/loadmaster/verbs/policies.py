"""`policies`: everything that can be named, rules, constraints, estimates and formats."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from loadmaster.verbs.option import Option, Options, called_with

if TYPE_CHECKING:
    import polars as pl

    from loadmaster.runs.kinds import NamedRule


@dataclass(frozen=True)
class PoliciesOptions(Options):
    """All that `policies` can be told."""

    name: Annotated[str | None, Option("A kind, such as packer, or a part of names.", argument=True)] = None
    kind: Annotated[str | None, Option("Only this kind: order, backfilling, constraint, format, ...")] = None


def rules_with(options: PoliciesOptions) -> "list[tuple[str, NamedRule]]":
    """Kind and rule of all that can be named.

    Raises:
        InputError: no such kind, or no rule with such a name.
    """
    from loadmaster.runs.kinds import KINDS, listed

    if options.kind is None and options.name in {kind.name for kind in KINDS}:
        return list(listed(options.name))
    return list(listed(options.kind, options.name))


def policies_with(options: PoliciesOptions) -> "pl.DataFrame":
    """All that can be named: rules of every kind, constraints, estimates, formats of logs.

    Returns:
        A row for each name: its kind, the name, what it does, where it was published.

    Raises:
        InputError: no such kind, or no rule with such a name.
    """
    import polars as pl

    rows = [{"kind": kind, **rule._asdict()} for kind, rule in rules_with(options)]
    return pl.DataFrame(rows, schema={"kind": pl.String, "name": pl.String, "summary": pl.String, "source": pl.String})


policies = called_with(PoliciesOptions, policies_with)
