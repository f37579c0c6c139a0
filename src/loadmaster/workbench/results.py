"""The results that are found in the folders served, as the overview lists them."""

import os
from dataclasses import dataclass
from pathlib import Path

from loadmaster.model.errors import one_line
from loadmaster.results.progress_file import FILE as PROGRESS
from loadmaster.results.progress_file import progress_in
from loadmaster.workbench.child_processes import FILE as STARTED
from loadmaster.workbench.child_processes import child_in
from loadmaster.workbench.kinds import REPORTED, RESULT, ResultKind, ResultSummary, kind_in, summary_in, verb_of_result
from loadmaster.workbench.page_head import PageHead, head_of_page
from loadmaster.workbench.served_folders import ServedFolders, is_text
from loadmaster.workbench.state import RUNS, BenchState, state_of

PAGE = "report.html"
_PAGES = 12
"""Pages of a folder that are looked at, where none has the usual name."""


@dataclass(frozen=True)
class FoundResult:
    """A result.

    Attributes:
        at: what stands for its folder in addresses.
        folder: absolute.
        shown: its folder for people.
        verb: that made it; empty if unknown.
        answer, subtitle, policy: what it says of itself.
        date_s: when it was last written, seconds since 1970.
        page: the name of its page; empty where `loadmaster report` makes it, or there is none.
        made: `loadmaster report` can make its page.
        record: it is the record of a run, whose jobs can be asked about.
        tabled: it has a table that can be set beside another's.
        state: how it stands.
    """

    at: str
    folder: Path
    shown: str
    verb: str
    answer: str
    subtitle: str
    policy: str
    date_s: float
    page: str
    made: bool
    record: bool
    tabled: bool
    state: BenchState

    @property
    def runs(self) -> bool:
        """Whether it is under way."""
        return self.state.name == RUNS


@dataclass(frozen=True)
class _Read:
    """What was read of a folder, and what its files were like then."""

    files: tuple[tuple[str, int, int], ...]
    kind: ResultKind | None
    said: ResultSummary
    page: str
    head: PageHead


class Results:
    """Finds results; what has not changed on disk is not read again.

    Args:
        places: where.
    """

    def __init__(self, places: ServedFolders) -> None:
        self._places = places
        self._known: dict[Path, _Read] = {}

    def all(self) -> list[FoundResult]:
        """All results, those under way first, then the newest."""
        results = [each for folder in self._places.folders() if (each := self.in_folder(folder)) is not None]
        return sorted(results, key=lambda each: (not each.runs, -each.date_s))

    def in_folder(self, folder: Path) -> FoundResult | None:
        """The result in `folder`; None if there is none."""
        files = _files(folder)
        read = self._known.get(folder)
        if read is None or read.files != files:
            read = self._known[folder] = _read(folder, files)
        names = {name for name, _, _ in files}
        foreign = read.kind is None or (read.kind.file == RESULT and not verb_of_result(folder))
        if foreign and not read.head.verb and not {PROGRESS, STARTED} & names:
            return None
        return self._read_result(folder, read, names)

    def _read_result(self, folder: Path, read: _Read, names: set[str]) -> FoundResult:
        times = {name: time_ns / 1e9 for name, time_ns, _ in read.files}
        state = state_of(folder, read.kind, times.get(read.page, 0.0))
        verb = read.head.verb.partition(" ")[0] or ("" if read.kind is None else read.kind.verb)
        if read.kind is not None and read.kind.grows:
            verb = read.kind.verb
        verb = verb or verb_of_result(folder) or _verb_under_way(folder)
        subtitle = read.head.subtitle or read.said.subtitle or _command_under_way(folder)
        return FoundResult(
            self._places.name_of(folder),
            folder,
            self._places.shown(folder),
            verb,
            read.head.answer or read.said.answer,
            subtitle,
            read.said.policy,
            max(times.values()),
            read.page,
            bool(REPORTED & names),
            "run.json" in names,
            bool({"summary.parquet", "run.json", "sharing.json"} & names),
            state,
        )


def _read(folder: Path, files: tuple[tuple[str, int, int], ...]) -> _Read:
    names = [name for name, _, _ in files]
    kind = kind_in(names)
    said = ResultSummary() if kind is None else summary_in(kind, folder)
    pages = [name for name in names if name.endswith(".html")]
    for page in [PAGE] if PAGE in pages else pages[:_PAGES]:
        head = head_of_page(folder / page)
        if head.verb:
            times = {name: time_ns for name, time_ns, _ in files}
            if kind is not None and kind.grows and times[page] < times[kind.file]:
                break  # the record has grown since: its page is made again
            return _Read(files, kind, said, page, head)
    return _Read(files, kind, said, "", PageHead())


def _files(folder: Path) -> tuple[tuple[str, int, int], ...]:
    """Name, time of the last change and size of every plain file, links left out, by name."""
    try:
        with os.scandir(folder) as entries:
            plain = [each for each in entries if each.is_file(follow_symlinks=False) and is_text(each.name)]
            abouts = [(each.name, each.stat(follow_symlinks=False)) for each in plain]
    except OSError:
        return ()
    return tuple(sorted((name, about.st_mtime_ns, about.st_size) for name, about in abouts))


def _command_under_way(folder: Path) -> str:
    progress = progress_in(folder)
    return "" if progress is None else one_line(progress.command, 160)


def _verb_under_way(folder: Path) -> str:
    progress = progress_in(folder)
    if progress is None:
        return "compare" if child_in(folder) is not None else ""
    words = [*progress.command.split(), ""]
    verb = words[1] if words[0] == "loadmaster" else words[0].removeprefix("loadmaster.").partition("(")[0]
    return verb[:20]
