"""A snapshot laid out for Slurm's two loops, compiled, beside what each backfilling needs of it."""

import math

import numpy as np

from loadmaster.backfilling import Slurm
from loadmaster.backfilling.slurm_arrays import (
    ABLE,
    BACKFILL,
    BLOCK,
    CLAIM,
    END,
    LATER,
    LOOK,
    MAIN_MOST,
    RESERVE_ALL,
    STEP,
    STEP_BLOCK,
    TRIED,
    WINDOW,
    Records,
    SlurmPass,
    SlurmRules,
)
from loadmaster.model.arrays import Ints
from loadmaster.model.snapshot import Snapshot
from loadmaster.scheduling.snapshot_arrays import SnapshotArrays, table

REMEMBERED = 64
"""Demands for which the hosts that hold them are remembered."""
GROUPS = 8
"""Sets of hosts for which windows are remembered."""


def slurm_pass(rule: Slurm, scene: SnapshotArrays) -> SlurmPass:
    """The passes that are due, and all that they read."""
    clock, now_s = rule.due(scene.snapshot), scene.snapshot.now_s
    made = slurm_arrays(rule, scene, len(scene.snapshot.running.job), scene.tasks)
    if clock.main_s <= now_s:
        made.due[MAIN_MOST] = rule.default_queue_depth + 1
    if clock.full_s <= now_s:
        made.due[MAIN_MOST] = -1
    made.due[BACKFILL], made.due[RESERVE_ALL] = clock.backfill_s <= now_s, True
    return made


def slurm_arrays(rule: Slurm, scene: SnapshotArrays, running: int, starts: int, cards: int = 0) -> SlurmPass:
    """The arrays of the passes, none of which is due: room for so many running tasks, and so many starts in a pass.

    `cards`: the most of a host, where GPUs are cards.
    """
    snapshot = scene.snapshot
    hosts, resources = snapshot.free.shape
    closures, claim = len(snapshot.closures), _claims(scene)
    numbers = [claim[name].max(initial=0) for name in ("user", "user_part", "assoc")]
    largest = max(scene.parts, *map(int, numbers), int(scene.rows.of["array"].max(initial=0))) + 1
    reserved = min(rule.bf_max_job_test, len(snapshot.queue)) + (running if rule.bf_running_job_reserve else 0)
    holds = np.zeros(64 * -(-hosts // 64), np.bool_)
    words, windows = -(-hosts // 64), _windows(rule, running + starts)
    groups, blocks = min(GROUPS, len(scene.hosts.allowed)), 1 + -(-(2 * reserved + 1) // (BLOCK // 2))
    return SlurmPass(
        rules=_rules(rule, snapshot),
        due=np.array([-2, 0, 0], np.int64),
        partitions=np.zeros((0, hosts), bool) if snapshot.partitions is None else np.array(snapshot.partitions, bool),
        claim=claim,
        tried=table(TRIED, largest),
        end=table(END, running + starts),
        later=table(LATER, running + starts),
        first_end=np.zeros(hosts, np.int32),
        end_cards=np.zeros(running + starts, np.int64) if cards else None,
        later_cards=np.zeros(running + starts, np.int64) if cards else None,
        key_s=np.zeros(running),
        number=np.zeros(running, np.int32),
        step=table(STEP, BLOCK * blocks),
        block=table(STEP_BLOCK, blocks),
        bits=np.zeros((2 * reserved + 1, words), np.uint64),
        block_bits=np.zeros((blocks, words), np.uint64),
        over_s=np.zeros(reserved + closures),
        closed=np.zeros((closures, words), np.uint64),
        look=table(LOOK, groups),
        window=table(WINDOW, (groups, windows)),
        free=np.zeros((groups, windows, resources + cards, hosts)),
        able=table(ABLE, REMEMBERED, key=-1),
        fits=np.zeros((REMEMBERED, windows, words), np.uint64),
        how_many=np.zeros((REMEMBERED, windows), np.int64),
        most=scene.hosts.capacity.max(axis=0, initial=0.0),
        holds=holds,
        eights=holds.view(np.uint64),
        usable=np.zeros(words, np.uint64),
        on=np.zeros(hosts, np.bool_),
        size=np.zeros(16, np.int64),
    )


def _rules(rule: Slurm, snapshot: Snapshot) -> SlurmRules:
    return SlurmRules(
        window_s=60.0 * rule.bf_window,
        resolution_s=float(rule.bf_resolution),
        window_linear_s=float(rule.bf_window_linear),
        late_s=rule.kill_wait + 60.0 * (rule.over_time_limit or 0),
        forgives=rule.over_time_limit is None,
        depth=rule.partition_job_depth,
        max_start=rule.sched_max_job_start,
        test=rule.bf_max_job_test,
        user=rule.bf_max_job_user,
        part=rule.bf_max_job_part,
        user_part=rule.bf_max_job_user_part,
        assoc=rule.bf_max_job_assoc,
        start=rule.bf_max_job_start,
        part_reserve=rule.bf_job_part_count_reserve,
        array_reserve=rule.bf_max_job_array_resv,
        min_age_s=-math.inf if snapshot.queue.eligible_s is None else float(rule.bf_min_age_reserve),
        min_prio=float(rule.bf_min_prio_reserve),
        limit_stop=bool(rule.assoc_limit_stop or snapshot.limits_stop),
        once=rule.bf_one_resv_per_job,
        running=rule.bf_running_job_reserve,
    )


def _windows(rule: Slurm, ends: int) -> int:
    """The most windows that begin within `bf_window`, and now, if there are so many ends."""
    many, length_s, covered_s = 2, 30.0, 0.0
    while covered_s <= 60.0 * rule.bf_window and many < ends + 2:
        covered_s += length_s
        length_s = length_s + rule.bf_window_linear if rule.bf_window_linear else 2 * length_s
        many += 1
    return many


def _claims(scene: SnapshotArrays) -> Records:
    """The counts that each row belongs to, and whether something is reserved for it (rule Q14)."""
    queue = scene.snapshot.queue
    user = np.full(len(queue), -1) if queue.user is None else np.asarray(queue.user)
    return table(
        CLAIM,
        len(queue),
        rank=-np.inf if queue.rank is None else queue.rank,
        user=_numbers(user),
        user_part=_numbers(user, scene.rows.of["partition"]),
        assoc=_numbers(user, queue.project),
        no_reserve=False if queue.no_reserve is None else queue.no_reserve,
    )


def _numbers(*columns: np.ndarray) -> Ints:
    """Equal numbers for rows that are equal in all columns."""
    number = np.zeros(len(columns[0]), np.int64)
    for column in columns:
        found = np.unique(column, return_inverse=True)[1].reshape(-1)
        number = number * (int(found.max(initial=0)) + 1) + found
    return np.unique(number, return_inverse=True)[1].reshape(-1).astype(np.int32)
