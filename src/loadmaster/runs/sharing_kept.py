"""Finished rows of a sharing comparison, kept in a folder: what was interrupted goes on with the next method."""

import json
from dataclasses import asdict
from hashlib import sha256
from pathlib import Path

from loadmaster import __version__
from loadmaster.rules.find import sources
from loadmaster.runs.case import Case, digest_of
from loadmaster.runs.sharing import SharingRow, SharingSettings
from loadmaster.schedule.time_shared import parts_of
from loadmaster.whole_file import whole_file


class KeptRows:
    """The rows in `folder`, by all that shaped them: method, jobs, hosts, settings, version of the program."""

    def __init__(self, folder: Path, case: Case, settings: SharingSettings) -> None:
        self.folder, self.case, self.settings = folder, case, settings
        folder.mkdir(parents=True, exist_ok=True)

    def get(self, method: str) -> SharingRow | None:
        """The row of `method`, if it was finished before."""
        path = self._path(method)
        return SharingRow(**json.loads(path.read_text(encoding="utf-8"))) if path.is_file() else None

    def put(self, method: str, row: SharingRow) -> None:
        """Keep `row`; a stop half-way leaves no half of it."""
        with whole_file(self._path(method)) as part:
            part.write_text(json.dumps(asdict(row)), encoding="utf-8")

    def _path(self, method: str) -> Path:
        text = "".join(sources(parts_of(method)[0]).values())
        shaped_by = (
            method, text, self.case.digest,
            digest_of(self.case.workload, ("user",)), repr(self.settings), __version__,
        )  # fmt: skip
        return self.folder / f"row-{sha256(repr(shaped_by).encode()).hexdigest()[:24]}.json"
