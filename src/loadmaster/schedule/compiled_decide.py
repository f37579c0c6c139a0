"""Decides on a snapshot with the compiled board: equal to the plain one to the bit, hundreds of times faster."""
# mypy: disable-error-code="no-untyped-call,no-untyped-def"

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numba import typeof, types
from numba.core.errors import NumbaExperimentalFeatureWarning

from loadmaster.backfilling import (
    Backfilling,
    Blocking,
    Conservative,
    Easy,
    NetBatch,
    Selective,
    Skip,
    Stepwise,
)
from loadmaster.backfilling.board_arrays import (
    DONE,
    MORE_ROOM,
    NEEDS_PLAN,
    SINCE,
    STARTED,
    STATUS,
    Board,
)
from loadmaster.backfilling.conservative_kernel import (
    ARRIVAL,
    IN_THEIR_ORDER,
    KEPT,
    NOW_ONLY,
    REPLAN,
    serve_conservative,
)
from loadmaster.backfilling.easy_kernel import serve_easy
from loadmaster.backfilling.selective_kernel import serve_selective
from loadmaster.backfilling.walk_kernel import serve_netbatch, serve_none, serve_skip
from loadmaster.compiled import RATER, never_remembered, rater, refusing
from loadmaster.compiled_scan import SCAN, scanner
from loadmaster.kernels import kept_njit
from loadmaster.model.snapshot import Decision, Place, Promise, Snapshot
from loadmaster.place import Policy
from loadmaster.place.room_arrays import LAST_HOST, RESERVED, Room
from loadmaster.schedule.snapshot_arrays import Scene


@dataclass(frozen=True)
class Rule:
    """What the compiled board does for a backfilling.

    Attributes:
        entry: the kernel.
        numbers: its parameters.
        promise: what promises are made on, as with `Easy`.
        moments: a moment alone may be promised.
        plans: promises are made that need a plan.
        keeps: what was promised stands in later passes.
    """

    entry: Callable[..., Any]
    numbers: tuple[Any, ...]
    promise: str = "auto"
    moments: bool = False
    plans: bool = False
    keeps: bool = False


def _none(rows, hosts, ends, calendar, room, board, standing, moments, outlook, scores, scan, rate, now, rules):
    serve_none(rows, hosts, ends, calendar, room, board, standing, moments, outlook, scores, scan, rate, now, rules)


def _skip(rows, hosts, ends, calendar, room, board, standing, moments, outlook, scores, scan, rate, now, rules):
    serve_skip(rows, hosts, ends, calendar, room, board, standing, moments, outlook, scores, scan, rate, now, rules)


def _netbatch(rows, hosts, ends, calendar, room, board, standing, moments, outlook, scores, scan, rate, now, rules):
    serve_netbatch(
        rows, hosts, ends, calendar, room, board, standing, moments, outlook, scores, scan, rate, now, rules
    )  # fmt: skip


def _easy(rows, hosts, ends, calendar, room, board, standing, moments, outlook, scores, scan, rate, now, rules):
    serve_easy(rows, hosts, ends, calendar, room, board, standing, moments, outlook, scores, scan, rate, now, rules)


def _selective(rows, hosts, ends, calendar, room, board, standing, moments, outlook, scores, scan, rate, now, rules):
    serve_selective(
        rows, hosts, ends, calendar, room, board, standing, moments, outlook, scores, scan, rate, now, rules
    )  # fmt: skip


def _conservative(
    rows, hosts, ends, calendar, room, board, standing, moments, outlook, scores, scan, rate, now, rules
):  # fmt: skip
    serve_conservative(
        rows, hosts, ends, calendar, room, board, standing, moments, outlook, scores, scan, rate, now, rules
    )  # fmt: skip


def _limit(limit: int | None) -> int:
    return -1 if limit is None else int(limit)


_EARLY_END = {"replan": REPLAN, "kept": KEPT, "now": NOW_ONLY, "arrival": ARRIVAL, "start": IN_THEIR_ORDER}


def _of_conservative(rule: Conservative, snapshot: Snapshot) -> Rule | None:
    if rule.early_end is None:
        return None
    early_end = _EARLY_END[rule.early_end]
    if early_end in (ARRIVAL, IN_THEIR_ORDER) and not snapshot.early_end:
        early_end = KEPT
    keeps = early_end != REPLAN
    return Rule(_conservative, (early_end, _limit(rule.lookahead)), rule.promise, plans=True, keeps=keeps)


def _of_easy(rule: Easy, snapshot: Snapshot) -> Rule:
    numbers = (int(rule.heads), rule.heads_of == "partition", rule.fill == "shortest")
    moments = rule.heads == 1
    return Rule(_easy, numbers, rule.promise, moments, plans=not moments)


def _of_stepwise(rule: Stepwise, snapshot: Snapshot) -> Rule:
    heads = len(snapshot.queue) + 1 if rule.depth is None else rule.depth
    return _of_easy(Easy(heads, "cluster", promise=rule.promise), snapshot)


_RULES: dict[type, Callable[[Any, Snapshot], Rule | None]] = {
    Blocking: lambda rule, snapshot: Rule(_none, ()),
    Skip: lambda rule, snapshot: Rule(_skip, ()),
    NetBatch: lambda rule, snapshot: Rule(_netbatch, (_limit(rule.reservations), _limit(rule.lookahead))),
    Easy: _of_easy,
    Stepwise: _of_stepwise,
    Selective: lambda rule, snapshot: Rule(_selective, (float(rule.expansion),), plans=True),
    Conservative: _of_conservative,
}
"""The backfillings that are compiled, by their exact type: a subclass has rules of its own, on the plain board."""


