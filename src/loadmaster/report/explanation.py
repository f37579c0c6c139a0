"""An explanation of one job for people: plain sentences, one table of hosts.

Sentences carry markup, so names in them are escaped: what the user calls a host or a policy is shown as it is.
"""

import dataclasses
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from loadmaster.model.arrays import Floats
from loadmaster.model.units import MEMORY, show_bytes, show_seconds
from loadmaster.report.console import new_table
from loadmaster.runs.choice import Choice, Followed, Member
from loadmaster.runs.delay import KEPT, TAKEN
from loadmaster.runs.explain import Explanation
from loadmaster.runs.rebuild import jobs_numbered
from loadmaster.runs.record import LIVE, Record

TOP = 8
"""How many of the rated hosts are shown."""


def print_explanation(console: Console, record: Record, told: Explanation, top: int = TOP) -> None:
    """Print what became of a job, what it waited for, and why it got its host."""
    for paragraph in _paragraphs(record, told):
        console.print(Text.from_markup(paragraph, emoji=False), highlight=False)
    if told.choice is not None:
        console.print(_hosts(record, told, top))


def sentences(record: Record, told: Explanation) -> list[str]:
    """What is printed above the table of hosts, without markup; an empty line parts what belongs together."""
    return [Text.from_markup(paragraph, emoji=False).plain for paragraph in _paragraphs(record, told)]


def as_plain(record: Record, told: Explanation, top: int = TOP) -> dict[str, Any]:
    """The explanation as JSON takes it, hosts by name and jobs by the log's identifiers; `top` hosts of those rated."""
    workload, cluster = record.workload, record.case.cluster
    plain: dict[str, Any] = {
        "job": told.identifier,
        "submit_s": told.submit_s,
        "start_s": told.start_s,
        "wait_s": told.wait_s,
        "runtime_s": told.runtime_s,
        "stops": [
            {**dataclasses.asdict(stop), "hosts": [cluster.name(host) for host in stop.hosts]} for stop in told.stops
        ],
        "tasks": told.tasks,
        "demand": dict(zip(workload.resources, workload.demand[told.job].tolist(), strict=True)),
        "hosts": [cluster.name(host) for host in told.hosts],
        "delay": dataclasses.asdict(told.delay),
        "choice": None,
        "sentences": sentences(record, told),
    }
    freed_by = told.delay.freed_by
    plain["delay"]["freed_by"] = None if freed_by is None else record.name_of(freed_by)
    if told.choice is not None:
        choice = told.choice
        plain["choice"] = {
            **{name: getattr(choice, name) for name in _CHOICE},
            "rated": len(choice.candidates),
            "members": [dataclasses.asdict(member) for member in choice.members],
            "followed": None if choice.followed is None else dataclasses.asdict(choice.followed),
            "hosts": [
                {
                    "host": cluster.name(candidate.host),
                    "score": candidate.score,
                    "free": dict(zip(cluster.resources, candidate.free.tolist(), strict=True)),
                }
                for candidate in choice.candidates[:top]
            ],
        }
    return plain


def amounts(resources: tuple[str, ...], values: Floats) -> str:
    """Amounts of several resources in words.

    Example:
        >>> import numpy as np
        >>> amounts(("cores", "memory"), np.array([1.0, 2.0**33]))
        '1 core and 8 GiB'
    """
    words = [
        show_bytes(value) if name == MEMORY else f"{value:g} {name.removesuffix('s') if value == 1 else name}"
        for name, value in zip(resources, values, strict=True)
    ]
    return " and ".join((", ".join(words[:-1]), words[-1])) if len(words) > 1 else words[0]


def moment(seconds: float) -> str:
    """A time since the start of the log.

    Example:
        >>> moment(90.0), moment(93_784.5)
        ('90 s', '93,784.5 s (1.09 d)')
    """
    text = f"{seconds:,.10g} s"
    return text if abs(seconds) < 120 else f"{text} ({show_seconds(seconds)})"


def _paragraphs(record: Record, told: Explanation) -> list[str]:
    same = _same_number(record, told)
    return [_job(record, told), *same, *_stops(record, told), *_wait(record, told), *_choice(record, told)]


