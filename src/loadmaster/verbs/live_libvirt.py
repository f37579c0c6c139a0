"""`live libvirt`: virtual machines of several hosts, capped and moved while they run."""

from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from loadmaster.verbs.common_options import Seed
from loadmaster.verbs.live_options import CONDUCT, LiveOptions
from loadmaster.verbs.live_result import Lived, Looked
from loadmaster.verbs.option import Option
from loadmaster.verbs.unused_options import refuse_all_but, refuse_unused

if TYPE_CHECKING:
    from loadmaster.live.guests.config import GuestsConfig
    from loadmaster.live.guests.decider import GuestsDecider
    from loadmaster.live.guests.session_state import GuestsSessionState
    from loadmaster.model.actions import Action

LOOKS = ("uris", "doctor", "mover", "config")
"""What `--doctor` looks at."""
MOVING = ("moves", "budget", "move_every", "bandwidth", "seed")
"""What only a mover looks at."""


@dataclass(frozen=True)
class LibvirtOptions(LiveOptions):
    """All that looking after virtual machines can be told."""

    uris: Annotated[
        "str | Sequence[str]",
        Option(
            "Hosts, as virsh takes them, such as qemu+ssh://a/system.", metavar="URI", argument=True, typed=list[str]
        ),
    ] = ()
    _: KW_ONLY
    caps: Annotated[bool, Option("Cap the CPU of every machine, or leave caps alone.", flags=("--caps/--no-caps",))] = (
        True
    )
    mover: Annotated[
        str, Option("The mover: rebalance, mosix or enhanced-mosix; without it no machine moves.", metavar="MOVER")
    ] = ""
    moves: Annotated[int | None, Option("Move up to N machines an hour.", metavar="N", least=1)] = None
    budget: Annotated[str | None, Option("Or move up to this much memory an hour, such as 64GB.", metavar="SIZE")] = (
        None
    )
    move_every: Annotated[str | float, Option("Time between two calls of the mover.", metavar="TIME", typed=str)] = (
        "60s"
    )
    bandwidth: Annotated[
        str | None, Option("Memory that a move may transfer in a second, such as 100MB.", metavar="SIZE")
    ] = None
    leave_cores: Annotated[float, Option("Cores that each host keeps for itself.", least=0.0)] = 0.0
    leave_memory: Annotated[str, Option("Memory that each host keeps for itself, such as 2GB.", metavar="SIZE")] = "0"
    interval: Annotated[
        str | float, Option("Time between two observations.", metavar="TIME", panel=CONDUCT, typed=str)
    ] = "5s"
    dry_run: Annotated[bool, Option("Decide and print; change nothing.", panel=CONDUCT)] = False
    on_exit: Annotated[
        Literal["restore", "leave"],
        Option("At the end, restore the earlier caps or leave the present ones.", panel=CONDUCT),
    ] = "restore"
    state: Annotated["str | Path | None", Option("Folder of the hosts' leases.", metavar="DIR", typed=Path | None)] = (
        None
    )
    doctor: Annotated[
        bool, Option("Only check: which hosts answer, which machines can be capped or moved.", in_file=False)
    ] = False
    seed: Seed = 0

    def check_run(self) -> None:
        """As for every engine, and see that the mover exists and that its budget can be read."""
        _config(self)


