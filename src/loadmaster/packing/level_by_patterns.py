"""The level by the pattern program: bisection, each step asking whether the relaxed program needs more hosts."""

from dataclasses import dataclass

from loadmaster.model.arrays import Ints
from loadmaster.packing.bound import ceiling, reachable_level
from loadmaster.packing.column_generation import Columns, OutOfTime, ShareOfHosts, relax
from loadmaster.packing.deadline import Deadline
from loadmaster.packing.instance import Instance
from loadmaster.packing.level import level_of
from loadmaster.packing.packing import Attempt, Status
from loadmaster.packing.pattern_problem import PatternProblem, at_level
from loadmaster.packing.whole_patterns import choose

NAME = "pattern-program"
MOST_KINDS = 120
"""Kinds of tasks up to which the program is solved for the level."""
CLOSE = 1e-5
"""The bisection ends when bound and level, or what cannot be refuted, are this close."""


@dataclass
class _Ends:
    """What is known of the level.

    Attributes:
        host: int32[T], the best mapping; level: its level.
        open: the highest level that the relaxed program could not refute.
        bound: no mapping has a higher level.
    """

    host: Ints
    level: float
    open: float
    bound: float


def served(instance: Instance) -> bool:
    """Whether there are few enough kinds of tasks for the pattern program."""
    return len(at_level(instance, 1.0).count) <= MOST_KINDS


def level_by_patterns(instance: Instance, start: Attempt, time_limit_s: float = 60.0) -> Attempt:
    """The best bound on the level that the pattern program gives in the time, and a mapping if it finds a better one.

    Args:
        instance: what to pack; with guarantees a task keeps its guarantee at every level.
        start: a mapping, with the bound known.
        time_limit_s: seconds.
    """
    assert start.host is not None
    deadline, level = Deadline.after(time_limit_s), level_of(instance, start.host)
    bound = reachable_level(instance, min(ceiling(instance), 1.0 if start.bound is None else start.bound))
    ends = _Ends(start.host, level, level, bound)
    interrupted = False
    try:
        _bisect(instance, ends, deadline)
    except KeyboardInterrupt:
        interrupted = True
    proven = ends.level >= ends.bound * (1 - 1e-12)
    status: Status = "ok" if proven else "limit"
    return Attempt(ends.host, status, NAME, max(ends.bound, ends.level), proven, interrupted=interrupted)


def _bisect(instance: Instance, ends: _Ends, deadline: Deadline) -> None:
    probe_bound = True
    while ends.bound > ends.open * (1 + CLOSE) and not deadline.passed():
        level = ends.bound if probe_bound else reachable_level(instance, (ends.open + ends.bound) / 2)
        if level <= ends.open:
            level = ends.bound  # no level between the two can be reached
        problem = at_level(instance, level)
        columns = Columns(len(problem.count))
        try:
            relaxed = relax(
                problem,
                columns,
                ShareOfHosts(problem),
                deadline.share(0.5),
                lambda value, bound: value <= 1 + 1e-9 or bound > 1 + 1e-6,
            )
        except OutOfTime:
            return
        if relaxed.bound > 1 + 1e-6:
            ends.bound = _below(instance, level)
        elif relaxed.solved.value <= 1 + 1e-6:
            ends.open = max(ends.open, level)
            _take(instance, ends, problem, columns, deadline)
        else:
            return  # the time was up before it was known
        probe_bound = False
    ends.bound = max(ends.bound, ends.level)


def _below(instance: Instance, level: float) -> float:
    """The highest level that a mapping may have once `level` is refuted."""
    lower = level * (1 - 1e-9)
    reachable = reachable_level(instance, lower)
    return level if reachable == lower else reachable


def _take(instance: Instance, ends: _Ends, problem: PatternProblem, columns: Columns, deadline: Deadline) -> None:
    """Keep the mapping that HiGHS makes of the patterns, if it finds one."""
    patterns = list(zip(columns.kind, columns.patterns, strict=True))
    chosen = choose(problem, patterns, 0.0, float(problem.hosts.sum()), min(10.0, deadline.left_s() / 4))
    host = None if chosen.patterns is None else problem.placed(chosen.patterns)
    if host is not None and (reached := level_of(instance, host)) > ends.level:
        ends.host, ends.level = host, reached
        ends.open = max(ends.open, reached)
