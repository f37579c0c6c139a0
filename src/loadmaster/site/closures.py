"""Hosts that close for some time, named on the command line or by reservations: rows of a calendar (rule L10)."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime

from loadmaster.model import CalendarRow, Cluster, InputError, SiteRules
from loadmaster.model.host_names import host_names
from loadmaster.model.units import parse_seconds
from loadmaster.rules.near import near_to
from loadmaster.site.scontrol_reservations import REPEATS, Reservation, moment_s

ALL = "all"
"""The word for every host."""
_FIX = "write it like 2026-12-01T08:00/12h:node[01-20], or 3600/12h:all"


def closure_of(text: str, cluster: Cluster, epoch_s: float | None) -> CalendarRow:
    """The row of the calendar that `START/LENGTH:HOSTS` means: running jobs end there, and no job starts.

    Args:
        text: START is a date with a time, or a number of seconds of the log; LENGTH such as 12h; HOSTS such as
            node[01-20], or all.
        cluster: the hosts.
        epoch_s: the date of the log's zero; None without dates.

    Raises:
        InputError: the text does not read so, names no host of these, a date where the log has none, or a time before
            the log.

    Example:
        >>> closure_of("3600/12h:all", Cluster.uniform(2, cores=4), None).to_s
        46800.0
    """
    start, slash, rest = text.partition("/")
    length, colon, names = rest.partition(":")
    if not (start and slash and colon and names):
        raise InputError(text, "a closure is START/LENGTH:HOSTS", fix=_FIX)
    length_s = parse_seconds(length)
    if length_s <= 0:
        raise InputError(length, "a closure lasts longer than nothing", fix=_FIX)
    try:
        from_s = float(start)
    except ValueError:
        from_s = _on_log_clock(moment_s(start), start, epoch_s)
    if not math.isfinite(from_s):
        raise InputError(start, "a closure begins at a date or at a second of the log", fix=_FIX)
    if from_s + length_s <= 0:
        begin = "second 0" if epoch_s is None else f"{datetime.fromtimestamp(epoch_s, UTC):%Y-%m-%dT%H:%M}"
        raise InputError(text, "this closure ends before the log begins", fix=f"the log begins at {begin}")
    return CalendarRow(from_s, from_s + length_s, "drained", _numbers(host_names(names), cluster))


def reservation_rows(
    reservations: Iterable[Reservation], cluster: Cluster, epoch_s: float | None
) -> tuple[list[CalendarRow], list[str]]:
    """The rows of the calendar that reservations mean, and what must be said of them.

    A reservation with the flag MAINT closes its hosts to all jobs. Any other is for the jobs that name it and whose
    user or account it admits.

    Args:
        reservations: of the site.
        cluster: its hosts.
        epoch_s: the date of the log's zero.

    Raises:
        InputError: the log has no dates, or a host that this cluster does not have.
    """
    rows, notes = [], list[str]()
    for each in reservations:
        if not each.hosts:
            notes.append(f"The reservation {each.name} holds no hosts: it is left out.")
            continue
        if set(each.flags) & {*REPEATS}:
            notes.append(f"The reservation {each.name} comes again: only its next time is kept.")
        if any(name.startswith("-") for name in (*each.users, *each.accounts)):
            notes.append(f"The reservation {each.name} keeps some users or accounts out: that is not modelled.")
        from_s = _on_log_clock(each.from_s, each.name, epoch_s)
        to_s = None if math.isinf(each.to_s) else _on_log_clock(each.to_s, each.name, epoch_s)
        hosts = _numbers(each.hosts, cluster)
        if "MAINT" in each.flags:
            rows.append(CalendarRow(from_s, to_s, "drained", hosts))
            continue
        users, accounts = (tuple(name for name in names if name[0] != "-") for names in (each.users, each.accounts))
        flex = "FLEX" in each.flags
        rows.append(CalendarRow(from_s, to_s, "reserved", hosts, each.name, users, accounts, flex))
    return rows, notes


def with_calendar(cluster: Cluster, rows: Sequence[CalendarRow]) -> Cluster:
    """The cluster with these rows in its calendar beside those that it has."""
    rules = cluster.rules or SiteRules()
    return replace(cluster, rules=replace(rules, calendar=(*rules.calendar, *rows))) if rows else cluster


def _on_log_clock(moment: float, value: str, epoch_s: float | None) -> float:
    if epoch_s is None:
        rule = "this log has no dates, so a date cannot be found in it"
        raise InputError(value, rule, fix="give the begin in seconds of the log (--down 3600/12h:all)")
    return moment - epoch_s


def _numbers(names: Sequence[str], cluster: Cluster) -> tuple[int, ...] | None:
    """The numbers of hosts by name; None for all of them.

    Raises:
        InputError: a host that is not there.
    """
    if list(names) == [ALL]:
        return None
    number = {cluster.name(host): host for host in range(cluster.hosts)}
    for name in names:
        if name not in number:
            near = near_to(name, number)
            first, last = cluster.name(0), cluster.name(cluster.hosts - 1)
            fix = f"did you mean {near}?" if near else f"the hosts are {first} to {last}; all names every host"
            raise InputError(name, "no such host", fix=fix)
    return tuple(number[name] for name in names)
