"""The options about power: the cost and the carbon of energy, and the power that hosts may draw."""

from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from loadmaster.verbs.common_options import MACHINES
from loadmaster.verbs.log_options import LogOptions
from loadmaster.verbs.option import Option

if TYPE_CHECKING:
    from loadmaster.runs import Case
    from loadmaster.traces import Trace

_RULES = {"energy_price": "price", "carbon": "grams", "power_cap": "watts"}
"""Options by the field of `SiteRules` that they fill, with the column of their file."""


@dataclass(frozen=True, kw_only=True)
class PowerCapOptions(LogOptions):
    """Jobs, machines, and how much power these may draw."""

    power_cap: Annotated[
        "str | float | Path",
        Option(
            "Watts that all hosts may draw together: a number, or a CSV at,watts over time. Jobs wait for power.",
            metavar="WATTS|FILE",
            panel=MACHINES,
            typed=str,
        ),
    ] = ""

    @property
    def files(self) -> list[Path]:
        """Those of the inputs that are files."""
        return [*super().files, *(path for path in map(Path, map(str, self._power_options.values())) if path.is_file())]

    @property
    def _power_options(self) -> dict[str, Any]:
        """Those of the options about power that were given, by name."""
        names = [each.name for each in fields(self) if each.name in _RULES]
        return {name: getattr(self, name) for name in names if getattr(self, name) != ""}

    def with_rules(self, read: "Trace", case: "Case") -> "Case":
        """The case whose hosts know what energy costs.

        Raises:
            InputError: a value that does not read so, or the power of hosts is not known.
        """
        from loadmaster.model import InputError, SiteRules
        from loadmaster.traces.values_over_time import values_over_time

        given, case = self._power_options, super().with_rules(read, case)
        if not given:
            return case
        rules = case.cluster.rules or SiteRules()
        if not rules.power:
            option = f"--{next(iter(given)).replace('_', '-')}"
            fix = "give idle_w and full_w in a file for --hosts"
            raise InputError(
                option, "the power of the hosts is not known, so there is neither energy nor a cap", fix=fix
            )
        steps: dict[str, Any] = {
            name: values_over_time(value, _RULES[name], read.workload.epoch_s) for name, value in given.items()
        }
        return replace(case, cluster=replace(case.cluster, rules=replace(rules, **steps)))


@dataclass(frozen=True, kw_only=True)
class EnergyOptions(PowerCapOptions):
    """Jobs, machines, what their energy costs, and how much power they may draw."""

    energy_price: Annotated[
        "str | float | Path",
        Option(
            "Price of a kWh: a number, or a CSV at,price over time. The hosts file gives the power of hosts.",
            metavar="PRICE|FILE",
            panel=MACHINES,
            typed=str,
        ),
    ] = ""
    carbon: Annotated[
        "str | float | Path",
        Option(
            "Grams of CO2 per kWh: a number, or a CSV at,grams over time.",
            metavar="GRAMS|FILE",
            panel=MACHINES,
            typed=str,
        ),
    ] = ""
