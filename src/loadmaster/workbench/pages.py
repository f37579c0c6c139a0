"""The page of a result: the file that its verb wrote, or where that is missing or old, one made by `report`."""

import asyncio
from hashlib import sha256
from pathlib import Path

from loadmaster.workbench.command_queries import CommandQueries
from loadmaster.workbench.refusal import Refused
from loadmaster.workbench.results import FoundResult
from loadmaster.workbench.served_folders import ServedFolders

MOST_BYTES = 1 << 26
_KEPT = 200


class Pages:
    """Finds pages and has them made; those made are kept in the work folder.

    Args:
        places: where.
        queries: makes missing pages.
    """

    def __init__(self, places: ServedFolders, queries: CommandQueries) -> None:
        self._places, self._queries = places, queries
        self._turns: dict[Path, asyncio.Lock] = {}

    async def page_of(self, result: FoundResult) -> Path:
        """The file of the page.

        Raises:
            Refused: there is none and none can be made, or it is too large.
        """
        page = self._places.file(result.folder, result.page) if result.page else await self._made(result)
        if page.stat().st_size > MOST_BYTES:
            raise Refused(413, "this page is too large to be shown here; open its file")
        return page

    async def _made(self, result: FoundResult) -> Path:
        if not result.made:
            raise Refused(404, "there is no page here yet")
        folder = self._places.own / "pages"
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{_digest(result.at)}-{_digest(repr(result.date_s))}.html"
        async with self._turns.setdefault(path, asyncio.Lock()):
            if not path.is_file():
                await self._queries.ask(["report", str(result.folder), "-o", str(path), "--json"], folder)
                _forget(folder, path)
        return path


def _digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()[:16]


def _forget(folder: Path, newest: Path) -> None:
    """Delete earlier pages of the same result, and the oldest where there are many."""
    pages = sorted(folder.glob("*.html"), key=lambda path: path.stat().st_mtime, reverse=True)
    same = newest.name.partition("-")[0]
    for number, path in enumerate(pages):
        if path != newest and (path.name.startswith(f"{same}-") or number >= _KEPT):
            path.unlink(missing_ok=True)
