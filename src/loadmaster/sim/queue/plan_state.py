"""What a conservative decision that plans anew works on: what hosts have free, and when jobs could start there."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from loadmaster.backfilling.skyline_kernel import Skyline
from loadmaster.backfilling.soon_kernel import Soon

BLOCK = 16
"""Hosts whose least bound is kept."""


class HandOfPlan(NamedTuple):
    """The job at hand; H hosts.

    Attributes:
        able: int32[H], the hosts that can hold a task; window: float64[H, R], the least that those have free meanwhile.
        value: float64[H], their scores; again: int32[1].
        turn_s, turn_host: float64[H], int32[H], heap of hosts by when they can hold a task.
        exact_at: int64[H], the question for which that is exact, and no bound.
        question: int64[1], its number.
    """

    able: NDArray[np.int32]
    window: NDArray[np.float64]
    value: NDArray[np.float64]
    again: NDArray[np.int32]
    turn_s: NDArray[np.float64]
    turn_host: NDArray[np.int32]
    exact_at: NDArray[np.int64]
    question: NDArray[np.int64]


class Promises(NamedTuple):
    """What waiting jobs were promised when they were last planned for; J jobs, T tasks.

    Attributes:
        last: int64[1], the last job that was; all that wait before it were.
        start_s, host: float64[J], int32[T], when and where; never, and nowhere, if `start_s` is infinite.
        alone: bool[J], it has one task, and no other host could take it then.
    """

    last: NDArray[np.int64]
    start_s: NDArray[np.float64]
    host: NDArray[np.int32]
    alone: NDArray[np.bool_]


class Unlike(NamedTuple):
    """Where hosts may have something else free than they had when jobs were promised what they are; H hosts.

    Attributes:
        hosts, many: int32[H], int64[1], hosts of which any such time is known.
        more_from_s, more_until_s: float64[H], when more may be free than there was, empty if never.
        less_from_s, less_until_s: the same for less.
    """

    hosts: NDArray[np.int32]
    many: NDArray[np.int64]
    more_from_s: NDArray[np.float64]
    more_until_s: NDArray[np.float64]
    less_from_s: NDArray[np.float64]
    less_until_s: NDArray[np.float64]


class PassedOver(NamedTuple):
    """The same for jobs that no decision has come to since: a stack, the first of these jobs on top; S of N hosts.

    Attributes:
        many, job: int64[1], int64[S], from which job on each counts; entry: int64[S + 1], where its hosts begin.
        host, span_s: int32[N], float64[N, 4], hosts, with the times of `Unlike` in their order.
    """

    many: NDArray[np.int64]
    job: NDArray[np.int64]
    entry: NDArray[np.int64]
    host: NDArray[np.int32]
    span_s: NDArray[np.float64]


class PlanArrays(NamedTuple):
    """The plan of one decision, and what is known from one to the next; C classes, H hosts, K demands, B blocks.

    Attributes:
        base: what hosts have free beside the jobs that run.
        ahead: the same beside those that the decision has planned for too, in the same arrays: of a host for which
            nothing is planned it is the part of `base`.
        soon: when a job of a class can start on a host at the soonest, and what jobs that ended have given back.
        block_s: float64[C, B], no later than any of these bounds for the hosts of a block.
        changes: int64[1], how often what a host has ahead has changed; changed_at: int64[H], the last of these times.
        exact_at: int64[C, H], the bound was the first moment itself after that change.
        likely: int32[C], the host that a job of the class got last.
        undo_class, undo_host, undo_s: int32[N], int32[N], float64[N], bounds that hold in this decision only, and what
            they were; undo: int64[1], how many.
        least: float64[R], the least that any job asks for.
        roomy, many_roomy: int32[H], int64[1], the hosts that have so much, -1 where they are not listed yet.
        dead_at, dead_long_s: int64[K], float64[K], in the decision of that stamp no host can hold a task of the demand
            from now on for so long.
        bound_at, bound_tasks, bound_long_s, bound_s: int64[K], int32[K], float64[K] twice: in the decision of that
            stamp no job of the demand with so many tasks, so long, can start before `bound_s`.
        promised: what jobs were promised before.
        unlike: what is otherwise now for the job at hand; since: what is so since the last plan was begun, for all.
        unseen: what else is for those that no plan has come to since.
        begun: int32[J], the jobs started since the plan was begun; many_begun: int64[1].
        hand: the job at hand.
    """

    base: Skyline
    ahead: Skyline
    soon: Soon
    block_s: NDArray[np.float64]
    changes: NDArray[np.int64]
    changed_at: NDArray[np.int64]
    exact_at: NDArray[np.int64]
    likely: NDArray[np.int32]
    undo_class: NDArray[np.int32]
    undo_host: NDArray[np.int32]
    undo_s: NDArray[np.float64]
    undo: NDArray[np.int64]
    least: NDArray[np.float64]
    roomy: NDArray[np.int32]
    many_roomy: NDArray[np.int64]
    dead_at: NDArray[np.int64]
    dead_long_s: NDArray[np.float64]
    bound_at: NDArray[np.int64]
    bound_tasks: NDArray[np.int32]
    bound_long_s: NDArray[np.float64]
    bound_s: NDArray[np.float64]
    promised: Promises
    unlike: Unlike
    since: Unlike
    unseen: PassedOver
    begun: NDArray[np.int32]
    many_begun: NDArray[np.int64]
    hand: HandOfPlan
