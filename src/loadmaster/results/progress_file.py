"""The progress of a study, in a file of its folder, for the workbench or a script.

The file is there while the study runs, and goes away when it is done. What was stopped or failed leaves it, with why.
"""

import json
import os
import platform
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from types import TracebackType
from typing import Any

from loadmaster.model.errors import LoadmasterError, one_line
from loadmaster.results.watch import Watch
from loadmaster.system.process import identity_of, is_alive
from loadmaster.system.strict_json import to_json
from loadmaster.system.whole_file import write_whole

FILE = "progress.json"
_EVERY_S = 1.0


@dataclass(frozen=True)
class Progress:
    """How far a study is.

    Attributes:
        command: that started it.
        process, machine: that make it; `process` as `identity_of` names it.
        began_s, told_s: when it began and when this was written, seconds since 1970.
        doing: what is done before the first cell, such as what is compiled.
        cells, kept, done: to be made in this start, about, finished in earlier ones, made so far.
        steps, moved: of all cells that are to be made, and those done.
        running_s: for how long cells have been made, without the preparation.
        phase: the part of the work that is under way, of a verb that has several; the numbers are of it.
        unit: of what is counted.
        ended: `stopped` or `failed`; empty while it runs.
        why: it failed.
    """

    command: str
    process: str
    machine: str
    began_s: float
    told_s: float = 0.0
    doing: str = "reading"
    cells: int = 0
    kept: int = 0
    done: int = 0
    steps: int = 0
    moved: int = 0
    running_s: float = 0.0
    phase: str = ""
    unit: str = "runs"
    ended: str = ""
    why: str = ""

    @property
    def part(self) -> float:
        """How much is done, from 0 to 1, what was kept from before counted in."""
        if not self.cells + self.kept:
            return 0.0
        now = self.cells * self.moved / self.steps if self.steps else float(self.done)
        return min((self.kept + now) / (self.cells + self.kept), 1.0)

    @property
    def left_s(self) -> float | None:
        """Seconds that the rest takes at the rate so far; None where nothing is done yet."""
        return self.running_s * (self.steps - self.moved) / self.moved if self.moved else None

    @property
    def runs(self) -> bool:
        """Whether its process is at work; on another machine, whether it was heard of within a minute."""
        if self.ended:
            return False
        if self.machine != platform.node():
            return time.time() - self.told_s < 60
        return is_alive(self.process)


def progress_in(folder: Path) -> Progress | None:
    """What the file in `folder` says; None where there is none, or none that can be read."""
    try:
        text = (folder / FILE).read_text(encoding="utf-8")
        values = json.loads(text) if len(text) < 1 << 16 else None
    except (OSError, ValueError, RecursionError):
        return None
    return _progress(values) if isinstance(values, dict) else None


