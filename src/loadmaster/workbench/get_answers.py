"""Answers to GET requests: results and their state."""

from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, JSONResponse, Response

from loadmaster.model.units import show_bytes, show_seconds
from loadmaster.workbench.bench import Bench
from loadmaster.workbench.child_processes import child_in
from loadmaster.workbench.first_comparison import DISCIPLINES, POLICIES, USUAL
from loadmaster.workbench.guard import PAGE
from loadmaster.workbench.refusal import Refused
from loadmaster.workbench.results import FoundResult
from loadmaster.workbench.screens import SCRIPTS, rendered, screen, script
from loadmaster.workbench.side_by_side import side_by_side
from loadmaster.workbench.uploads import plain_name, uploaded


class GetAnswers:
    """The answers; each takes a request.

    Args:
        bench: whose.
    """

    def __init__(self, bench: Bench) -> None:
        self._bench = bench

    async def overview(self, _request: Request) -> Response:
        """All results in a table."""
        results = await run_in_threadpool(self._bench.results.all)
        verbs = sorted({each.verb for each in results if each.verb})
        folders = [str(root) for root in self._bench.places.roots]
        return self._screen("overview.html", found=results, verbs=verbs, folders=folders)

    async def rows(self, request: Request) -> Response:
        """The rows of that table, if they are others than the page has."""
        results = await run_in_threadpool(self._bench.results.all)
        text = rendered("rows.html", {"found": results})
        name = f'"{sha256(text.encode()).hexdigest()[:24]}"'
        if request.headers.get("if-none-match") == name:
            return Response(status_code=304, headers={"etag": name})
        return HTMLResponse(text, headers={"etag": name})

    async def result(self, request: Request) -> Response:
        """One result: how it stands, what can be asked of it, and its page."""
        result = await self._found(request)
        slow = []
        if result.record:
            jobs = self._bench.places.file(result.folder, "jobs.parquet")
            slow = await run_in_threadpool(slow_jobs, jobs)
        paged = bool(result.page) or result.made
        child = child_in(result.folder)
        return self._screen("result.html", found=result, slow=slow, paged=paged, again=child is not None)

    async def state(self, request: Request) -> Response:
        """How a result stands, for the page that is open."""
        result = await self._found(request)
        text = rendered("state.html", {"found": result})
        name = f"{result.page}-{result.date_s}" if result.page or result.made else ""
        return JSONResponse({"state": result.state.name, "html": text, "page": name})

    async def page(self, request: Request) -> Response:
        """The page of a result, shut in."""
        path = await self._bench.pages.page_of(await self._found(request))
        return FileResponse(path, media_type="text/html; charset=utf-8", headers={"content-security-policy": PAGE})

    async def why(self, request: Request) -> Response:
        """Why a job of a run got its host when it did."""
        result = await self._found(request)
        job = request.query_params.get("job", "").strip()
        if not job.removeprefix("-").isdecimal() or len(job) > 18:
            raise Refused(400, "a job is named by its number in the log")
        if not result.record:
            raise Refused(422, "only of the record of a run can a job be asked about: loadmaster simulate -o DIR")
        said = await self._bench.queries.ask(["explain", "--json", "--", str(result.folder), job], result.folder)
        return self._screen("why.html", found=result, job=job, said=said, paragraphs=_paragraphs(said["sentences"]))

    async def beside(self, request: Request) -> Response:
        """Two results side by side."""
        pair = [await self._found(request, name) for name in ("first", "second")]
        joined = await run_in_threadpool(side_by_side, pair[0], pair[1], self._bench.places)
        return self._screen("beside.html", first=pair[0], second=pair[1], joined=joined)

    async def first(self, _request: Request) -> Response:
        """The guided first comparison: which log."""
        return self._screen(
            "first.html",
            logs=uploaded(self._bench.places.logs),
            most=show_bytes(self._bench.max_upload),
            most_bytes=self._bench.max_upload,
        )

    async def log(self, request: Request) -> Response:
        """What an uploaded log is, in `info`'s words, and what it is to be compared on."""
        name = plain_name(request.query_params.get("name", ""))
        places = self._bench.places
        if name not in uploaded(places.logs):
            raise Refused(404, "there is no such log here")
        try:
            said = await self._bench.queries.ask(["info", "--json", "--", str(places.logs / name)], places.logs, 120.0)
            trouble = ""
        except Refused as refused:
            said, trouble = {}, refused.why
        return self._screen(
            "log.html",
            name=name,
            said=said,
            trouble=trouble,
            logs=uploaded(places.logs),
            policies=POLICIES,
            usual=USUAL,
            disciplines=DISCIPLINES,
        )

    async def part(self, request: Request) -> Response:
        """A script."""
        name = request.path_params["name"]
        if name not in SCRIPTS:
            raise Refused(404, "there is no such file")
        return Response(script(name), media_type="text/javascript; charset=utf-8")

    async def refused(self, request: Request, error: Exception) -> Response:
        """One line, as a page for a person and as JSON for our script."""
        status, why = (error.status, error.why) if type(error) is Refused else (500, "something failed here")
        if "application/json" in request.headers.get("accept", ""):
            return JSONResponse({"why": why}, status)
        return self._screen("refused.html", status, why=why)

    async def _found(self, request: Request, name: str = "at") -> FoundResult:
        return await run_in_threadpool(self._bench.found, request.query_params.get(name, ""))

    def _screen(self, template: str, status: int = 200, **values: object) -> HTMLResponse:
        shared = {"csrf": self._bench.token.csrf, "read_only": self._bench.read_only}
        return screen(template, {**shared, **values}, status)


def _paragraphs(sentences: list[str]) -> list[list[str]]:
    """Sentences that belong together, where empty ones part them."""
    parts: list[list[str]] = [[]]
    for sentence in sentences:
        if sentence:
            parts[-1].append(sentence)
        elif parts[-1]:
            parts.append([])
    return [part for part in parts if part]


_MOST_BYTES = 1 << 30


class Slow(NamedTuple):
    """A job: its identifier in the log, its wait and when it came, in words."""

    job: int
    wait: str
    came: str


def slow_jobs(jobs: Path, most: int = 12) -> list[Slow]:
    """Those that waited longest, of the table `jobs.parquet` of a record; none where it cannot be read."""
    import polars as pl

    try:
        if jobs.stat().st_size > _MOST_BYTES:
            return []
        table = pl.scan_parquet(jobs).select("id", "wait_s", "submit_s").filter(pl.col("wait_s").is_finite())
        rows: list[dict[str, Any]] = table.top_k(most, by="wait_s").collect().to_dicts()
        return [Slow(int(r["id"]), show_seconds(r["wait_s"]), show_seconds(r["submit_s"])) for r in rows]
    except (OSError, ValueError, TypeError, pl.exceptions.PolarsError):
        return []
