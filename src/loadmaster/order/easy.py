"""EASY backfilling: jobs behind a blocked head start early as long as the head is not held up."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from loadmaster.model.arrays import Floats
from loadmaster.model.snapshot import Decision, Place, Snapshot
from loadmaster.order.releases import releases
from loadmaster.place import Policy
from loadmaster.place.board import Board


class Reservation(NamedTuple):
    """What the blocked head of the queue is promised.

    Attributes:
        row: the head's row in the queue.
        shadow_s: the moment at which it fits, if every running task ends when expected; infinite if it never fits.
        hosts: one for each of its tasks.
        spare: float64[H, R], what hosts have at that moment beside the reservation; infinite where nothing is reserved.
    """

    row: int
    shadow_s: float
    hosts: tuple[int, ...]
    spare: Floats


@dataclass(frozen=True)
class Easy:
    """EASY: aggressive backfilling with one reservation (Lifka 1995; Mu'alem and Feitelson 2001, section 2).

    Jobs start in the order of arrival until one, the head, does not fit. It is promised the *shadow time*: the first
    moment at which all its tasks fit if running tasks end when expected, on the hosts that the placement policy picks
    in the state of that moment. Later jobs start now, in their order, if they fit and either are expected to end by
    the shadow time, or use of the promised hosts only what these have to spare at the shadow time beside the promise.
    A task that has outlived its estimate is expected to end right after now.

    Differs from the paper: the paper counts processors of one kind, so "extra nodes" is a number; here it is an amount
    of every resource on every promised host.
    """

    def serve(self, snapshot: Snapshot, policy: Policy) -> Decision:
        """Start the prefix that fits, promise the next job its shadow time, backfill behind it."""
        board = Board(snapshot, policy)
        started = start_prefix(board)
        if len(started) == len(snapshot.queue):
            return Decision(tuple(started), (), board.last_host)
        promise = promised(snapshot, board, started)
        for index in range(promise.row + 1, len(snapshot.queue)):
            end_s = snapshot.now_s + snapshot.queue.expected_s[index]
            hosts = board.place(index, None if end_s <= promise.shadow_s else promise.spare)
            if hosts is not None:
                started.append(Place(int(snapshot.queue.job[index]), hosts))
        return Decision(tuple(started), tuple(dict.fromkeys(promise.hosts)), board.last_host)


def reservation(snapshot: Snapshot, policy: Policy) -> Reservation | None:
    """The promise that `Easy` gives in this snapshot, None if every waiting job starts."""
    board = Board(snapshot, policy)
    started = start_prefix(board)
    return None if len(started) == len(snapshot.queue) else promised(snapshot, board, started)


def start_prefix(board: Board) -> list[Place]:
    """Take hosts for the longest prefix of the queue that fits."""
    started: list[Place] = []
    for index in range(len(board.queue)):
        hosts = board.place(index)
        if hosts is None:
            break
        started.append(Place(int(board.queue.job[index]), hosts))
    return started


def promised(snapshot: Snapshot, board: Board, started: list[Place]) -> Reservation:
    """The promise for the job behind the prefix `started`; `board` is left as it is."""
    index = len(started)
    ending = releases(snapshot, started)
    later = Board(snapshot, board.policy)
    later.free, later.last_host = board.free.copy(), board.last_host
    for i, release in enumerate(ending):
        later.free[release.host] += release.demand
        if i + 1 < len(ending) and ending[i + 1].end_s == release.end_s:
            continue
        hosts = later.place(index)
        if hosts is not None:
            kept = np.isin(np.arange(len(later.free)), hosts)[:, None]
            return Reservation(index, release.end_s, hosts, np.where(kept, later.free, np.inf))
    return Reservation(index, np.inf, (), np.full_like(later.free, np.inf))
