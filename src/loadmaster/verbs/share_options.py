"""The options of `share`, their values, and which of them a choice of methods uses."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from loadmaster.verbs.common_options import MACHINES, Estimates, Overrun, Seed
from loadmaster.verbs.dask_options import DaskOptions
from loadmaster.verbs.energy_options import PowerCapOptions
from loadmaster.verbs.licence_options import LicenceOptions
from loadmaster.verbs.option import Option
from loadmaster.verbs.rules import Naming, Rule, name_of
from loadmaster.verbs.unused_options import refuse_unneeded

if TYPE_CHECKING:
    from loadmaster.runs.sharing_settings import SharingSettings

SHARING = "How machines are shared"
METHODS = "pvm,e-pvm,mosix,e-mosix,fractional,fcfs,easy"


@dataclass(frozen=True, kw_only=True)
class ShareOptions(LicenceOptions, PowerCapOptions, DaskOptions):
    """All that `share` can be told."""

    methods: Annotated[
        Rule | Sequence[Rule | tuple[Rule, Rule]],
        Option(
            "Time-sharing methods, placement policies (also file.py:function, and POLICY+MOVER), fractional, "
            "choices of VMs, or disciplines of the batch queue.",
            metavar="A,B,...",
            typed=str,
        ),
    ] = METHODS
    policies: Annotated[
        Rule | Sequence[Rule],
        Option(
            "Placement policies of the batch queue (also max-jobs and file.py:function); a row for each "
            "discipline and policy.",
            metavar="A,B,...",
            typed=str,
        ),
    ] = "best-fit-memory"
    sharing: Annotated[
        Rule,
        Option(
            "How every host divides its CPU: processor-sharing, water-filling or file.py:function; each method's "
            "own if not given.",
            metavar="MODEL",
            panel=SHARING,
            typed=str,
        ),
    ] = ""
    thrash: Annotated[
        float, Option("Factor by which a host slows down when memory is over-committed.", panel=SHARING)
    ] = 10.0
    cpu_load: Annotated[
        Literal["jobs/speed", "jobs"], Option("How the opportunity cost reads a host's load.", panel=SHARING)
    ] = "jobs/speed"
    pause: Annotated[
        str | float, Option("How long a task stops when it migrates.", metavar="TIME", panel=SHARING, typed=str)
    ] = "0"
    bandwidth: Annotated[
        str | float | None,
        Option(
            "Memory that a migration moves in a second, such as 1GB.", metavar="SIZE", panel=SHARING, typed=str | None
        ),
    ] = None
    needs: Annotated[
        Literal["told", "learned"],
        Option("Whether methods know what tasks need (told) or learn it from earlier tasks.", panel=SHARING),
    ] = "told"
    repack: Annotated[
        Literal["never", "events", "periods"],
        Option("When fractional scheduling packs all tasks again.", panel=SHARING),
    ] = "periods"
    packer: Annotated[
        Rule,
        Option(
            "How fractional scheduling packs tasks: a packer, a placement policy or file.py:function.",
            metavar="PACKER",
            panel=SHARING,
            typed=str,
        ),
    ] = "mcb8"
    period: Annotated[
        str | float,
        Option(
            "Time between repackings by period; also the period of the budget.",
            metavar="TIME",
            panel=SHARING,
            typed=str,
        ),
    ] = "10min"
    budget: Annotated[
        str | float | None,
        Option(
            "Memory that fractional scheduling may move in a period; default: no limit.",
            metavar="SIZE",
            panel=SHARING,
            typed=str | None,
        ),
    ] = None
    least_yield: Annotated[float, Option("A job waits if its start would push a yield below this.", panel=SHARING)] = (
        0.0
    )
    vms: Annotated[
        str | Sequence[float],
        Option("Shares of the VMs of each host, for choices of VMs.", metavar="S1,S2,...", panel=SHARING, typed=str),
    ] = "1,1,1,1"
    estimates: Estimates = "user"
    overrun: Overrun = "run"
    seed: Seed = 0
    spread: Annotated[  # nothing keeps the tasks of a job apart on shared machines
        Literal["auto", "single-host", "any"],
        Option("Hosts for the tasks of one job; auto: as the log and its machines suggest.", panel=MACHINES),
    ] = "any"
    out: Annotated[
        "str | Path | None",
        Option("Folder for results and finished rows.", metavar="DIR", flags=("-o", "--out"), typed=Path | None),
    ] = None

    def settings(self, name: Naming) -> "SharingSettings":
        """The options as settings; each is refused under its own name."""
        from loadmaster.model import InputError
        from loadmaster.model.units import parse_bytes, parse_seconds
        from loadmaster.move.migration import MigrationCost
        from loadmaster.runs.sharing_settings import SharingSettings
        from loadmaster.runs.sharing_vms import check_shares
        from loadmaster.scheduling.fractional import Fractional

        period_s, pause_s = parse_seconds(str(self.period)), parse_seconds(str(self.pause))
        bandwidth = math.inf if self.bandwidth is None else parse_bytes(str(self.bandwidth))
        for option, value in (("--period", period_s), ("--bandwidth", bandwidth)):
            if not value > 0:
                raise InputError(f"{value:g}", f"{option} must be more than zero")
        listed = self.vms.split(",") if isinstance(self.vms, str) else self.vms
        try:
            shares = tuple(float(share) for share in listed)
        except ValueError as error:
            rule = "--vms takes the share of each VM of a host"
            raise InputError(self.vms, rule, fix="write it like 1,1,2,4") from error
        check_shares(shares)
        budget = math.inf if self.budget is None else parse_bytes(str(self.budget))
        return SharingSettings(
            name_of(self.sharing, name),
            self.thrash,
            self.cpu_load,
            MigrationCost(pause_s, bandwidth),
            Fractional(self.repack, period_s, self.least_yield, budget, period_s, packer=name_of(self.packer, name)),
            self.needs,
            vm_shares=shares,
            seed=self.seed,
            estimates=str(self.estimates),
            overrun=self.overrun,
        )


def refuse_idle(options: ShareOptions, methods: list[str]) -> None:
    """Refuse options that none of the methods looks at."""
    from loadmaster.runs.sharing_settings import kind_of
    from loadmaster.scheduling.time_shared import method_named

    options.refuse_reading()
    kinds = {name: kind_of(name) for name in methods}
    timed = [name for name, kind in kinds.items() if kind == "shared"]
    packed, queued, divided = ("fractional" in kinds.values(), "batch" in kinds.values(), "vms" in kinds.values())
    moving = packed or any(method_named(name).mover is not None for name in timed)
    shared, movers, yields = "time-shared methods", "methods that migrate", "the method fractional"
    repack, budget = options.repack, options.budget
    in_periods = packed and (repack == "periods" or (repack == "events" and budget is not None))
    repacking = (packed and repack != "never", f"{yields}, where it repacks")
    refuse_unneeded(
        options,
        {
            "thrash": (bool(timed), shared),
            "cpu_load": (bool(timed), shared),
            "pause": (moving, movers),
            "bandwidth": (moving, movers),
            "needs": (packed or bool(timed), f"{shared} and {yields}"),
            "repack": (packed, yields),
            "least_yield": (packed, yields),
            "budget": repacking,
            "packer": repacking,
            "period": (in_periods, f"{yields}, where it repacks by period or within a budget"),
            "vms": (divided, "choices of VMs"),
            "policies": (queued, "disciplines of the batch queue"),
            "estimates": (queued, "disciplines of the batch queue"),
            "overrun": (queued, "disciplines of the batch queue"),
            "sharing": (bool(timed) or packed or divided, "methods that share a host's CPU"),
        },
    )


def refuse_uncounted(options: ShareOptions, sharing: list[str]) -> None:
    """Refuse licences and a power cap beside the methods `sharing`, under which no job waits for these."""
    from loadmaster.model import InputError

    given = [name for name in ("licences", "power_cap") if getattr(options, name) != ""]
    if given and sharing:
        option, those = f"--{given[0].replace('_', '-')}", ", ".join(sharing)
        rule = f"only the batch queue counts what belongs to no host; no job waits for it under {those}"
        raise InputError(option, rule, fix="name disciplines alone, as in --methods fcfs,easy")
