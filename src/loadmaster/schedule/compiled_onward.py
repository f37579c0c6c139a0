"""Compiles what works a queue off, lays out what it works on, and runs it: `onward_kernel`."""
# mypy: disable-error-code="no-untyped-call,no-untyped-def"

import warnings
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
from numba import typeof, types
from numba.core.errors import NumbaExperimentalFeatureWarning

from loadmaster.backfilling.board_arrays import DONE, END, MORE_ROOM, EndArrays
from loadmaster.compiled import RATER, never_remembered, rater, refusing
from loadmaster.compiled_order import COLUMNS, RANKER, ranker, refusing_order
from loadmaster.compiled_scan import SCAN, scanner
from loadmaster.kernels import LEAN, kept_njit
from loadmaster.lent import Lent, lend
from loadmaster.model.arrays import Floats
from loadmaster.model.errors import InputError
from loadmaster.model.snapshot import Snapshot
from loadmaster.order import JobColumns, Order
from loadmaster.place import Policy
from loadmaster.schedule import onward_kernel as kernel
from loadmaster.schedule.compiled_decide import CompiledRule, counts_hosts
from loadmaster.schedule.snapshot_arrays import Scene, table

FEW_STEPS = 4096
"""Running tasks for whose ends a plan has room at first."""


def work_off_compiled(
    snapshot: Snapshot,
    policy: Policy,
    order: Order,
    rule: CompiledRule,
    columns: JobColumns,
    ranks: Floats,
    lasts_s: Floats,
) -> Floats | None:
    """When every row's job starts; None where only plain Python can say what is wrong.

    Args:
        snapshot: where things stand, without limits, groups and promises.
        policy: rates hosts.
        order: ranks jobs.
        ranks: float64[Q], what it says at the moment of the snapshot.
        rule: what the board does, EASY of any kind.
        columns: what orders know of the rows.
        lasts_s: float64[Q], how long each really runs at speed 1.
    """
    steps = len(snapshot.free) + FEW_STEPS
    scan, rate = scanner(policy, snapshot.free.shape[1]), rater(policy)
    while True:
        scene = Scene.of(replace(snapshot, queue=replace(snapshot.queue, rank=None)))
        stage = _stage(scene, policy, rule, ranks, lasts_s, steps, moves=order.moves)
        run, door = _engine(stage, by_moment=rule.moments and rule.promise != "hosts")
        try:
            with refusing_order(order), refusing(policy):
                status = run(stage, as_taken(columns), ranker(order), scan, rate, door)
        except InputError:  # plain Python says what is wrong
            return None
        if status == DONE:
            return np.asarray(stage.start_s[scene.rows.of["job"]])
        if status != MORE_ROOM:
            return None
        steps *= 2


def as_taken(columns: JobColumns) -> JobColumns:
    """As rankers take them: arrays that may be written to."""
    return JobColumns._make(np.array(column) for column in columns)


def _stage(
    scene: Scene, policy: Policy, rule: CompiledRule, ranks: Floats, lasts_s: Floats, steps: int, *, moves: bool
) -> kernel.Stage:
    snapshot, queue, running = scene.snapshot, scene.snapshot.queue, scene.snapshot.running
    many, room = len(queue), len(running.job) + scene.tasks
    ends, owner = table(END, room), np.zeros(room, np.int32)
    here = int(scene.ends.many[0])
    ends[:here] = scene.ends.end[:here]
    owner[:here] = running.job[np.lexsort((running.job, running.expected_end_s))]
    tier = np.zeros(many, np.int32) if queue.tier is None else np.unique(queue.tier, return_inverse=True)[1]
    return kernel.Stage(
        rows=scene.rows, hosts=scene.hosts, ends=EndArrays(ends, np.array([here], np.int64)), calendar=scene.calendar,
        room=scene.room(), board=scene.board(), moments=scene.moments(), outlook=scene.outlook(steps),
        scores=scene.scores(),
        now=scene.now(varies=never_remembered(policy), as_pool=counts_hosts(replace(snapshot, closures=()), rule)),
        numbers=np.array(rule.numbers, np.int64),
        line=kernel.OnwardLine(tier.astype(np.int32), ranks.copy(), np.zeros(many, np.int32)),
        runs=_runs(scene, room), owner=owner, number=np.asarray(queue.job, np.int64).copy(),
        lasts_s=np.array(lasts_s, np.float64), rank=np.zeros(many),
        start_s=np.full(int(scene.rows.of["job"].max(initial=-1)) + 1, np.nan), moves=moves,
    )  # fmt: skip