def _same_number(record: Record, told: Explanation) -> list[str]:
    """Which of the jobs with one number it is, where the log gives a number twice."""
    if record.called or record.workload.job_id is None or told.identifier != record.workload.id_of(told.job):
        return []
    number = record.workload.id_of(told.job)
    same = jobs_numbered(record, number)
    if number < 0 or len(same) == 1:
        return []
    which = same.index(told.job) + 1
    other = 2 if which == 1 else 1
    return [
        f"{len(same):,} jobs have the number {number}. This is {number}@{which}; ask for another as {number}@{other}."
    ]


def _job(record: Record, told: Explanation) -> str:
    demand = escape(amounts(record.workload.resources, record.workload.demand[told.job]))
    asks = f"asks {demand}" if told.tasks == 1 else f"has {told.tasks} tasks of {demand} each"
    text = f"[bold]Job {escape(str(told.identifier))}[/] {asks}. It arrived at {moment(told.submit_s)}"
    if told.start_s is None or told.wait_s is None:
        if record.workload.source == LIVE:
            return f"{text} and [bold]had not started[/] by the end of the record."
        return f"{text} and [bold]never started[/]."
    last = " for the last time" if told.stops else ""
    wait = "without waiting" if told.wait_s == 0 else f"after a wait of {show_seconds(told.wait_s)}"
    wait += " in all" if told.stops and told.wait_s else ""
    return (
        f"{text}, started{last} at {moment(told.start_s)}, {wait}, on [bold]{_on(record, told.hosts)}[/], "
        f"and ran for {show_seconds(told.runtime_s)}{' in all' if any(not stop.lost for stop in told.stops) else ''}."
    )


def _on(record: Record, hosts: tuple[int, ...]) -> str:
    """Hosts in words, six at most."""
    where = ", ".join(escape(record.case.cluster.name(host)) for host in hosts[:6])
    where += f" and {len(hosts) - 6} more" if len(hosts) > 6 else ""
    return f"{'host' if len(set(hosts)) == 1 else 'hosts'} {where}"


def _stops(record: Record, told: Explanation) -> list[str]:
    """A sentence for each time that it was stopped."""
    told_of = []
    for stop in told.stops:
        ran, then = (
            show_seconds(stop.end_s - stop.start_s),
            "its work was lost" if stop.lost else "it went on from there",
        )
        told_of.append(f"It was stopped at {moment(stop.end_s)} on {_on(record, stop.hosts)}, after {ran}: {then}.")
    return told_of


def _wait(record: Record, told: Explanation) -> list[str]:
    delay = told.delay
    if not told.waited:
        until_cycle = delay.first_cycle_s - told.submit_s
        if until_cycle > 0:
            text = f"It got its host in the first cycle after it came, {show_seconds(until_cycle)} later"
            return ["", f"{text}: it waited for nothing but the clock."]
        return ["", "It got its host at once."]
    ahead = {0: "no job was", 1: "1 job was"}.get(delay.ahead, f"{delay.ahead:,} jobs were")
    later = {0: "no job", 1: "1 job"}.get(delay.overtaken_by, f"{delay.overtaken_by:,} jobs") + " that came later"
    cycles = "1 cycle" if delay.cycles == 1 else f"{delay.cycles:,} cycles"
    lines = [
        "",
        "[bold]What it waited for[/]",
        f"It was in the queue for {cycles}. In its first, {ahead} ahead of it; {later} started earlier.",
    ]
    if delay.looked_at:
        every = "all" if delay.looked_at == delay.cycles - (told.start_s is not None) else "spread evenly"
        noun = "cycle" if delay.looked_at == 1 else "cycles"
        lines.append(f"In {delay.looked_at} {noun} without success ({every}):")
        lines += [f"  {count:>3} × {escape(reason)}" for reason, count in delay.reasons.items()]
    if told.start_s is not None and delay.room_since_s is not None:
        lines.append(_room(record, told))
    return lines


def _room(record: Record, told: Explanation) -> str:
    delay = told.delay
    assert delay.room_since_s is not None
    host = escape(record.case.cluster.name(told.hosts[0]))
    if delay.freed_by is None and delay.room_since_s <= told.submit_s:
        ahead = any(reason == KEPT or reason.startswith(TAKEN) for reason in delay.reasons)
        kept = "; it was kept for, or served to, jobs ahead" if ahead else ""
        return f"Host {host} had room for it all the time{kept}."
    if delay.freed_by is None:
        return f"Host {host} had no room before the cycle of its start."
    job = record.name_of(delay.freed_by)
    return f"Host {host} had room for it from {moment(delay.room_since_s)} on, when job {job} ended."


