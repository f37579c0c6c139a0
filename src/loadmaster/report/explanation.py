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
from loadmaster.model.units import GPUS, MEMORY, show_bytes, show_seconds
from loadmaster.report.console import new_table
from loadmaster.runs.choice import Choice, Followed, Member
from loadmaster.runs.delay import KEPT, TAKEN
from loadmaster.runs.explain import Explanation
from loadmaster.runs.rebuild import jobs_numbered
from loadmaster.runs.record import LIVE, Record
from loadmaster.system.counted import counted

TOP = 8
"""How many of the rated hosts are shown."""


def print_explanation(console: Console, record: Record, explanation: Explanation, top: int = TOP) -> None:
    """Print what became of a job, what it waited for, and why it got its host."""
    for paragraph in _paragraphs(record, explanation):
        console.print(Text.from_markup(paragraph, emoji=False), highlight=False)
    if explanation.choice is not None:
        console.print(_hosts(record, explanation, top))


def sentences(record: Record, explanation: Explanation) -> list[str]:
    """What is printed above the table of hosts, without markup; an empty line parts what belongs together."""
    return [Text.from_markup(paragraph, emoji=False).plain for paragraph in _paragraphs(record, explanation)]


def two_starts(first: Explanation, second: Explanation) -> str:
    """When one job starts in two runs, and by how much later or earlier in the second."""
    name, starts = f"Job {first.identifier}", (first.start_s, second.start_s)
    if starts[0] is None or starts[1] is None:
        which = [word for word, start in zip(("first", "second"), starts, strict=True) if start is not None]
        return f"{name} starts in the {which[0]} run alone." if which else f"{name} never starts in either run."
    later_s = (starts[1] - second.submit_s) - (starts[0] - first.submit_s)
    text = f"{name} starts at {moment(starts[0])} in the first run and at {moment(starts[1])} in the second"
    if later_s == 0:
        return f"{text}, the same time after its arrival."
    return f"{text}, {show_seconds(abs(later_s))} {'later' if later_s > 0 else 'earlier'}."


