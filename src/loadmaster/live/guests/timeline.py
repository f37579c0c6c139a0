"""The timeline of a run that looks after virtual machines, read from its record. No decision is taken again."""

from pathlib import Path

import numpy as np

from loadmaster.live.guests.check import guest_lines
from loadmaster.live.guests.session_state import GuestsSessionState
from loadmaster.live.guests.snapshot import GuestSnapshot
from loadmaster.live.session.lines import action_in, refusals_in
from loadmaster.model.actions import Action, Cap, Move
from loadmaster.model.units import percent
from loadmaster.runs.share_timeline import ShareTimeline, TimelineBuilder
from loadmaster.sharing.water_filling import water_fill


def guest_timeline_in(folder: Path) -> ShareTimeline:
    """The course of the run in `folder`; it may go on meanwhile.

    Raises:
        InputError: there is no such record, or it is of another format.
    """
    lines, telling, snapshot = guest_lines(folder), TimelineBuilder(), GuestSnapshot()
    origin_s, at_s = float(lines[0]["at_s"]), 0.0
    for line in lines:
        if "begin" in line:
            state, about, ended = GuestsSessionState.begun(line), line, ""
        elif "cycle" in line:
            at_s = float(line["cycle"]) - origin_s
            state.read_observation(line)
            _add_changes(telling, snapshot, state.snapshot, at_s)
            snapshot = state.snapshot
            for name, why in line.get("failed", ()):
                telling.say(at_s, name, "stayed", f"its move failed: {why}")
            would = "" if "asked" in line else " (it would be: a dry run)"
            for each in line.get("asked", line.get("would", ())):
                what, why = _action_and_reason(action_in(each), state)
                telling.say(at_s, str(each[1]), what + would, why)
            telling.decisions += 1
        elif "answer" in line:
            for each in refusals_in(line):
                telling.refuse(at_s, each.id, each.what, each.kind, each.text)
        elif "end" in line:
            ended = str(line["end"])
            telling.last_s = max(telling.last_s, float(line["at_s"]) - origin_s)
    hosts = {name: host.cores for name, host in snapshot.hosts.items()}
    shown = {name: name.rpartition("@")[0] or name for name in telling.tasks}
    return telling.timeline(about, state.config.mover or "equal shares", ended, hosts, shown)


def _add_changes(telling: TimelineBuilder, before: GuestSnapshot, after: GuestSnapshot, at_s: float) -> None:
    for name, guest in after.guests.items():
        telling.tasks[name] = guest.cores
        telling.over.pop(name, None)
        was = before.guests.get(name)
        if was is not None and was.host != guest.host:
            telling.say(at_s, name, f"came to {guest.host}", f"it left {was.host}")
    for name in before.guests.keys() - after.guests.keys():
        telling.over[name] = "gone"
        telling.say(at_s, name, "gone", "it had disappeared")
    telling.now(at_s, {name: (after.guests[name].host, share) for name, share in _allocated_shares(after).items()})


def _allocated_shares(snapshot: GuestSnapshot) -> dict[str, float]:
    """The share that each machine has of what it requests: no host gives more than it has, whatever the caps allow."""
    had: dict[str, float] = {}
    for place, host in snapshot.hosts.items():
        there = {name: guest for name, guest in snapshot.guests.items() if guest.host == place and guest.cores > 0}
        limit = np.array([guest.cores * guest.share for guest in there.values()])
        given = water_fill(limit, np.zeros(len(limit)), np.ones(len(limit)), host.cores)
        had |= {name: float(part) / there[name].cores for name, part in zip(there, given, strict=True)}
    return {name: had.get(name, guest.share) for name, guest in snapshot.guests.items()}


def _action_and_reason(action: Action, state: GuestsSessionState) -> tuple[str, str]:
    """What is asked, and why."""
    snapshot = state.snapshot
    match action:
        case Cap(name, share):
            guest = snapshot.guests[name]
            why = _load(snapshot, guest.host)
            most = state.found.get(name, 1.0)
            why += f"; it was found with {percent(most, 1)}, the most it gets" if share >= most and most < 1.0 else ""
            return f"capped at {percent(share, 1)} from {percent(guest.share, 1)}", why
        case Move(name, (to, *_)):
            guest = snapshot.guests[name]
            moved = GuestSnapshot(snapshot.hosts, {**snapshot.guests, name: guest._replace(host=to)})
            now, then = min(_shares(snapshot).values()), min(_shares(moved).values())
            why = f"by {state.config.mover}: {_load(snapshot, guest.host)}, {_load(snapshot, to)}; "
            return (
                f"moved from {guest.host} to {to}",
                why + f"the least share is {percent(now, 1)}, and {percent(then, 1)} with this move",
            )
        case _:
            return str(action), ""


def _shares(snapshot: GuestSnapshot) -> dict[str, float]:
    return snapshot.wanted_shares() or {"": 1.0}


def _load(snapshot: GuestSnapshot, host: str) -> str:
    there = [guest for guest in snapshot.guests.values() if host in (guest.host, guest.to)]
    count = f"{len(there)} machines" if len(there) != 1 else "one machine"
    word = "requests" if len(there) == 1 else "request"
    demand, cores = sum(guest.cores for guest in there), snapshot.hosts[host].cores
    return f"{count} {word} {demand:g} of the {cores:g} cores of {host}"
