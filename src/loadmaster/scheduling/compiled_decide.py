"""Decides on a snapshot with the compiled scheduling pass: bit for bit as the plain pass, hundreds of times faster."""
# mypy: disable-error-code="no-untyped-call"

import warnings
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from math import isfinite
from typing import Any

import numpy as np
from numba import typeof, types
from numba.core.errors import NumbaExperimentalFeatureWarning

from loadmaster.backfilling import (
    Backfilling,
    Blocking,
    Conservative,
    Easy,
    Lookahead,
    NetBatch,
    Selective,
    Skip,
    Slurm,
    Stepwise,
)
from loadmaster.backfilling.conservative_kernel import (
    ARRIVAL,
    IN_THEIR_ORDER,
    KEPT,
    NOW_ONLY,
    REPLAN,
    serve_conservative,
)
from loadmaster.backfilling.counting import counts_exactly
from loadmaster.backfilling.easy_kernel import serve_easy
from loadmaster.backfilling.lookahead import MOST_CELLS
from loadmaster.backfilling.lookahead_kernel import MOST_PACKED, serve_lookahead
from loadmaster.backfilling.pass_arrays import (
    DONE,
    MORE_ROOM,
    NEEDS_PLAN,
    SINCE,
    STARTED,
    STATUS,
    PassArrays,
    PassView,
)
from loadmaster.backfilling.selective_kernel import serve_selective
from loadmaster.backfilling.slurm_kernel import serve_slurm
from loadmaster.backfilling.walk_kernel import serve_netbatch, serve_none, serve_skip
from loadmaster.compiled_rules.policies import RATER, never_remembered, rater, refusing
from loadmaster.compiled_rules.scans import SCAN, scanner
from loadmaster.jit.by_reference import ByReference, LaidOut
from loadmaster.jit.kernels import cached_njit
from loadmaster.jit.layouts import by_layout, entry_of
from loadmaster.model.arrays import Longs
from loadmaster.model.errors import InputError
from loadmaster.model.snapshot import Decision, Place, Promise, Queue, Snapshot
from loadmaster.place import POLICIES, Policy
from loadmaster.place.room_arrays import LAST_HOST, RESERVED, RoomArrays
from loadmaster.scheduling.discipline import Discipline
from loadmaster.scheduling.slurm_snapshot import slurm_pass
from loadmaster.scheduling.snapshot_arrays import SnapshotArrays, spans


@dataclass(frozen=True)
class CompiledRule:
    """The compiled form of a backfilling.

    Attributes:
        entry: the kernel.
        numbers: its parameters.
        promise: on what reservations are made, as with `Easy`.
        shadow_times: a reservation may be a shadow time alone.
        plans: reservations are made that need a plan.
        keeps: reservations stand in later passes.
        slurm: the backfilling if it is Slurm's, which has arrays and a clock of its own.
        cells: of the table that the kernel gets behind the numbers; 0: it gets none.
    """

    entry: Callable[..., Any]
    numbers: tuple[Any, ...]
    promise: str = "auto"
    shadow_times: bool = False
    plans: bool = False
    keeps: bool = False
    slurm: Slurm | None = None
    cells: int = 0

    def table(self) -> Longs:
        """int64[2, cells], what the kernel writes to."""
        return np.zeros((2, self.cells), np.int64)


def _limit(limit: int | None) -> int:
    return -1 if limit is None else int(limit)


_EARLY_END = {"replan": REPLAN, "kept": KEPT, "now": NOW_ONLY, "arrival": ARRIVAL, "start": IN_THEIR_ORDER}


def _of_conservative(rule: Conservative, snapshot: Snapshot) -> CompiledRule | None:
    if rule.early_end is None:
        return None
    early_end = _EARLY_END[rule.early_end]
    if early_end in (ARRIVAL, IN_THEIR_ORDER) and not snapshot.early_end:
        early_end = KEPT
    keeps = early_end != REPLAN
    return CompiledRule(serve_conservative, (early_end, _limit(rule.lookahead)), rule.promise, plans=True, keeps=keeps)


def _of_easy(rule: Easy, snapshot: Snapshot) -> CompiledRule:
    numbers = (int(rule.heads), rule.heads_of == "partition", rule.fill == "shortest")
    shadow_times = rule.heads == 1
    return CompiledRule(serve_easy, numbers, rule.promise, shadow_times, plans=not shadow_times)


def _of_stepwise(rule: Stepwise, snapshot: Snapshot) -> CompiledRule:
    heads = len(snapshot.queue) + 1 if rule.depth is None else rule.depth
    return _of_easy(Easy(heads, "cluster", promise=rule.promise), snapshot)


def _of_lookahead(rule: Lookahead, snapshot: Snapshot) -> CompiledRule | None:
    if rule.window > MOST_PACKED:
        return None
    # Cells are (a + 1) * (b + 1), of at most C cores each in units so large that a * b is at most `MOST_CELLS`.
    cores = int(np.ceil(snapshot.cluster.capacity[:, 0].sum()))
    cells = min((cores + 1) ** 2, MOST_CELLS + 2 * cores + 1)
    return CompiledRule(serve_lookahead, (int(rule.window),), shadow_times=True, cells=cells)