def as_plain(record: Record, explanation: Explanation, top: int = TOP) -> dict[str, Any]:
    """The explanation as JSON takes it, hosts by name and jobs by the log's identifiers; `top` hosts of those rated."""
    workload, cluster = record.workload, record.case.cluster
    plain: dict[str, Any] = {
        "job": explanation.identifier,
        "submit_s": explanation.submit_s,
        "start_s": explanation.start_s,
        "wait_s": explanation.wait_s,
        "runtime_s": explanation.runtime_s,
        "stops": [
            {**dataclasses.asdict(stop), "hosts": [cluster.name(host) for host in stop.hosts]}
            for stop in explanation.stops
        ],
        "tasks": explanation.tasks,
        "demand": dict(zip(workload.resources, workload.demand[explanation.job].tolist(), strict=True)),
        "hosts": [cluster.name(host) for host in explanation.hosts],
        "delay": dataclasses.asdict(explanation.delay),
        "choice": None,
        "sentences": sentences(record, explanation),
    }
    if explanation.start_up_s > 0.0:
        plain["start_up_s"] = explanation.start_up_s
    if explanation.cards:
        plain["cards"] = [list(cards) for cards in explanation.cards]
    freed_by = explanation.delay.freed_by
    plain["delay"]["freed_by"] = None if freed_by is None else record.name_of(freed_by)
    if explanation.choice is not None:
        choice = explanation.choice
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
        >>> amounts(("gpus", "gpus a100"), np.array([2.0, 1.0]))
        '2 gpus and 1 gpu a100'
    """
    words = [
        show_bytes(value) if name == MEMORY else f"{value:g} {_unit_name(name, value)}"
        for name, value in zip(resources, values, strict=True)
    ]
    return " and ".join((", ".join(words[:-1]), words[-1])) if len(words) > 1 else words[0]


def _unit_name(name: str, value: float) -> str:
    """A resource behind its amount: `cores`, `core`; of a kind `gpu a100`."""
    word, blank, kind = name.partition(" ")
    return f"{word.removesuffix('s') if value == 1 else word}{blank}{kind}"


def moment(seconds: float) -> str:
    """A time since the start of the log.

    Example:
        >>> moment(90.0), moment(93_784.5)
        ('90 s', '93,784.5 s (1.09 d)')
    """
    text = f"{seconds:,.10g} s"
    return text if abs(seconds) < 120 else f"{text} ({show_seconds(seconds)})"


def _paragraphs(record: Record, explanation: Explanation) -> list[str]:
    same = _same_number(record, explanation)
    return [
        _job(record, explanation),
        *same,
        *_stops(record, explanation),
        *_wait(record, explanation),
        *_choice(record, explanation),
    ]


def _same_number(record: Record, explanation: Explanation) -> list[str]:
    """Which of the jobs with one number it is, where the log gives a number twice."""
    if (
        record.called
        or record.workload.job_id is None
        or explanation.identifier != record.workload.id_of(explanation.job)
    ):
        return []
    number = record.workload.id_of(explanation.job)
    same = jobs_numbered(record, number)
    if number < 0 or len(same) == 1:
        return []
    which = same.index(explanation.job) + 1
    other = 2 if which == 1 else 1
    return [
        f"{counted(len(same), 'job has', 'jobs have')} the number {number}. "
        f"This is {number}@{which}; name another as {number}@{other}."
    ]


def _job(record: Record, explanation: Explanation) -> str:
    asked, kinds = record.workload.demand[explanation.job], f"{GPUS} "
    named = [r for r, name in enumerate(record.workload.resources) if asked[r] or not name.startswith(kinds)]
    demand = escape(amounts(tuple(record.workload.resources[r] for r in named), asked[named]))
    asks = (
        f"requests {demand}" if explanation.tasks == 1 else f"has {counted(explanation.tasks, 'task')} of {demand} each"
    )
    text = f"[bold]Job {escape(str(explanation.identifier))}[/] {asks}. It arrived at {moment(explanation.submit_s)}"
    if explanation.start_s is None or explanation.wait_s is None:
        if record.workload.source == LIVE:
            return f"{text} and [bold]had not started[/] by the end of the record."
        return f"{text} and [bold]never started[/]."
    last = " for the last time" if explanation.stops else ""
    wait = "without waiting" if explanation.wait_s == 0 else f"after a wait of {show_seconds(explanation.wait_s)}"
    wait += " in all" if explanation.stops and explanation.wait_s else ""
    hosts = _on(record, explanation.hosts)
    if len(explanation.cards) == 1 and explanation.cards[0]:
        numbers = explanation.cards[0]
        hosts += f", {'GPU' if len(numbers) == 1 else 'GPUs'} {', '.join(map(str, numbers))}"
    in_all = " in all" if any(not stop.lost for stop in explanation.stops) else ""
    start_up = ""
    if explanation.start_up_s > 0.0:
        start_up = f" Of the wait, {show_seconds(explanation.start_up_s)} passed while its hosts started (rule C17)."
    return (
        f"{text}, started{last} at {moment(explanation.start_s)}, {wait}, on [bold]{hosts}[/], "
        f"and ran for {show_seconds(explanation.runtime_s)}{in_all}.{start_up}"
    )


def _on(record: Record, hosts: tuple[int, ...]) -> str:
    """Hosts in words, six at most."""
    where = ", ".join(escape(record.case.cluster.name(host)) for host in hosts[:6])
    where += f" and {len(hosts) - 6} more" if len(hosts) > 6 else ""
    return f"{'host' if len(set(hosts)) == 1 else 'hosts'} {where}"


def _stops(record: Record, explanation: Explanation) -> list[str]:
    """A sentence for each time that it was stopped."""
    told_of = []
    for stop in explanation.stops:
        ran, then = (
            show_seconds(stop.end_s - stop.start_s),
            "its work was lost" if stop.lost else "it went on from there",
        )
        told_of.append(f"It was stopped at {moment(stop.end_s)} on {_on(record, stop.hosts)}, after {ran}: {then}.")
    return told_of


def _wait(record: Record, explanation: Explanation) -> list[str]:
    delay = explanation.delay
    if not explanation.waited:
        until_cycle = delay.first_cycle_s - explanation.submit_s
        if until_cycle > 0:
            text = f"It got its host in the first cycle after it came, {show_seconds(until_cycle)} later"
            return ["", f"{text}: it waited only for the next cycle."]
        return ["", "It got its host at once."]
    ahead = counted(delay.ahead, "job was", "jobs were") if delay.ahead else "no job was"
    later = (counted(delay.overtaken_by, "job") if delay.overtaken_by else "no job") + " that came later"
    cycles = counted(delay.cycles, "cycle")
    lines = [
        "",
        "[bold]What it waited for[/]",
        f"It was in the queue for {cycles}. In its first, {ahead} ahead of it; {later} started earlier.",
    ]
    if delay.looked_at:
        every = "all" if delay.looked_at == delay.cycles - (explanation.start_s is not None) else "spread evenly"
        noun = "cycle" if delay.looked_at == 1 else "cycles"
        lines.append(f"In {delay.looked_at} {noun} without success ({every}):")
        lines += [f"  {count:>3} × {escape(reason)}" for reason, count in delay.reasons.items()]
    if explanation.start_s is not None and delay.room_since_s is not None:
        lines.append(_room(record, explanation))
    return lines


def _room(record: Record, explanation: Explanation) -> str:
    delay = explanation.delay
    assert delay.room_since_s is not None
    host = escape(record.case.cluster.name(explanation.hosts[0]))
    if delay.freed_by is None and delay.room_since_s <= explanation.submit_s:
        ahead = any(reason == KEPT or reason.startswith(TAKEN) for reason in delay.reasons)
        reserved = "; it was kept for, or served to, jobs ahead" if ahead else ""
        return f"Host {host} had room for it all the time{reserved}."
    if delay.freed_by is None:
        return f"Host {host} had no room before the cycle of its start."
    job = record.name_of(delay.freed_by)
    return f"Host {host} had room for it from {moment(delay.room_since_s)} on, when job {job} ended."


def _choice(record: Record, explanation: Explanation) -> list[str]:
    choice = explanation.choice
    if choice is None:
        return (
            ["", f"The reason for this host is not known: {escape(explanation.unexplained)}."]
            if explanation.unexplained
            else []
        )
    total = record.case.cluster.hosts
    lines = ["", f"[bold]Why host {escape(record.case.cluster.name(explanation.hosts[0]))}[/]"]
    turn = f"{choice.started_before:,} of {choice.queue_length:,} waiting jobs had got hosts in this cycle before it"
    reserved = f", {choice.kept_back:,} of them kept back for jobs served earlier" if choice.kept_back else ""
    lines.append(f"{turn}. {choice.fitting:,} of {total:,} hosts were open to it and had room{reserved}.")
    if choice.members:
        lines.append(_members(choice, record.setting.policy))
    if choice.followed is not None:
        lines.append(_member_sentence(choice.followed))
    lines.append(
        f"{escape(choice.policy)} takes {escape(choice.summary)}; the lowest score wins, the lower host among equals."
    )
    if not choice.same:
        lines.append(
            "[bold red]This cycle cannot be repeated exactly[/]: the record has neither the reservations of earlier "
            "cycles nor the order of their starts. What follows is an approximation."
        )
    return lines


def _members(choice: Choice, rule: str) -> str:
    """The rule that the meta-rule followed, and what all would have done."""
    text = ", ".join(_member_decision(member) for member in choice.members)
    worth = next(member.value for member in choice.members if member.won)
    tied = sum(member.value == worth for member in choice.members)
    also = f"; {tied} tied, the first listed is taken" if tied > 1 else ""
    sentence = f"{escape(rule)} asked each member how many jobs it would start: {text}{also}."
    return f"{sentence} It followed {escape(choice.policy)}."


def _member_sentence(followed: Followed) -> str:
    """The member that a twin followed, and why."""
    name = escape(followed.name)
    if followed.look_s is None:
        return f"The twin followed {name}; at its last comparison the forecast wait was equal under all members."
    waits = sorted(followed.mean_wait_s.items(), key=lambda each: followed.counted_wait_s[each[0]])
    text = ", ".join(_waited(member, wait_s, followed.counted_wait_s[member]) for member, wait_s in waits)
    return f"The twin followed {name}. At its comparison at {moment(followed.look_s)} the forecast wait was {text}."


def _waited(member: str, wait_s: float, counted_s: float) -> str:
    text = f"{show_seconds(wait_s)} under {escape(member)}"
    if counted_s == wait_s:
        return text
    return f"{text} (which counts as {show_seconds(counted_s)}: its order does not look at runtimes)"


def _member_decision(member: Member) -> str:
    if member.started is None:
        return f"{escape(member.name)} not asked"
    worth = "" if member.value in (None, float(member.started)) else f" (worth {member.value:.6g})"
    return f"{escape(member.name)} {member.started}{worth}"


def _hosts(record: Record, explanation: Explanation, top: int) -> Table:
    choice, cluster = explanation.choice, record.case.cluster
    assert choice is not None
    shown = new_table()
    for name in ("", "host", "score", *(f"{resource} free" for resource in cluster.resources)):
        shown.add_column(name, justify="right" if name else "left")
    taken = explanation.hosts[0]
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
