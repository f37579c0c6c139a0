"""Whether the run of a folder is done, in progress or interrupted, and its progress, from its files."""

import os
import time
from dataclasses import dataclass
from pathlib import Path

from loadmaster.model.units import show_seconds
from loadmaster.results.progress_file import Progress, progress_in
from loadmaster.workbench.child_processes import Child, child_in
from loadmaster.workbench.json_lines import events_in
from loadmaster.workbench.kinds import ResultKind

DONE, RUNS, STOPPED, FAILED = "done", "runs", "stopped", "failed"


@dataclass(frozen=True)
class BenchState:
    """How it stands.

    Attributes:
        name: `done`, `runs`, `stopped` or `failed`.
        words: beside that: what is done now and what is left, or why it failed.
        part: of 1, how much is done; None if unknown.
        ours: it was started here, and can be stopped and gone on with.
    """

    name: str = DONE
    words: str = ""
    part: float | None = None
    ours: bool = False

    @property
    def percent(self) -> int:
        """How much is done, in whole percents, rounded down: what is not done never reads as done."""
        return int(100 * (self.part or 0.0))


def state_of(folder: Path, kind: ResultKind | None, page_s: float) -> BenchState:
    """The state of `folder`.

    Args:
        folder: which.
        kind: what it holds, if that is known yet.
        page_s: when its page was written, 0 if it has none.
    """
    child, progress = child_in(folder), progress_in(folder)
    if progress is not None and progress.runs:
        return BenchState(RUNS, words_of(progress), progress.part, child is not None and child.runs)
    if child is not None and child.runs:
        return BenchState(RUNS, "beginning, or writing its page", None, ours=True)
    if child is not None and page_s < child.started_s:
        return _broken_off(child, progress)
    if progress is not None:
        broken = progress.ended != FAILED
        words = "give the same command again to continue" if broken else progress.why
        return BenchState(STOPPED if broken else FAILED, words, progress.part)
    if kind is not None and kind.locked and is_locked(folder / kind.file):
        return _live(folder, kind)
    return BenchState()


def words_of(progress: Progress) -> str:
    """What is done now, and what is left, in words."""
    if progress.doing:
        return progress.doing
    all_ = progress.cells + progress.kept
    words = f"{progress.phase}: " if progress.phase else ""
    words += f"{progress.kept + progress.done:,} of {all_:,} {progress.unit} done"
    if progress.left_s is not None and progress.running_s > 2:
        words += f", {show_seconds(round(progress.left_s))} left"
    return words


def _broken_off(child: Child, progress: Progress | None) -> BenchState:
    """A comparison that was started here, whose process is gone and has left no page."""
    part = None if progress is None else progress.part
    if child.last_error_line.startswith("loadmaster: stopped") or not child.last_error_line:
        return BenchState(STOPPED, "finished runs are kept", part, ours=True)
    return BenchState(FAILED, child.last_error_line.removeprefix("loadmaster: "), part, ours=True)


def _live(folder: Path, kind: ResultKind) -> BenchState:
    path = folder / kind.file
    ago = show_seconds(max(0.0, round(time.time() - path.stat().st_mtime)))
    if kind.verb != "run":
        return BenchState(RUNS, f"last change {ago} ago")
    done, all_ = events_in(path)
    return BenchState(RUNS, f"{done:,} of {all_:,} commands done, last change {ago} ago", done / all_ if all_ else None)


LOCKS = Path("/proc/locks")
FRESH_S = 120.0
"""Where the system lists no locks, a log that was written so lately is taken for one that goes on."""


def is_locked(path: Path, locks: Path = LOCKS) -> bool:
    """Whether a process has locked the file `path` to write it."""
    try:
        about = path.stat()
        listed = locks.read_text(encoding="ascii", errors="replace")
    except FileNotFoundError:
        return path.exists() and time.time() - path.stat().st_mtime < FRESH_S
    except OSError:
        return False
    name = f"{os.major(about.st_dev):02x}:{os.minor(about.st_dev):02x}:{about.st_ino}"
    return any(name in line.split() and "WRITE" in line.split() for line in listed.splitlines())
