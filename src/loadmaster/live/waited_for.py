"""For which other jobs a job of a live run waited, moment by moment, as its record has it."""

from pathlib import Path

from loadmaster.live.record import lines_of
from loadmaster.model.awaits import Awaits
from loadmaster.runs.delay import AwaitedJobs
from loadmaster.runs.record import Record


def waited_for(folder: Path, record: Record, job: int) -> AwaitedJobs:
    """What a job waited for in others, in words.

    Args:
        folder: of the live record.
        record: the run that was made of it.
        job: its number there.

    Raises:
        InputError: no live record there.
    """
    name = str(record.name_of(job))
    moments: list[float] = []
    words: list[str] = []
    for line in lines_of(folder):
        seen = line.get("seen", {})
        row = seen.get("new", {}).get(name) or seen.get("set", {}).get(name, {})
        if name in seen.get("new", {}) or "awaits" in row:
            moments.append(float(line["cycle"]))
            words.append(Awaits.of(name, row["awaits"]).past_words if "awaits" in row else "")
    return AwaitedJobs(moments, words) if any(words) else AwaitedJobs()
