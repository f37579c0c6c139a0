"""`live cgroup`: commands on this computer, each with a share of the CPU that changes over time."""

from dataclasses import KW_ONLY, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from loadmaster.verbs.live_options import CONDUCT, LiveOptions
from loadmaster.verbs.live_result import Lived, Looked
from loadmaster.verbs.option import Option
from loadmaster.verbs.unused_options import refuse_unused

if TYPE_CHECKING:
    from loadmaster.live.shares.session_state import SharesSessionState
    from loadmaster.model import Cluster


@dataclass(frozen=True)
class CgroupOptions(LiveOptions):
    """All that a run of commands under CPU shares can be told."""

    commands: Annotated[
        "str | Path",
        Option(
            "One command a line; or a table with columns command, cores, memory_gb and name.",
            argument=True,
            reads=True,
            typed=Path,
            in_file=False,
        ),
    ]
    _: KW_ONLY
    hosts: Annotated[str | None, Option("Machines that this box is divided into, such as 2x1c4g.", metavar="HOSTS")] = (
        None
    )
    cores: Annotated[float, Option("CPU that each command of a plain file requests.")] = 1.0
    memory: Annotated[
        str, Option("Memory that each command of a plain file requests, such as 2GB.", metavar="SIZE")
    ] = ""
    method: Annotated[
        str,
        Option(
            "Method: fractional, a packer (mcb8, ...), pvm, e-pvm, assign-u or greedy.", metavar="METHOD", rule=True
        ),
    ] = "fractional"
    least_yield: Annotated[
        float | None, Option("A command waits if its start would push a share below this; default 0.1.")
    ] = None
    interval: Annotated[
        str | float, Option("Time between two observations.", metavar="TIME", panel=CONDUCT, typed=str)
    ] = "0.2s"
    on_exit: Annotated[
        Literal["end", "leave"], Option("What to do with commands that still run at the end.", panel=CONDUCT)
    ] = "end"


def cgroup_with(options: CgroupOptions, command: str = "") -> Lived | Looked:
    """Run commands here under CPU shares, in control groups; started again, it goes on where it stopped.

    Raises:
        InputError: a command finds no room, no control group can be made, or an option changes nothing.
    """
    from loadmaster.live.cgroup.engine import CgroupEngine
    from loadmaster.live.cgroup.tree import clean_up
    from loadmaster.live.session.clocks import RealClock
    from loadmaster.live.shares.config import SharesConfig
    from loadmaster.live.shares.method_names import share_method_named
    from loadmaster.live.shares.run_under_shares import run_under_shares
    from loadmaster.verbs.commands_with_needs import is_table, read_batch
    from loadmaster.verbs.folder import make_folder

    if text := options.printed():
        return Looked("print", text=text)
    path, out = Path(options.commands), options.folder
    if is_table(path):
        refuse_unused(options, ("cores", "memory"), "the table says what each command requests")
    least = _least(options.method, options.least_yield)
    rule = share_method_named(options.method, least)
    interval_s, for_s = options.times("looks")
    batch, notes = read_batch(path, this_box(options.hosts), options.cores, options.memory)
    make_folder(out)
    engine = CgroupEngine(batch, out)
    try:
        left = (f"commands of another run still run in {path}" for path in clean_up(out))
        notes = (*notes, *left)
        config = SharesConfig(out, rule, least, interval_s, options.on_exit, for_s, options.about(command))
        report, state = run_under_shares(engine, RealClock(), batch, config)
        rows = tuple(_rows(engine, state))
    finally:
        engine.close()
    done = sum(row["status"] == "ok" for row in rows)
    figures = {
        "ended": report.ended,
        "commands": len(rows),
        "done": done,
        "starts": report.starts,
        "refusals": dict(report.refusals),
        "lost": report.lost,
        "stranded": report.stranded,
    }
    return Lived(out, figures, report.outcome, tuple(report.stranded), rows, (*notes, *report.notes))


def this_box(hosts: str | None) -> "Cluster":
    """All of this box as one machine called `here`, or parted into those that `--hosts` names.

    Raises:
        InputError: they have more cores than there are, or are faster.
    """
    import numpy as np

    from loadmaster.model import Cluster, InputError
    from loadmaster.model.units import CORES, MEMORY
    from loadmaster.site.machines import read_machines
    from loadmaster.system.process import free_memory_bytes, usable_cores

    here = usable_cores()
    if hosts is None:
        return Cluster((CORES, MEMORY), np.array([[here, free_memory_bytes()]], float), ("here",), np.ones(1))
    cluster = read_machines(hosts)
    assert cluster.speed is not None
    if cluster.speed.max() > 1:
        raise InputError(
            f"speed {cluster.speed.max():g}",
            "a machine cannot be faster than the box that it is part of",
            fix="1 or less",
        )
    power = float((cluster.capacity[:, 0] * cluster.speed).sum())
    if power > here:
        raise InputError(f"{power:g} cores", f"this box has {here} to divide among machines", fix="give fewer --hosts")
    names = cluster.names or tuple(f"machine{row}" for row in range(cluster.hosts))
    return Cluster(cluster.resources, cluster.capacity, names, cluster.speed)


def _least(method: str, given: float | None) -> float:
    """The given value, else a tenth; 0 for methods that start every command at once."""
    from loadmaster.scheduling.time_shared import METHODS

    return given if given is not None else 0.0 if method in METHODS else 0.1


def _rows(engine: Any, state: "SharesSessionState") -> list[dict[str, Any]]:
    from loadmaster.live.cgroup.command import outcome_in

    return [
        {"id": name, "name": shown, **_row(state, name, outcome_in(engine.place(name)))}
        for name, shown in zip(state.batch.ids, state.batch.names, strict=True)
    ]


def _row(state: "SharesSessionState", name: str, outcome: Any) -> dict[str, Any]:
    if outcome is not None:
        status = "ok" if outcome["exit_code"] == 0 else "failed"
        return {"status": status} | {key: outcome[key] for key in ("machine", "exit_code", "seconds", "cpu_s")}
    status = state.over[name][0] if name in state.over else "waits"
    return {"status": status, "machine": None, "exit_code": None, "seconds": None, "cpu_s": None}
