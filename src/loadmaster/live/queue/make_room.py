"""Which running jobs to move where so that a waiting one finds room: planned on what the scheduler sees (rule X11)."""

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from loadmaster.live.queue.ledger import Ledger
from loadmaster.live.session.engine import NOWHERE
from loadmaster.model import Snapshot
from loadmaster.model.actions import Move
from loadmaster.model.arrays import Bools, Floats, Ints
from loadmaster.model.exact_amounts import exact_demand
from loadmaster.model.snapshot import JobRulesNow
from loadmaster.model.units import CORES, MEMORY
from loadmaster.move.change import State, Unit
from loadmaster.move.change import TaskTransfer as Step
from loadmaster.move.host_rights import host_rights
from loadmaster.move.plan import plan_moves
from loadmaster.move.sequence import carried_out, spent_by
from loadmaster.packing import Instance

TIME_LIMIT_S = 2.0


@dataclass(frozen=True)
class RoomMoves:
    """Moves after which a job that waits has room.

    Attributes:
        id: the job.
        host: where it will have room.
        moves: one after another; () if it has room already.
        spent: what they cost, in the unit of the budget.
    """

    id: str
    host: str
    moves: tuple[Move, ...]
    spent: float


def first_without_room(ledger: Ledger) -> str:
    """The first of those that wait, as the order ranks them, that no host has room for now; "" if there is none.

    Jobs of several tasks are passed over.
    """
    snapshot = ledger.snapshot()
    if snapshot is None:
        return ""
    queue, rules = snapshot.queue, rules_now(snapshot)
    up = np.array(ledger.listing["up"], bool)
    for row in ranked_rows(snapshot):
        fits = (snapshot.free >= queue.demand[row]).all(axis=1) & up & open_to(ledger, int(queue.job[row]), rules)
        if queue.tasks[row] == 1 and not fits.any():
            return ledger.waiting.ids[int(queue.job[row])]
    return ""


def ranked_rows(snapshot: Snapshot) -> list[int]:
    """Rows of the queue, as the order ranks them."""
    queue = snapshot.queue
    ranks = [np.arange(len(queue)), np.zeros(len(queue)) if queue.rank is None else queue.rank]
    ranks += [] if queue.tier is None else [queue.tier]
    return [int(row) for row in np.lexsort(ranks)]


def room_for(ledger: Ledger, name: str, movable: Collection[str], budget: float, unit: Unit) -> RoomMoves | None:
    """The moves that make room for a waiting job of one task; None where none within the budget were found.

    The state is that of `rebalance`: tasks, hosts and where they run; what may not move is taken off the hosts, and
    hosts that a task may not use have none of a resource that stands for the right to be there.

    Args:
        ledger: what is believed now.
        name: of the job that waits.
        movable: jobs of one task that may move, none of them in a rule between jobs.
        budget: the most to move, in `unit`.
        unit: of the budget, as for `rebalance`.
    """
    snapshot = ledger.snapshot()
    if snapshot is None or name not in ledger.waiting.ids:
        return None
    ids, running = ledger.waiting.ids, snapshot.running
    rows = [k for k, job in enumerate(running.job.tolist()) if ids[job] in movable]
    waiting = ids.index(name)
    own = snapshot.queue.demand[snapshot.queue.job.tolist().index(waiting)]
    jobs = [*running.job[rows].tolist(), waiting]
    demand = np.vstack([running.demand[rows], own[None]])
    host = np.array([*running.host[rows].tolist(), NOWHERE], np.int32)
    room = np.array(snapshot.free)
    np.add.at(room, host[:-1], demand[:-1])
    rules = rules_now(snapshot)
    may_use = np.array([open_to(ledger, job, rules) for job in jobs])
    state = _state(snapshot, ledger.listing["up"], demand, room, host, may_use, unit)
    plan = plan_moves(state, budget, "auto", TIME_LIMIT_S)
    steps = _needed(state, plan.moves)
    if steps is None or any(step.temporary for step in steps):
        return None
    names = snapshot.cluster.names
    up = np.flatnonzero(np.array(ledger.listing["up"], bool))
    moves = tuple(Move(ids[jobs[step.task]], (names[up[step.target]],)) for step in steps[:-1])
    return RoomMoves(name, names[up[steps[-1].target]], moves, spent_by(state, steps))


def rules_now(snapshot: Snapshot) -> JobRulesNow | None:
    """The rules between jobs as things stand; None without any."""
    return None if snapshot.rules is None else snapshot.rules.beside(snapshot.running)


def open_to(ledger: Ledger, job: int, rules: JobRulesNow | None) -> Bools:
    """bool[H]: the hosts that a job may use that waits, or that no rule looks at."""
    assert ledger.cluster is not None
    binding = ledger.waiting.binding
    hosts = np.ones(ledger.cluster.hosts, bool) if rules is None else rules.open_hosts(job)
    if binding is None:
        return hosts
    entries = binding.entries
    rows = entries.hosts[int(entries.first[job]) : int(entries.first[job + 1])]
    return np.asarray(entries.allowed[rows].any(axis=0) & hosts)


def is_open_to(ledger: Ledger, name: str, host: str) -> bool:
    """Whether rules between jobs let a waiting job start on a host, as things stand."""
    snapshot = ledger.snapshot(ranked=False)
    rules = None if snapshot is None else rules_now(snapshot)
    if rules is None or ledger.cluster is None or host not in ledger.cluster.names or name not in ledger.waiting.ids:
        return True
    return bool(rules.open_hosts(ledger.waiting.ids.index(name))[ledger.cluster.names.index(host)])


def _state(
    snapshot: Snapshot, up: list[bool], demand: Floats, room: Floats, host: Ints, open_to: Bools, unit: Unit
) -> State:
    """The last task is the one that waits; hosts that are down, and what runs there, are left out."""
    here = np.flatnonzero(np.array(up, bool))
    number = np.full(len(up), NOWHERE, np.int32)
    number[here] = np.arange(len(here))
    names = snapshot.cluster.resources
    some = [r for r, name in enumerate(names) if demand[:, r].any() or name == MEMORY]
    rights = host_rights(open_to[:, here])
    cores = [names.index(CORES)]
    at = np.where(host >= 0, number[host], NOWHERE).astype(np.int32)
    instance = Instance(
        exact_demand(demand[:, cores]),
        np.hstack([exact_demand(demand[:, some]), rights.demand]),
        room[here][:, cores],
        np.hstack([room[here][:, some], rights.capacity]),
        fluid_names=(CORES,),
        rigid_names=(*(names[r] for r in some), *rights.names),
    )
    return State(instance, at, unit)


def _needed(state: State, moves: tuple[Step, ...]) -> list[Step] | None:
    """The moves up to that of the last task, without those that it does not need; None where it is not among them."""
    last = len(state.host) - 1
    end = next((k for k, move in enumerate(moves) if move.task == last), None)
    if end is None:
        return None
    needed = list(moves[: end + 1])
    for step in sorted(needed[:-1], key=lambda step: -state.cost[step.task]):
        fewer = [each for each in needed if each is not step]
        if carried_out(state, fewer) is not None:
            needed = fewer
    return needed
