"""What kept a job of a live run waiting, as its record tells: other jobs, and starts that the engine refused."""

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from loadmaster.live.queue.allocations import Allocation
from loadmaster.live.queue.ledger import Ledger
from loadmaster.live.queue.make_room import open_to, rules_now
from loadmaster.live.queue.record import RecordReader, lines_of
from loadmaster.live.session.lines import refusals_in
from loadmaster.model.awaited_jobs import Awaits
from loadmaster.runs.delay import LiveReasons, ReasonsByMoment
from loadmaster.runs.record import Record


def wait_reasons(folder: Path, record: Record, job: int) -> LiveReasons:
    """What a job waited for, in words.

    Args:
        folder: of the live record.
        record: the run that was made of it.
        job: its number there.

    Raises:
        InputError: no live record there.
    """
    name, lines = str(record.name_of(job)), lines_of(folder)
    return LiveReasons(_awaited_jobs(lines, name), _failed_starts(lines, name), _ruled(lines, name))


def _awaited_jobs(lines: Sequence[Mapping[str, Any]], name: str) -> ReasonsByMoment:
    moments: list[float] = []
    words: list[str] = []
    for line in lines:
        seen = line.get("seen", {})
        row = seen.get("new", {}).get(name) or seen.get("set", {}).get(name, {})
        if name in seen.get("new", {}) or "awaits" in row:
            moments.append(float(line["cycle"]))
            words.append(Awaits.of(name, row["awaits"]).past_words if "awaits" in row else "")
    return ReasonsByMoment(moments, words) if any(words) else ReasonsByMoment()


def _failed_starts(lines: Sequence[Mapping[str, Any]], name: str) -> ReasonsByMoment:
    """Cycles in which a job was asked to start in vain, and those in which it was left alone for that."""
    reading = RecordReader.of(lines)
    ledger, claim = reading.ledger, None
    refusals: list[tuple[float, str]] = [(-math.inf, "")]
    for line in lines:
        reading.read_whole(line)
        run = ledger.runs.get(name)
        if claim is not None and run is not claim and name in ledger.rows:
            refusals.append((claim.start_s, _in_vain(claim, line, name)))
        until_s, why = ledger.aside.get(name, (math.inf, ""))
        words = f"it was not tried for a while: {why}" if math.isfinite(until_s) else ""
        if words != refusals[-1][1]:
            refusals.append((max(ledger.now_s, math.nextafter(refusals[-1][0], math.inf)), words))
        claim = run if run is not None and not run.running else None
    return ReasonsByMoment([moment for moment, _ in refusals], [words for _, words in refusals])


def _ruled(lines: Sequence[Mapping[str, Any]], name: str) -> ReasonsByMoment:
    """Cycles at whose end rules between jobs kept a job from each host with room."""
    reading = RecordReader.of(lines)
    ruled: list[tuple[float, str]] = [(-math.inf, "")]
    for line in lines:
        reading.read_whole(line)
        words = _kept_away(reading.ledger, name)
        if words != ruled[-1][1]:
            ruled.append((reading.ledger.now_s, words))
    return ReasonsByMoment([moment for moment, _ in ruled], [words for _, words in ruled])


def _kept_away(ledger: Ledger, name: str) -> str:
    """The rules between jobs that keep a waiting job from each host with room; empty if there is another reason."""
    snapshot = None if ledger.waiting.rules is None else ledger.snapshot(ranked=False)
    rules = None if snapshot is None else rules_now(snapshot)
    if snapshot is None or rules is None or name not in ledger.waiting.eligible_ids():
        return ""
    job = ledger.waiting.ids.index(name)
    demand = snapshot.queue.demand[snapshot.queue.job.tolist().index(job)]
    room = (snapshot.free >= demand).all(axis=1) & np.array(ledger.listing["up"], bool) & open_to(ledger, job, None)
    if not room.any() or (room & rules.open_hosts(job)).any():
        return ""
    words = [words for words, hosts in rules.closed_by(job) if (room & hosts).any()]
    return f"a host had room, but other jobs kept it away: {', '.join(words)}"


def _in_vain(claim: Allocation, line: Mapping[str, Any], name: str) -> str:
    """What became of a claim that a line of the record shows to be lost."""
    texts = [each.text for each in refusals_in(line) if each.id == name]
    text = f"it was asked to start on {', '.join(dict.fromkeys(claim.hosts))}"
    return f"{text}, and the engine refused: {texts[0]}" if texts else f"{text}, and the engine did not start it"
