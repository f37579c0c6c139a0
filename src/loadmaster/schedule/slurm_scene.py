"""A snapshot laid out for the compiled twin of Slurm's two loops, beside what every backfilling needs of it."""

import math

import numpy as np

from loadmaster.backfilling import Slurm
from loadmaster.backfilling.board_arrays import END
from loadmaster.backfilling.releases import right_after
from loadmaster.backfilling.slurm_arrays import (
    CLAIM,
    RESERVATIONS,
    RESERVED,
    RESERVED_HOSTS,
    TRIED,
    Records,
    SlurmPass,
)
from loadmaster.model.arrays import Bools, Floats, Ints
from loadmaster.model.snapshot import Snapshot
from loadmaster.schedule.snapshot_arrays import Scene, table


def slurm_pass(rule: Slurm, scene: Scene) -> SlurmPass:
    """The passes that are due, and all that they look at; made anew for each."""
    snapshot, queue = scene.snapshot, scene.snapshot.queue
    clock, now_s, hosts = rule.due(snapshot), snapshot.now_s, len(snapshot.free)
    due = clock.full_s <= now_s or clock.main_s <= now_s
    main_most = -2 if not due else -1 if clock.full_s <= now_s else rule.default_queue_depth + 1
    claim = _claims(rule, scene)
    guess = _guesses(rule, snapshot)
    row, host = _table(rule, scene, guess)
    known, room = len(row), min(rule.bf_max_job_test, len(queue))
    by_end = np.argsort(guess, kind="stable")
    end_kind = scene.running_kind[by_end]
    numbers = [claim[name].max(initial=0) for name in ("user", "user_part", "assoc")]
    largest = max(scene.parts, *map(int, numbers), int(scene.rows.of["array"].max(initial=0))) + 1
    return SlurmPass(
        main_most=main_most, backfill=bool(clock.backfill_s <= now_s),
        horizon_s=_down(now_s + 60.0 * rule.bf_window, rule.bf_resolution), resolution_s=float(rule.bf_resolution),
        window_linear_s=float(rule.bf_window_linear), depth=rule.partition_job_depth,
        max_start=rule.sched_max_job_start, test=rule.bf_max_job_test, user=rule.bf_max_job_user,
        part=rule.bf_max_job_part, user_part=rule.bf_max_job_user_part, assoc=rule.bf_max_job_assoc,
        start=rule.bf_max_job_start, part_reserve=rule.bf_job_part_count_reserve,
        array_reserve=rule.bf_max_job_array_resv, limit_stop=bool(rule.assoc_limit_stop or snapshot.limits_stop),
        partitions=np.zeros((0, hosts), bool) if snapshot.partitions is None else np.array(snapshot.partitions, bool),
        claim=claim, tried=table(TRIED, largest),
        end=table(END, len(guess), end_s=guess[by_end], host=snapshot.running.host[by_end], kind=end_kind),
        started=table(END, scene.tasks), row=_with_room(row, room), by_from=_sorted(row["from_s"], room),
        by_to=_sorted(row["to_s"], room), host=np.concatenate((host, np.zeros(scene.tasks, np.int32))),
        blocked=np.zeros(hosts, np.int64), held=np.zeros(hosts, np.int64), on=np.zeros(hosts, np.bool_),
        size=_sizes(known, len(host)),
    )  # fmt: skip


def _down(time_s: float, resolution_s: float) -> float:
    return math.floor(time_s / resolution_s) * resolution_s


def _sizes(reservations: int, hosts: int) -> np.ndarray:
    size = np.zeros(4, np.int64)
    size[RESERVATIONS], size[RESERVED_HOSTS] = reservations, hosts
    return size


def _with_room(row: Records, room: int) -> Records:
    wider = table(RESERVED, len(row) + room)
    wider[: len(row)] = row
    return wider


def _sorted(time_s: Floats, room: int) -> Ints:
    return np.concatenate((np.argsort(time_s, kind="stable"), np.zeros(room))).astype(np.int32)


def _claims(rule: Slurm, scene: Scene) -> Records:
    """Whom each row counts for, and whether nothing is kept for it (rule Q14)."""
    queue, now_s = scene.snapshot.queue, scene.snapshot.now_s
    user = np.full(len(queue), -1) if queue.user is None else np.asarray(queue.user)
    now_only: Bools = np.zeros(len(queue), np.bool_)
    if queue.no_reserve is not None:
        now_only |= queue.no_reserve
    if rule.bf_min_prio_reserve and queue.rank is not None:
        now_only |= -queue.rank < rule.bf_min_prio_reserve
    if queue.eligible_s is not None:
        now_only |= now_s - queue.eligible_s < rule.bf_min_age_reserve
    return table(
        CLAIM, len(queue), user=_numbers(user), user_part=_numbers(user, scene.rows.of["partition"]),
        assoc=_numbers(user, queue.project), now_only=now_only,
    )  # fmt: skip


def _numbers(*columns: np.ndarray) -> Ints:
    """The same number for rows that have the same in all columns."""
    found = np.unique(np.column_stack(columns), axis=0, return_inverse=True)[1]
    return found.reshape(-1).astype(np.int32)


def _guesses(rule: Slurm, snapshot: Snapshot) -> Floats:
    """float64[N]: when every running task is over, as Slurm guesses."""
    running, now_s = snapshot.running, snapshot.now_s
    limit_s = np.asarray(running.expected_end_s, np.float64)
    if rule.over_time_limit is not None:
        late_s = np.maximum(limit_s + rule.kill_wait + 60.0 * rule.over_time_limit, now_s + 1.0)
    elif running.start_s is None:
        late_s = np.full(len(limit_s), now_s + 1.0)
    else:
        late_s = now_s + (limit_s - running.start_s)
    return np.where(limit_s > now_s, limit_s, late_s)


def _table(rule: Slurm, scene: Scene, guess: Floats) -> tuple[Records, Ints]:
    """Hosts that are out of the table from the beginning: closures, and running jobs on whole hosts if they count."""
    snapshot = scene.snapshot
    times: list[tuple[float, float, int]] = []
    hosts: list[np.ndarray] = []
    for number, closure in enumerate(snapshot.closures):
        times.append((right_after(closure.from_s), closure.to_s, number))  # others may end as it begins
        hosts.append(np.flatnonzero(closure.hosts))
    if rule.bf_running_job_reserve:
        running = snapshot.running
        for task in np.flatnonzero(running.demand[:, 0] == snapshot.cluster.capacity[running.host, 0]).tolist():
            times.append((snapshot.now_s, float(guess[task]), -1))
            hosts.append(running.host[task : task + 1])
    many = np.array([len(each) for each in hosts], np.int64)
    column = np.array(times, np.float64).reshape(-1, 3)
    row = table(
        RESERVED, len(times), from_s=column[:, 0], to_s=column[:, 1], closure=column[:, 2].astype(np.int64),
        first=np.cumsum(many) - many, many=many,
    )  # fmt: skip
    return row, np.concatenate([np.zeros(0, np.int32), *hosts]).astype(np.int32)
