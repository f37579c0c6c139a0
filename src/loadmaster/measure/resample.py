"""Other logs like this one, drawn from its own jobs: by users, by weeks, or shaken (rules R1 to R5).

A log is one draw of what its users might have sent. These functions draw again: pure, each with a generator of its
own. Zakay and Feitelson (2013, 2014) resample users; the rules here are a reconstruction, not their exact method.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np

from loadmaster.measure.rewire import rewired
from loadmaster.model.arrays import Bools, Floats, Ints, Longs
from loadmaster.model.errors import InputError
from loadmaster.model.workload import Workload
from loadmaster.system.counted import counted

WEEK_S = 7 * 86400.0
SHAKE_S = 600.0
"""Submit times are shaken by as much, either way."""
FEWEST_WEEKS = 4
"""A log of fewer whole weeks says nothing of how logs differ."""
FEWEST_USERS = 5
"""So many users at least, or drawing among them draws the same log again and again."""


@dataclass(frozen=True, eq=False)
class Sample:
    """A log drawn from another.

    Attributes:
        workload: its jobs; numbered anew, and what they really waited is not known.
        cut: dependencies that the draw parted from the job they wait for, and left out.
    """

    workload: Workload
    cut: int


def whole_weeks(workload: Workload) -> int:
    """W, the whole weeks from the first arrival to the last; the rest of a log is dropped by `users` and `weeks`."""
    return int(workload.span_s // WEEK_S)


def users(workload: Workload, rng: np.random.Generator) -> Sample:
    """Users drawn with replacement, each moved by whole weeks, around the end of the log to its beginning.

    Long-term users, whose first and last week span at least half of the weeks, and the others are drawn apart, as
    many of each as there are. A user drawn twice is two users with numbers of their own. Weekday and hour of every
    job stay.

    Raises:
        InputError: less than one whole week, or no users.
    """
    weeks_ = _weeks_or_error(workload)
    if workload.user is None:
        raise InputError(workload.source or "this log", "does not name the users", fix="resample weeks")
    at_s = workload.submit_s - workload.submit_s[0]
    jobs = np.flatnonzero(at_s < weeks_ * WEEK_S)
    _, who = np.unique(workload.user[jobs], return_inverse=True)
    by_user = jobs[np.argsort(who, kind="stable")]
    count = np.bincount(who)
    drawn = np.concatenate([rng.choice(kind, kind.size) for kind in _classes(who, at_s[jobs], weeks_) if kind.size])
    moved_s = rng.integers(0, weeks_, drawn.size) * WEEK_S
    first = np.cumsum(count) - count
    draw = np.repeat(np.arange(drawn.size), count[drawn])
    place = np.arange(draw.size) - np.repeat(np.cumsum(count[drawn]) - count[drawn], count[drawn])
    source = by_user[first[drawn][draw] + place]
    submit_s = (at_s[source] + moved_s[draw]) % (weeks_ * WEEK_S)
    names = () if workload.constraints is None else workload.constraints.user_names
    user_of_copy = workload.user[by_user[first[drawn]]]
    named = tuple(names[code] if code >= 0 else "" for code in user_of_copy) if names else ()
    return drawn_log(workload, source, submit_s, draw, user=draw.astype(np.int32), user_names=named)


def weeks(workload: Workload, rng: np.random.Generator) -> Sample:
    """Whole weeks drawn with replacement, one behind the other; users keep their numbers.

    Raises:
        InputError: less than one whole week.
    """
    count = _weeks_or_error(workload)
    at_s = workload.submit_s - workload.submit_s[0]
    week = (at_s // WEEK_S).astype(np.int64)
    edges = np.searchsorted(week, np.arange(count + 1))
    chosen = rng.integers(0, count, count)
    size = (edges[1:] - edges[:-1])[chosen]
    slot = np.repeat(np.arange(count), size)
    place = np.arange(slot.size) - np.repeat(np.cumsum(size) - size, size)
    source = edges[chosen][slot] + place
    submit_s = at_s[source] + (slot - week[source]) * WEEK_S
    return drawn_log(workload, source, submit_s, slot, user=None if workload.user is None else workload.user[source])


def shake(workload: Workload, rng: np.random.Generator) -> Sample:
    """Every submit time moved by up to ten minutes either way: how far chance alone moves a result, and no more."""
    submit_s = np.maximum(workload.submit_s + rng.uniform(-SHAKE_S, SHAKE_S, workload.jobs), 0.0)
    source = np.arange(workload.jobs)
    return drawn_log(workload, source, submit_s, np.zeros_like(source), user=workload.user)


RESAMPLINGS: Mapping[str, Callable[[Workload, np.random.Generator], Sample]] = MappingProxyType(
    {"users": users, "weeks": weeks, "shake": shake}
)
"""Every way to draw a log from another, by its name."""


def without_interval(workload: Workload, how: str) -> str:
    """Why samples drawn so give no interval; empty where they do (rule R5)."""
    if how == "shake":
        return "shaken arrivals show how far chance moves a result, not how logs differ"
    count = whole_weeks(workload)
    if count < FEWEST_WEEKS:
        weeks_ = counted(count, "whole week")
        return f"the log has {weeks_}, and {FEWEST_WEEKS} are needed to show how weeks differ"
    if (people := _user_numbers(workload)) < FEWEST_USERS:
        users_ = counted(people, "user")
        reason = "does not name the users" if people == 0 else f"has {users_}, and {FEWEST_USERS} are the least"
        return f"the log {reason}"
    return ""


def _user_numbers(workload: Workload) -> int:
    """Users that are known; 0 where most jobs have none."""
    if workload.user is None or not workload.jobs or np.mean(workload.user < 0) > 0.5:
        return 0
    return int(np.unique(workload.user[workload.user >= 0]).size)


def long_term(who: Ints | Longs, at_s: Floats, count: int) -> Bools:
    """bool[U]: users whose jobs span at least half of the `count` weeks, from the week of the first to the last's."""
    week = (at_s // WEEK_S).astype(np.int64)
    people = int(who.max()) + 1
    first, last = np.full(people, count), np.full(people, -1)
    np.minimum.at(first, who, week)
    np.maximum.at(last, who, week)
    return np.asarray(last - first + 1 >= count / 2)


def _classes(who: Longs, at_s: Floats, count: int) -> tuple[Longs, Longs]:
    stays = long_term(who, at_s, count)
    return np.flatnonzero(stays), np.flatnonzero(~stays)


def _weeks_or_error(workload: Workload) -> int:
    count = whole_weeks(workload)
    if count < 1:
        rule = "less than a whole week: nothing to draw from"
        raise InputError(workload.source or "this log", rule, fix="--resample shake")
    return count


def drawn_log(
    workload: Workload,
    source: Longs,
    submit_s: Floats,
    copy: Longs,
    *,
    user: Ints | None,
    user_names: tuple[str, ...] = (),
) -> Sample:
    """The log of the jobs `source` at these times, each in one of several copies of what belongs together.

    Args:
        workload: the log drawn from.
        source: int64[N], the job that each drawn one is.
        submit_s: float64[N], when each arrives.
        copy: int64[N], jobs of one copy belong together; a dependency never leaves its copy.
        user: int32[N], whose each is; None where that is unknown.
        user_names: the names of these users, where they have new ones.
    """
    workload.refuse_starting("a sample is drawn from all of a log, and begins on empty hosts")
    order = np.argsort(submit_s, kind="stable")
    source, submit_s, copy = source[order], submit_s[order], copy[order]
    bound, cut = None, 0
    if workload.constraints is not None:
        bound, cut = rewired(workload, source, submit_s, copy)
        if user_names:
            bound = replace(bound, user_names=user_names)
    columns = {name: getattr(workload, name) for name in ("runtime_s", "demand", "tasks", "estimate_s", "project")}
    sample = replace(
        workload,
        submit_s=submit_s,
        user=None if user is None else user[order],
        job_id=np.arange(source.size),
        recorded_wait_s=None,
        recorded_hosts=None,
        constraints=bound,
        epoch_s=None,
        **{name: column[source] for name, column in columns.items() if column is not None},
    )
    return Sample(sample, cut)