def libvirt_with(
    options: LibvirtOptions, say: Callable[[str], None] = lambda _: None, command: str = ""
) -> Lived | Looked:
    """Cap and move virtual machines while they run, or look at them; none is started, stopped or destroyed.

    Raises:
        InputError: a host does not answer, an option changes nothing, or another loadmaster looks after one.
    """
    from loadmaster.live.guests.run_guests import run_guests
    from loadmaster.live.libvirt.doctor import examine
    from loadmaster.live.libvirt.engine import LibvirtEngine
    from loadmaster.live.libvirt.hosts import closed, connect
    from loadmaster.live.session.clocks import RealClock
    from loadmaster.model import InputError
    from loadmaster.model.units import parse_bytes
    from loadmaster.verbs.folder import make_folder

    if text := options.printed():
        return Looked("print", text=text)
    uris = [options.uris] if isinstance(options.uris, str) else list(options.uris)
    if not uris:
        raise InputError("live libvirt", "no host is named", fix="give its URI, such as qemu:///system")
    if options.doctor:
        refuse_all_but(options, LOOKS, "--doctor only looks")
        with closed(connect(uris)) as hosts:
            return Looked("doctor", (*options.config_findings(), *examine(hosts, moves=bool(options.mover))))
    config = _config(options)
    rate_mib = 0 if options.bandwidth is None else max(1, parse_bytes(options.bandwidth) >> 20)
    there, out = connect(uris), options.folder
    make_folder(out)
    engine = LibvirtEngine(
        there,
        leave_cores=options.leave_cores,
        leave_memory=float(parse_bytes(options.leave_memory)),
        bandwidth_mib=rate_mib,
        looks_on=options.dry_run,
        folder=None if options.state is None else Path(options.state),
    )
    try:
        report, state = run_guests(
            engine, RealClock(), config, out, about=options.about(command), watch=Shown(config, say)
        )
    finally:
        engine.close()
    rows = tuple(
        {"name": name.rpartition("@")[0], "id": name, **guest._asdict()}
        for name, guest in state.snapshot.guests.items()
    )
    figures = {
        "ended": report.ended,
        "cycles": report.cycles,
        "machines": len(rows),
        "moved": state.moved,
        "refusals": dict(report.refusals),
        "stranded": report.stranded,
        "left_out": [list(each) for each in report.left_out],
    }
    seed = options.seed if options.mover else None
    return Lived(out, figures, report.outcome, tuple(report.stranded), rows, tuple(report.notes), seed)


def _config(options: LibvirtOptions) -> "GuestsConfig":
    from math import inf

    from loadmaster.live.guests.config import GuestsConfig
    from loadmaster.live.session.disruption import MoveBudget
    from loadmaster.model.units import parse_seconds

    if not options.mover:
        refuse_unused(options, MOVING, "no machine moves without --mover")
    if options.dry_run:
        refuse_unused(options, ("on_exit", "state", "bandwidth"), "nothing is changed")
    if not options.caps:
        refuse_unused(options, ("on_exit",), "no cap is changed")
    interval_s, for_s = options.times("looks")
    budget = MoveBudget.of(options.moves, options.budget) or MoveBudget(inf)
    return GuestsConfig(
        caps=options.caps,
        mover=options.mover,
        every_s=parse_seconds(str(options.move_every)),
        interval_s=interval_s,
        for_s=for_s,
        seed=options.seed,
        acts=not options.dry_run,
        on_exit=options.on_exit,
        most=budget.most,
        unit=budget.unit,
    )


class Shown:
    """Says what is asked, or would be, each thing once until something else is asked."""

    def __init__(self, config: "GuestsConfig", say: Callable[[str], None]) -> None:
        self._would, self._say = "" if config.acts else "would ", say
        self._last: list[str] = []

    def __call__(self, decider: "GuestsDecider", actions: "Sequence[Action]") -> None:
        """See `run_guests`."""
        lines = [self._would + _words(action, decider.state) for action in actions]
        for line in lines:
            if line not in self._last:
                self._say(line)
        self._last = lines or self._last


def _words(action: "Action", state: "GuestsSessionState") -> str:
    from loadmaster.live.session.engine import job_of
    from loadmaster.model.actions import Cap, Move
    from loadmaster.model.units import percent

    name = job_of(action).rpartition("@")[0]
    match action:
        case Cap(of, share):
            return f"cap {name} at {percent(share, 1)} of its {state.snapshot.guests[of].cores:g} cores"
        case Move(of, (to,)):
            return f"move {name} from {state.snapshot.guests[of].host} to {to}"
        case _:
            return str(action)