def _choice(record: Record, told: Explanation) -> list[str]:
    choice = told.choice
    if choice is None:
        return ["", f"Why this host cannot be told: {escape(told.unexplained)}."] if told.unexplained else []
    total = record.case.cluster.hosts
    lines = ["", f"[bold]Why host {escape(record.case.cluster.name(told.hosts[0]))}[/]"]
    turn = f"{choice.started_before:,} of {choice.queue_length:,} waiting jobs had got hosts in this cycle before it"
    kept = f", {choice.kept_back:,} of them kept back for jobs served earlier" if choice.kept_back else ""
    lines.append(f"{turn}. {choice.fitting:,} of {total:,} hosts had room then{kept}.")
    if choice.members:
        lines.append(_members(choice, record.setting.policy))
    if choice.followed is not None:
        lines.append(_followed(choice.followed))
    lines.append(
        f"{escape(choice.policy)} takes {escape(choice.summary)}; the lowest score wins, the lower host among equals."
    )
    if not choice.same:
        lines.append(
            "[bold red]The cycle could not be decided again exactly[/]: the record does not say what earlier cycles "
            "had promised, nor in which order they started jobs. What follows is close, but not what was seen."
        )
    return lines


def _members(choice: Choice, rule: str) -> str:
    """Whom the meta-rule followed, and what all would have done."""
    text = ", ".join(_would_do(member) for member in choice.members)
    worth = next(member.value for member in choice.members if member.won)
    tied = sum(member.value == worth for member in choice.members)
    also = f"; {tied} tied, the first listed is taken" if tied > 1 else ""
    asked = f"{escape(rule)} asked each member how many jobs it would start: {text}{also}."
    return f"{asked} It followed {escape(choice.policy)}."


def _followed(followed: Followed) -> str:
    """Whom a twin followed, and why."""
    name = escape(followed.name)
    if followed.look_s is None:
        return f"The twin followed {name}; at its last look the queue would have waited alike under every member."
    waits = sorted(followed.mean_wait_s.items(), key=lambda each: followed.counted_wait_s[each[0]])
    text = ", ".join(_waited(member, wait_s, followed.counted_wait_s[member]) for member, wait_s in waits)
    return f"The twin followed {name}. At its look at {moment(followed.look_s)} the queue would have waited {text}."


def _waited(member: str, wait_s: float, counted_s: float) -> str:
    text = f"{show_seconds(wait_s)} under {escape(member)}"
    if counted_s == wait_s:
        return text
    return f"{text} (which counts as {show_seconds(counted_s)}: its order does not look at runtimes)"


def _would_do(member: Member) -> str:
    if member.started is None:
        return f"{escape(member.name)} not asked"
    worth = "" if member.value in (None, float(member.started)) else f" (worth {member.value:.6g})"
    return f"{escape(member.name)} {member.started}{worth}"


def _hosts(record: Record, told: Explanation, top: int) -> Table:
    choice, cluster = told.choice, record.case.cluster
    assert choice is not None
    shown = new_table()
    for name in ("", "host", "score", *(f"{resource} free" for resource in cluster.resources)):
        shown.add_column(name, justify="right" if name else "left")
    taken = told.hosts[0]
    for rank, candidate in enumerate(choice.candidates):
        if rank >= top and candidate.host != taken:
            continue
        free = [amounts((name,), value[None]) for name, value in zip(cluster.resources, candidate.free, strict=True)]
        mark = "→" if candidate.host == taken else ""
        style = "bold green" if candidate.host == taken else ""
        shown.add_row(mark, cluster.name(candidate.host), f"{candidate.score:.6g}", *free, style=style)
    more = len(choice.candidates) - shown.row_count
    if more > 0:
        shown.caption = f"and {more:,} more with higher scores"
        shown.caption_justify = "left"
    return shown


_CHOICE = ("policy", "summary", "fitting", "kept_back", "started_before", "queue_length", "same")
