"""Which machines move where: movers of time-shared clusters and bounded repacking, on the scene of a live run."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np

from loadmaster.live.guests.snapshot import Guest, GuestHost, GuestSnapshot
from loadmaster.model import InputError
from loadmaster.model.units import CORES, MEMORY
from loadmaster.move.change import State, Unit, within
from loadmaster.move.contacts import PICK, contacts_of, draw, order_of_turns
from loadmaster.move.host_rights import host_rights
from loadmaster.move.mover import PeriodicMover
from loadmaster.move.plan import plan_moves
from loadmaster.packing import Instance
from loadmaster.rules.near import pick
from loadmaster.scheduling.time_shared import MOVERS
from loadmaster.sharing.host_loads import HostLoads

REBALANCE = "rebalance"
GAIN = 0.02
"""Repacking must raise the least share by more than this part; machines would travel for nothing else."""


class MoveStep(NamedTuple):
    """The machine `id` goes to `host`."""

    id: str
    host: str


class GuestMoves(NamedTuple):
    """Moves in order, each of which has room once those before it are done; what movers remember."""

    steps: Sequence[MoveStep]
    scale: float


@dataclass(frozen=True)
class MoveRequest:
    """What a mover is asked with.

    Attributes:
        snapshot: in which no machine is moving.
        kept: machines that may not move now, beside those that never may.
        tick: of the mover, from 1: which one it is.
        left: what may be moved, in `unit`.
        seed: of its draws.
        scale: L, the load at which the hosts count as full (rule S5).
    """

    snapshot: GuestSnapshot
    kept: Collection[str]
    tick: int
    left: float
    unit: Unit
    seed: int = 0
    scale: float = 1.0

    def stays(self, name: str) -> bool:
        """Whether it may not move."""
        return self.snapshot.guests[name].stays or name in self.kept

    def cost(self, name: str) -> float:
        """What moving it takes of the budget."""
        return self.snapshot.guests[name].memory if self.unit == "bytes" else 1.0


class GuestMover(Protocol):
    """Decides what moves; a pure function of what it is asked with."""

    @property
    def name(self) -> str:
        """As on the command line."""
        ...

    def plan(self, ask: MoveRequest) -> GuestMoves:
        """The moves to make, none if all is well."""
        ...

    def prepare(self) -> None:
        """Do now what would make the first plan slow."""
        ...


@dataclass(frozen=True)
class MosixTurns:
    """A tick of Mosix or Enhanced Mosix: each host in turn looks at some others and moves at most one machine."""

    mover: PeriodicMover

    @property
    def name(self) -> str:
        """Of the mover."""
        return self.mover.name

    def plan(self, ask: MoveRequest) -> GuestMoves:
        """As in simulations (rules M3 and M4); hosts that are down have no turn and are no contact."""
        snapshot, demand = ask.snapshot, ask.snapshot.demand
        names, ids = list(snapshot.hosts), list(snapshot.guests)
        loads = HostLoads(snapshot.cluster)
        loads.scale = ask.scale
        for task, at in enumerate(snapshot.host.tolist()):
            loads.add(task, at, demand[task])
        loads.travelling |= {task for task, name in enumerate(ids) if ask.stays(name)}
        up, left, steps = [host.up for host in snapshot.hosts.values()], ask.left, list[MoveStep]()
        for at in order_of_turns(ask.seed, ask.tick, len(names)):
            if not up[at] or not loads.present(at):
                continue
            contacts = contacts_of(ask.seed, ask.tick, at, len(names), self.mover.fanout)
            number = draw(ask.seed, ask.tick, at, PICK, 1 << 32)
            move = self.mover.turn(loads, at, [each for each in contacts if up[each]], demand, number)
            if move is None or not within(ask.cost(ids[move.task]), left):
                continue
            if (loads.used[move.host, 1:] + demand[move.task, 1:] > loads.capacity[move.host, 1:]).any():
                continue  # simulated hosts page; machines that find no memory are not even begun to be moved
            left -= ask.cost(ids[move.task])
            steps.append(MoveStep(ids[move.task], names[move.host]))
            loads.remove(move.task, at, demand[move.task])
            loads.add(move.task, move.host, demand[move.task])
            loads.travelling.add(move.task)
        return GuestMoves(steps, loads.scale)

    def prepare(self) -> None:
        """Nothing."""


@dataclass(frozen=True)
class Rebalance:
    """The moves that raise the least share most, as `rebalance` plans them within a budget.

    Attributes:
        gain: they must raise it by more than this part.
    """

    gain: float = GAIN
    name: str = REBALANCE

    def plan(self, ask: MoveRequest) -> GuestMoves:
        """None of those that stay, and none to hosts that are down."""
        snapshot = ask.snapshot
        here = [name for name, host in snapshot.hosts.items() if host.up]
        ids = [name for name, guest in snapshot.guests.items() if guest.host in here]
        if not ids or ask.left <= 0:
            return GuestMoves((), ask.scale)
        state = _state(ask, here, ids)
        plan = plan_moves(state, ask.left, "heuristic")
        if plan.status not in ("ok", "limit") or not plan.level > state.level * (1 + self.gain):
            return GuestMoves((), ask.scale)
        return GuestMoves([MoveStep(ids[move.task], here[move.target]) for move in plan.moves], ask.scale)

    def prepare(self) -> None:
        """Its kernels are compiled by a plan of three machines on two hosts."""
        hosts = {"a": GuestHost(1.0, 3.0, True), "b": GuestHost(1.0, 3.0, True)}
        guests = {str(k): Guest(1.0, 1.0, "a", "", 1.0, k == 0) for k in range(3)}
        self.plan(MoveRequest(GuestSnapshot(hosts, guests), (), 0, 3.0, "bytes"))


def _state(ask: MoveRequest, here: list[str], ids: list[str]) -> State:
    """A machine that stays requests a right that only its own host has."""
    snapshot = ask.snapshot
    rows = [list(snapshot.guests).index(name) for name in ids]
    hosts = [list(snapshot.hosts).index(name) for name in here]
    at = np.array([here.index(snapshot.guests[name].host) for name in ids], np.int32)
    stays = np.array([ask.stays(name) for name in ids])
    rights = host_rights(~stays[:, None] | (at[:, None] == np.arange(len(here))))
    demand, has = snapshot.demand[rows], snapshot.cluster.capacity[hosts]
    used = np.zeros(len(here))
    np.add.at(used, at, demand[:, 1])
    room = np.maximum(has[:, 1], used)  # where more is there than there is memory for, nothing more comes
    instance = Instance(
        demand[:, :1],
        np.column_stack((demand[:, 1], rights.demand)),
        has[:, :1],
        np.column_stack((room, rights.capacity)),
        fluid_names=(CORES,),
        rigid_names=(MEMORY, *rights.names),
    )
    return State(instance, at, ask.unit)


GUEST_MOVERS: dict[str, GuestMover] = {
    REBALANCE: Rebalance(),
    **{name: MosixTurns(mover) for name, (mover, _, _) in MOVERS.items() if isinstance(mover, PeriodicMover)},
}
"""Every mover by its name on the command line."""


def guest_mover_named(spec: str) -> GuestMover:
    """The mover `spec`.

    Raises:
        InputError: there is no such mover.
    """
    if spec in MOVERS and spec not in GUEST_MOVERS:
        raise InputError(spec, "this mover acts when a task ends; machines do not", fix=", ".join(GUEST_MOVERS))
    return pick(spec, GUEST_MOVERS, what="mover", see=f"known: {', '.join(GUEST_MOVERS)}")
