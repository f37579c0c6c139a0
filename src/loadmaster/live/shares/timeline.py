"""The timeline of a run of commands under CPU shares, read from its record. No decision is taken again."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from loadmaster.live.session.lines import action_in, refusals_in
from loadmaster.live.shares.check import share_lines
from loadmaster.live.shares.method import CarriedShares
from loadmaster.live.shares.session_state import SharesSessionState, session_state_of
from loadmaster.model.actions import Cap, Move, Start
from loadmaster.model.units import percent
from loadmaster.runs.share_timeline import ShareTimeline, TimelineBuilder


def share_timeline_in(folder: Path) -> ShareTimeline:
    """The course of the run in `folder`; it may go on meanwhile.

    Raises:
        InputError: there is no such record, or it is of another format.
    """
    lines = share_lines(folder)
    origin_s, ended = float(lines[0]["at_s"]), ""
    telling = TimelineBuilder(origin_s=origin_s)
    state, about, at_s = session_state_of(lines[0]), lines[0], 0.0
    for line in lines:
        if "begin" in line:
            at_s = float(line["at_s"]) - origin_s
            if line is not lines[0]:
                _changes_between_sessions(telling, state, line, at_s, died=not ended)
            state, about, ended = session_state_of(line), line, ""
        elif "cycle" in line:
            at_s = float(line["cycle"]) - origin_s
            _decision(telling, state, about, line, at_s)
        elif "answer" in line:
            refusals = refusals_in(line)
            state.answered(refusals)
            for each in refusals:
                telling.refuse(at_s, each.id, each.what, each.kind, each.text)
            _look(telling, state, at_s)
        elif "end" in line:
            ended, at_s = str(line["end"]), float(line["at_s"]) - origin_s
            telling.now(at_s, {})
    batch = state.batch
    telling.tasks = dict(zip(batch.ids, batch.demand[:, 0].tolist(), strict=True))
    telling.over = {name: status for name, (status, _) in state.over.items()}
    hosts = dict(zip(batch.machines.names, batch.machines.capacity[:, 0].tolist(), strict=True))
    shown = dict(zip(batch.ids, batch.names, strict=True))
    return telling.timeline(about, str(about.get("method", "")), ended, hosts, shown)


def _changes_between_sessions(
    telling: TimelineBuilder, state: SharesSessionState, line: Mapping[str, Any], at_s: float, *, died: bool
) -> None:
    """What has become of commands between two sessions; a loop that died ended none of its commands."""
    there, over = line["running"], [each for each in line["over"] if each[0] not in state.over]
    for each in over:
        _over(telling, each, at_s, "its command ended while loadmaster was not running")
    gone = [name for name in state.running if name not in there and name not in {each[0] for each in line["over"]}]
    for name in gone if died else ():
        telling.ended(name, telling.last_s)
        telling.say(
            at_s, name, "lost", "it disappeared while loadmaster was not running, at an unknown time, and waits again"
        )


def _over(telling: TimelineBuilder, over: Sequence[Any], seen_s: float, why: str) -> None:
    """A command is over: since it was seen to be, in records that do not say when that was."""
    name, status, code, *end_s = over
    at_s = min(float(end_s[0]) - telling.origin_s, seen_s) if end_s else seen_s
    telling.ended(name, at_s)
    telling.say(at_s, name, f"ended {status}" + (f" ({code})" if code else ""), why)


def _decision(
    telling: TimelineBuilder, state: SharesSessionState, about: Mapping[str, Any], line: Mapping[str, Any], at_s: float
) -> None:
    for each in line["over"]:
        _over(telling, each, at_s, "its command had ended")
    for name in line["lost"]:
        telling.say(at_s, name, "lost", "it disappeared, and waits again")
    state.see(line["over"], line["lost"], line["elsewhere"])
    before, actions = dict(state.cap), [action_in(each) for each in line["asked"]]
    was, cause = dict(state.running), _cause(state, line, actions)
    state.take(actions, line["given_up"], CarriedShares(*line["carried"]))
    telling.decisions += 1
    names, method = state.batch.machines.names, str(about.get("method", "the method"))
    for action in actions:
        if isinstance(action, Start):
            telling.say(
                at_s, action.id, f"started on {action.hosts[0]}", f"by {method}{cause}; {_load(state, action.id)}"
            )
        elif isinstance(action, Move):
            source = names[was[action.id]]
            telling.say(at_s, action.id, f"moved from {source} to {action.to[0]}", f"by {method}{cause}")
        elif isinstance(action, Cap) and action.id in state.running:
            old = f" from {percent(before[action.id], 1)}" if action.id in before else ""
            telling.say(
                at_s, action.id, f"capped at {percent(action.share, 1)}{old}", f"{_load(state, action.id)}{cause}"
            )
    for name in line["given_up"]:
        telling.say(at_s, name, "given up", "no empty machine can hold it at the least share")
    _look(telling, state, at_s)


def _look(telling: TimelineBuilder, state: SharesSessionState, at_s: float) -> None:
    names = state.batch.machines.names
    telling.now(at_s, {name: (names[at], state.cap.get(name, 1.0)) for name, at in state.running.items()})


def _load(state: SharesSessionState, name: str) -> str:
    """What is asked of the machine of a command, and by how many."""
    at = state.running[name]
    there = [each for each, where in state.running.items() if where == at]
    demand = sum(float(state.batch.demand[int(each) - 1, 0]) for each in there)
    cores = float(state.batch.machines.capacity[at, 0])
    others = f"{len(there)} commands there request" if len(there) != 1 else "it requests"
    return f"{others} {demand:g} of the {cores:g} cores of {state.batch.machines.names[at]}"


def _cause(state: SharesSessionState, line: Mapping[str, Any], actions: Sequence[Any]) -> str:
    """What has changed since the last decision."""
    shown = dict(zip(state.batch.ids, state.batch.names, strict=True))
    causes = []
    for word, names in (
        ("ended", [each[0] for each in line["over"]]),
        ("was lost", line["lost"]),
        ("came in", [each.id for each in actions if isinstance(each, Start)]),
    ):
        some = ", ".join(shown.get(name, name) for name in names[:3])
        some += f" and {len(names) - 3} more" if len(names) > 3 else ""
        causes += [f"{some} {word}"] if names else []
    return f", as {' and '.join(causes)}" if causes else ""