class ProgressFile(Watch):
    """Passes on to `watch` all that it is told, and writes it into a folder once a second.

    Nothing that goes wrong with the file disturbs the study.

    Args:
        folder: written into as soon as it is there.
        command: that started the study.
        watch: told as well.
    """

    def __init__(self, folder: Path, command: str, watch: Watch) -> None:
        self._folder, self._watch = folder, watch
        self._now = Progress(command, identity_of(os.getpid()), platform.node(), time.time())
        self._moved: dict[int, int] = {}
        self._before = self._of_each = self._ahead = 0
        self._running_since: float | None = None
        self._over, self._one_at_a_time = threading.Event(), threading.Lock()
        self._writer = threading.Thread(target=self._write_on, daemon=True)

    def __enter__(self) -> "ProgressFile":
        self._writer.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over.set()
        self._writer.join()
        if error is None or isinstance(error, LoadmasterError):  # done, or refused before anything began
            with suppress(OSError):
                (self._folder / FILE).unlink(missing_ok=True)
            return
        failed = isinstance(error, Exception)
        why = one_line(f"{type(error).__name__}: {error}") if failed else ""
        self._now = replace(self._now, ended="failed" if failed else "stopped", why=why)
        self._write()

    def begin(self, cells: int, kept: int, steps: int) -> None:
        """Count the cells; some studies come after others."""
        now = self._now
        self._before = now.cells
        self._now = replace(
            now, cells=now.cells + cells, kept=now.kept + kept, steps=now.steps + cells * steps, doing=""
        )
        self._of_each = steps
        self._watch.begin(cells, kept, steps)

    def ahead(self, cells: int) -> None:
        """Count them among those to be made, from the next study on."""
        self._ahead = cells
        self._watch.ahead(cells)

    def phase(self, name: str, total: int, unit: str) -> None:
        """Count anew."""
        self._moved, self._before, self._of_each, self._running_since = {}, 0, 1, time.monotonic()
        self._now = replace(self._now, cells=total, kept=0, done=0, steps=total, doing="", phase=name, unit=unit)
        self._watch.phase(name, total, unit)

    def counted(self, done: int) -> None:
        """Count what is done of the phase."""
        self._moved[0] = done
        self._now = replace(self._now, done=done)
        self._watch.counted(done)

    def doing(self, words: str) -> None:
        """Say so."""
        self._now = replace(self._now, doing=words)
        self._watch.doing(words)

    def damaged(self, what: str) -> None:
        """Pass it on."""
        self._watch.damaged(what)

    @contextmanager
    def preparing(self, what: str) -> Iterator[None]:
        """Say so meanwhile."""
        self._now = replace(self._now, doing=f"preparing: {what}")
        with self._watch.preparing(what):
            yield
        self._now = replace(self._now, doing="")

    def compiling(self, what: str) -> None:
        """Say so."""
        self._now = replace(self._now, doing=f"compiling the engine, first time only: {what}")
        self._watch.compiling(what)

    def compiled(self, seconds: float) -> None:
        """Pass it on."""
        self._watch.compiled(seconds)

    def moved(self, cell: int, steps: int) -> None:
        """Count the steps; called from several threads."""
        if self._running_since is None:
            self._running_since = time.monotonic()
        self._moved[self._before + cell] = steps
        self._watch.moved(cell, steps)

    def finished(self, cell: int) -> None:
        """Count the cell."""
        self._moved[self._before + cell] = self._of_each
        self._now = replace(self._now, done=self._now.done + 1)
        self._watch.finished(cell)

    def _write_on(self) -> None:
        self._write()
        while not self._over.wait(_EVERY_S):
            self._write()

    def _write(self) -> None:
        with self._one_at_a_time, suppress(OSError):  # what is older never takes the place of what is newer
            if self._folder.is_dir():
                write_whole(self._folder / FILE, to_json(asdict(self._at_this_moment())) + "\n")

    def _at_this_moment(self) -> Progress:
        since, now = self._running_since, self._now
        return replace(
            now,
            cells=now.cells + self._ahead,
            steps=now.steps + self._ahead * self._of_each,
            told_s=time.time(),
            moved=sum(self._moved.copy().values()),
            running_s=0.0 if since is None else time.monotonic() - since,
        )


@contextmanager
def not_left_empty(folder: Path | None) -> Iterator[None]:
    """What is refused leaves no empty folder that was not there before."""
    ours = folder is not None and not folder.exists()
    try:
        yield
    except LoadmasterError:
        if folder is not None and ours:
            with suppress(OSError):  # something is in it
                folder.rmdir()
        raise


@contextmanager
def progress_file_in(folder: Path | None, command: str, watch: Watch) -> Iterator[Watch]:
    """`watch`, and where there is a folder, its file as well; what is refused leaves no empty folder behind."""
    if folder is None:
        yield watch
        return
    with not_left_empty(folder), ProgressFile(folder, command, watch) as progress:
        yield progress


def _progress(values: dict[str, Any]) -> Progress | None:
    types = {field.name: field.type for field in fields(Progress)}
    taken = {name: value for name, value in values.items() if name in types and _fits(value, types[name])}
    try:
        return Progress(**taken)
    except TypeError:  # something is missing
        return None


def _fits(value: Any, kind: Any) -> bool:
    if isinstance(value, bool):
        return False
    return isinstance(value, str) if kind is str else isinstance(value, int) or (kind is float and type(value) is float)