_RULES: dict[type, Callable[[Any, Snapshot], CompiledRule | None]] = {
    Blocking: lambda rule, snapshot: CompiledRule(serve_none, ()),
    Skip: lambda rule, snapshot: CompiledRule(serve_skip, ()),
    NetBatch: lambda rule, snapshot: CompiledRule(serve_netbatch, (_limit(rule.reservations), _limit(rule.lookahead))),
    Easy: _of_easy,
    Stepwise: _of_stepwise,
    Selective: lambda rule, snapshot: CompiledRule(serve_selective, (float(rule.expansion),), plans=True),
    Conservative: _of_conservative,
    Lookahead: _of_lookahead,
    Slurm: lambda rule, snapshot: CompiledRule(serve_slurm, (), "hosts", plans=True, slurm=rule),
}
"""The backfillings that are compiled, by their exact type: a subclass has rules of its own, on the plain pass."""


def has_compiled_form(backfilling: Backfilling) -> bool:
    """Whether the backfilling is compiled; a subclass of a built-in is a rule of its own, and is not."""
    return type(backfilling) in _RULES


def rule_of(backfilling: Backfilling, snapshot: Snapshot) -> CompiledRule | None:
    """The compiled form of a backfilling; None if only the plain pass serves it, or the snapshot."""
    make = _RULES.get(type(backfilling))
    rule = None if make is None else make(backfilling, snapshot)
    return rule if rule is not None and _is_usual(snapshot, rule) else None


def _is_usual(snapshot: Snapshot, rule: CompiledRule) -> bool:
    """Whether all assumptions of the compiled pass hold; otherwise the plain pass decides, or says what is wrong."""
    queue, running = snapshot.queue, snapshot.running
    if len(queue) == 0 or len(snapshot.free) == 0 or (queue.tasks < 1).any():
        return False
    node_count = queue.min_hosts is not None or queue.max_hosts is not None
    if node_count and counts_hosts(snapshot, rule) and not _one_host_a_task(queue):  # rule C9
        return False
    if not (np.isfinite(queue.expected_s).all() and np.isfinite(running.expected_end_s).all()):
        return False
    if rule.promise == "pool" and not counts_hosts(snapshot, rule):
        return False
    if not rule.keeps:
        return True
    tasks = dict(zip(queue.job.tolist(), queue.tasks.tolist(), strict=True))
    return all(
        isfinite(promise.start_s) and len(promise.hosts) in (0, tasks.get(job, 0))
        for job, promise in snapshot.promises.items()
        if job in tasks
    )


def _one_host_a_task(queue: Queue) -> bool:
    """Whether each row may lie on as many hosts as it has tasks."""
    fewest = queue.min_hosts is None or bool((queue.min_hosts <= queue.tasks).all())
    most = queue.tasks if queue.max_hosts is None else np.where(queue.max_hosts > 0, queue.max_hosts, queue.tasks)
    return fewest and bool((most >= queue.tasks).all())


def counts_hosts(snapshot: Snapshot, rule: CompiledRule) -> bool:
    """Whether reservations count hosts (rule Q11)."""
    return counts_exactly(snapshot) and rule.promise != "hosts"


@dataclass(frozen=True)
class CompiledDiscipline:
    """A discipline on one snapshot: decides bit for bit as `Discipline.serve`, with any placement policy."""

    discipline: Discipline
    scene: SnapshotArrays
    rule: CompiledRule

    def serve(self, snapshot: Snapshot, policy: Policy) -> Decision:
        """Choose the jobs to start now; if the compiled pass cannot, the plain pass decides or refuses."""
        with suppress(InputError):  # the plain scheduling pass says what is wrong
            decision = decide_compiled(self.scene, policy, self.rule)
            if decision is not None:
                return decision
        return self.discipline.serve(snapshot, policy)


def compiled(discipline: Discipline, snapshot: Snapshot) -> CompiledDiscipline | None:
    """The discipline on the compiled scheduling pass; None if only the plain pass serves it."""
    rule = rule_of(discipline.backfilling, snapshot) if type(discipline) is Discipline else None
    return None if rule is None else CompiledDiscipline(discipline, SnapshotArrays.of(snapshot), rule)