def _runs(scene: Scene, room: int) -> kernel.OnwardRuns:
    """What runs now, job by job, with room for all that waits."""
    running, kind = scene.snapshot.running, _kinds(scene)
    together = np.argsort(running.job, kind="stable")
    number, first = np.unique(running.job[together], return_index=True)
    jobs = len(number) + len(scene.snapshot.queue)
    runs = kernel.OnwardRuns(
        np.zeros(jobs, np.int64), np.zeros(jobs + 1, np.int64), np.zeros(room, np.int32), np.zeros(room, np.int32),
        np.zeros(jobs), np.zeros(jobs), np.zeros(jobs, np.int32), np.array([len(number)] * 2, np.int64),
    )  # fmt: skip
    many = len(number)
    runs.job[:many] = number
    runs.first[: many + 1] = np.append(first, len(together))
    runs.host[: len(together)], runs.kind[: len(together)] = running.host[together], kind[together]
    runs.expected_end_s[:many] = running.expected_end_s[together][first]
    end_s = np.maximum(runs.expected_end_s[:many], np.nextafter(scene.snapshot.now_s, np.inf))
    by_end = np.lexsort((np.arange(many), end_s))
    runs.end_s[:many], runs.ending[:many] = end_s[by_end], by_end
    return runs


def _kinds(scene: Scene) -> Any:
    """int32[N]: the demand of every running task, in their order."""
    running = scene.snapshot.running
    by_end = np.lexsort((running.job, running.expected_end_s))
    kind = np.zeros(len(by_end), np.int32)
    kind[by_end] = scene.ends.end["kind"][: len(by_end)]
    return kind


_ENGINES: dict[bool, tuple[Callable[..., int], Callable[..., None]]] = {}


def _engine(stage: kernel.Stage, *, by_moment: bool) -> tuple[Callable[..., int], Callable[..., None]]:
    """The engine and the door of a pass; all stages are of one type, which takes a while to find out."""
    if by_moment not in _ENGINES:
        layout = typeof(stage)
        door = kernel.pass_by_moments if by_moment else kernel.pass_on_hosts
        _ENGINES[by_moment] = _entry(layout), _kept(door, layout)
    return _ENGINES[by_moment]


def _door_type(stage: Any) -> Any:
    return types.void(
        Lent(stage), types.float64, types.boolean, types.FunctionType(SCAN), types.FunctionType(RATER)
    )  # fmt: skip


@cache
def _kept(function: Callable[..., None], stage: Any) -> Callable[..., None]:
    warnings.filterwarnings("ignore", category=NumbaExperimentalFeatureWarning)  # policies are first-class functions
    made: Callable[..., None] = kept_njit(_door_type(stage), **LEAN, no_cpython_wrapper=True)(function)
    return made


@cache
def _entry(stage: Any) -> Callable[..., int]:
    warnings.filterwarnings("ignore", category=NumbaExperimentalFeatureWarning)

    def entry(stage, columns, rank, scan, rate, serve):
        return kernel.run_onward(lend(stage), columns, rank, scan, rate, serve)

    functions = RANKER, SCAN, RATER
    signature = types.int64(
        stage, COLUMNS, *map(types.FunctionType, functions), types.FunctionType(_door_type(stage))
    )  # fmt: skip
    engine: Callable[..., int] = kept_njit(signature, nogil=True, error_model="numpy")(entry)
    return engine