def rule_of(backfilling: Backfilling, snapshot: Snapshot) -> Rule | None:
    """What the compiled board does for a backfilling; None where only the plain one knows it, or the snapshot."""
    make = _RULES.get(type(backfilling))
    rule = None if make is None else make(backfilling, snapshot)
    return rule if rule is not None and _is_usual(snapshot, rule) else None


def _is_usual(snapshot: Snapshot, rule: Rule) -> bool:
    """Whether all that the compiled board takes for granted holds; the plain one says what is wrong with the rest."""
    queue, running = snapshot.queue, snapshot.running
    if len(queue) == 0 or len(snapshot.free) == 0 or (queue.tasks < 1).any():
        return False
    if not (np.isfinite(queue.expected_s).all() and np.isfinite(running.expected_end_s).all()):
        return False
    if rule.promise == "pool" and not counts_hosts(snapshot, rule):
        return False
    if not rule.keeps:
        return True
    tasks = dict(zip(queue.job.tolist(), queue.tasks.tolist(), strict=True))
    return all(
        np.isfinite(promise.start_s) and len(promise.hosts) in (0, tasks.get(job, 0))
        for job, promise in snapshot.promises.items()
        if job in tasks
    )


def counts_hosts(snapshot: Snapshot, rule: Rule) -> bool:
    """Whether promises count hosts (rule Q11)."""
    return snapshot.as_pool and not snapshot.closures and snapshot.allowed is None and rule.promise != "hosts"


def decide_compiled(scene: Scene, policy: Policy, rule: Rule) -> Decision | None:
    """What to start now; None if only the plain board can say what is wrong.

    Raises:
        InputError: the policy cannot be compiled.
    """
    snapshot = scene.snapshot
    plans = rule.plans or len(snapshot.closures) > 0 or rule.promise == "hosts"
    now = scene.now(varies=never_remembered(policy), as_pool=counts_hosts(snapshot, rule))
    scan = scanner(policy, snapshot.free.shape[1])
    steps = len(snapshot.free) + len(snapshot.running.job) + 4 * int(scene.rows.first_host[-1]) + 64
    while True:
        room, board = scene.room(), scene.board()
        moments = scene.moments() if rule.moments and rule.promise != "hosts" and not snapshot.closures else None
        outlook = scene.outlook(steps) if plans else None
        rate = rater(policy) if plans else None
        arguments = (
            scene.rows, scene.hosts, scene.ends, scene.calendar, room, board, scene.standing, moments, outlook,
            scene.scores(),
        )  # fmt: skip
        entry = _entry(rule.entry, tuple(typeof(each) for each in arguments), plans, typeof(now), typeof(rule.numbers))
        with refusing(policy.name):
            entry(*arguments, scan, rate, now, rule.numbers)
        status = board.tally[STATUS]
        if status == DONE:
            return _decision(scene, room, board, keeps=rule.keeps)
        if status == NEEDS_PLAN:
            plans = True
        elif status == MORE_ROOM:
            steps *= 2
        else:
            return None


@cache
def _entry(function: Callable[..., Any], layout: tuple[Any, ...], plans: bool, now: Any, rules: Any) -> Any:
    warnings.filterwarnings("ignore", category=NumbaExperimentalFeatureWarning)  # scans are first-class functions
    rate = types.FunctionType(RATER) if plans else types.none
    signature = types.void(*layout, types.FunctionType(SCAN), rate, now, rules)
    return kept_njit(signature, nogil=True, error_model="numpy")(function)


def _decision(scene: Scene, room: Room, board: Board, *, keeps: bool) -> Decision:
    snapshot, queue = scene.snapshot, scene.snapshot.queue
    many = int(board.tally[STARTED])
    job, first = queue.job[board.started[:many]].tolist(), board.started_first[: many + 1].tolist()
    hosts, part = board.started_host.tolist(), scene.rows.partition[board.started[:many]].tolist()
    place = tuple(Place(job[i], tuple(hosts[first[i] : first[i + 1]]), part[i]) for i in range(many))
    promises = _promises(scene, board)
    bound = [host for _, promise in promises for host in promise.hosts]
    reserved = tuple(dict.fromkeys((*room.reserved[: room.tally[RESERVED]].tolist(), *bound)))
    wake_s = min((c.to_s for c in snapshot.closures if c.to_s > snapshot.now_s), default=np.inf)
    kept = {}
    if keeps:
        for row, promise in sorted(promises, key=lambda each: -each[1].start_s):
            if np.isfinite(promise.start_s):
                kept[int(queue.job[row])] = promise
    return Decision(
        place, reserved, int(room.tally[LAST_HOST]), promises=kept, wake_s=min(wake_s, float(board.wake_s[0])),
        clock=snapshot.clock,
    )  # fmt: skip


def _promises(scene: Scene, board: Board) -> list[tuple[int, Promise]]:
    """What rows were promised in this pass, in the order in which they were."""
    rows = np.flatnonzero(board.promised > board.tally[SINCE])
    rows = rows[np.argsort(board.promised[rows])]
    first = scene.rows.first_host[rows].tolist()
    found = []
    for row, start_s, at, many in zip(
        rows.tolist(), board.promised_s[rows].tolist(), first, board.promised_many[rows].tolist(), strict=True
    ):
        found.append((row, Promise(start_s, tuple(board.promised_host[at : at + many].tolist()))))
    return found