def decide_compiled(scene: SnapshotArrays, policy: Policy, rule: CompiledRule) -> Decision | None:
    """The jobs to start now; None if only the plain scheduling pass can say what is wrong.

    Raises:
        InputError: the policy cannot be compiled, or fails.
    """
    snapshot = scene.snapshot
    plans = rule.plans or len(snapshot.closures) > 0 or rule.promise == "hosts"
    first_fit = policy is POLICIES["first-fit"]
    now = scene.now(varies=never_remembered(policy), as_pool=counts_hosts(snapshot, rule), first_fit=first_fit)
    scan = scanner(policy, snapshot.free.shape[1])
    steps = len(snapshot.free) + len(snapshot.running.job) + 4 * scene.tasks + 64
    while True:
        room, this_pass = scene.room(), scene.this_pass()
        shadow_times = (
            scene.shadow_times() if rule.shadow_times and rule.promise != "hosts" and not snapshot.closures else None
        )
        availability, rate = (scene.availability(steps), rater(policy)) if plans else (None, None)
        cluster_wide = scene.cluster_wide(steps, len(snapshot.cluster_wide_ends))
        view = PassView(
            scene.rows, scene.hosts, scene.ends, scene.calendar, room, this_pass, scene.scores(), cluster_wide
        )
        rules = rule.numbers if rule.slurm is None else slurm_pass(rule.slurm, scene)
        if rule.cells:
            rules = (*rule.numbers, rule.table())
        lent = (view, scene.standing, shadow_times, availability, now, rules if rule.slurm else None)
        with refusing(policy):
            _pass(rule.entry, lent, scan, rate, rules)
        status = this_pass.tally[STATUS]
        if status == DONE:
            return _decision(scene, room, this_pass, rule)
        if status not in (NEEDS_PLAN, MORE_ROOM):
            return None
        plans = True
        steps *= 2 if status == MORE_ROOM else 1


def _pass(function: Callable[..., Any], lent: tuple[Any, ...], scan: Any, rate: Any, rules: Any) -> None:
    """One pass of the kernel `function`; `lent` are the arguments it takes by address, Slurm's rules last."""
    slurm = lent[-1] is not None
    entry = _entry(lent, () if slurm else rules, function=function, plans=rate is not None)
    laid_out = [None if each is None else LaidOut(each) for each in lent]
    view, standing, shadow_times, availability, now, rules_of_slurm = (each and each.address for each in laid_out)
    entry(view, standing, shadow_times, availability, scan, rate, now, rules_of_slurm if slurm else rules)


@by_layout
def _entry(lent: tuple[Any, ...], rules: Any, *, function: Callable[..., None], plans: bool) -> Callable[..., None]:
    """The kernel compiled for such arguments."""
    warnings.filterwarnings("ignore", category=NumbaExperimentalFeatureWarning)  # scans are first-class functions
    view, standing, shadow_times, availability, now, slurm = (
        types.none if each is None else ByReference(typeof(each)) for each in lent
    )
    rate = types.FunctionType(RATER) if plans else types.none
    last = typeof(rules) if lent[-1] is None else slurm
    signature = types.void(view, standing, shadow_times, availability, types.FunctionType(SCAN), rate, now, last)
    return entry_of(cached_njit(signature, nogil=True, error_model="numpy")(function))


def _decision(scene: SnapshotArrays, room: RoomArrays, this_pass: PassArrays, rule: CompiledRule) -> Decision:
    snapshot, queue = scene.snapshot, scene.snapshot.queue
    many = int(this_pass.tally[STARTED])
    started, first = this_pass.place["row"][:many], this_pass.place["first"][: many + 1].tolist()
    job, part = queue.job[started].tolist(), scene.rows.of["partition"][started].tolist()
    hosts = this_pass.started_host.tolist()
    place = tuple(Place(job[i], tuple(hosts[first[i] : first[i + 1]]), part[i]) for i in range(many))
    promised, host = _promised(this_pass), this_pass.promised_host
    bound = host[spans(scene.rows.of["first_host"][promised], this_pass.promised["many"][promised])]
    reserved = tuple(dict.fromkeys((*room.reserved[: room.tally[RESERVED]].tolist(), *bound.tolist())))
    wake_s = min((c.to_s for c in snapshot.closures if c.to_s > snapshot.now_s), default=np.inf)
    kept = _promises(scene, this_pass, promised) if rule.keeps else {}
    wake_s, clock = min(wake_s, float(this_pass.wake_s[0])), snapshot.clock
    if rule.slurm is not None:
        clock = rule.slurm.following(rule.slurm.due(snapshot), snapshot.now_s, changed=many > 0)
        wake_s = min(wake_s, clock.next_s)
    return Decision(place, reserved, int(room.tally[LAST_HOST]), promises=kept, wake_s=wake_s, clock=clock)


def _promised(this_pass: PassArrays) -> Longs:
    """The rows that got a reservation in this pass, in the order in which they did."""
    number = this_pass.promised["number"]
    rows = np.flatnonzero(number > this_pass.tally[SINCE])
    return rows[np.argsort(number[rows])]


def _promises(scene: SnapshotArrays, this_pass: PassArrays, rows: Longs) -> dict[int, Promise]:
    """The reservations that later passes keep, by job number: the latest start first, of equal ones the last row."""
    start_s = this_pass.promised["start_s"][rows]
    rows = rows[np.lexsort((-rows, -start_s))][np.isinf(start_s).sum() :]
    job, first = scene.snapshot.queue.job[rows].tolist(), scene.rows.of["first_host"][rows].tolist()
    many, start_s = this_pass.promised["many"][rows].tolist(), this_pass.promised["start_s"][rows].tolist()
    host = this_pass.promised_host.tolist()
    hosts = [tuple(host[at : at + tasks]) for at, tasks in zip(first, many, strict=True)]
    return dict(zip(job, map(Promise, start_s, hosts), strict=True))
