"""Answers to POST requests: uploads, starts and stops."""

import json
from collections.abc import Mapping
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response

from loadmaster.workbench.bench import Bench
from loadmaster.workbench.child_processes import child_in, stop
from loadmaster.workbench.first_comparison import arguments_of, choices_of, new_folder
from loadmaster.workbench.refusal import Refused
from loadmaster.workbench.uploads import receive

_MOST_BYTES = 1 << 14
"""Of choices."""


class PostAnswers:
    """The answers; each takes a request.

    Args:
        bench: whose.
    """

    def __init__(self, bench: Bench) -> None:
        self._bench = bench

    async def upload(self, request: Request) -> Response:
        """Take a log."""
        self._bench.may_write()
        length = request.headers.get("content-length", "")
        announced = int(length) if length.isdecimal() and len(length) < 18 else None
        try:
            path = await receive(
                request.query_params.get("name", ""),
                request.stream(),
                self._bench.places.logs,
                self._bench.max_upload,
                announced,
            )
        except ClientDisconnect:
            raise Refused(400, "the upload was broken off") from None
        return JSONResponse({"log": path.name})

    async def start(self, request: Request) -> Response:
        """Start a comparison in a new folder."""
        self._bench.may_write()
        given = await _choices(request)
        return JSONResponse({"at": await run_in_threadpool(self._start, given)})

    async def stop(self, request: Request) -> Response:
        """Stop one; once more ends it at once."""
        self._bench.may_write()
        folder = self._bench.places.folder(request.query_params.get("at", ""))
        child = child_in(folder)
        if child is None:
            raise Refused(409, "this run was not started by the workbench; press Ctrl-C where it runs")
        stop(child, at_once=request.query_params.get("at_once") == "yes")
        return JSONResponse({})

    async def go_on(self, request: Request) -> Response:
        """Start one again that was stopped: the same choices, into the same folder."""
        self._bench.may_write()
        at = request.query_params.get("at", "")
        return JSONResponse({"at": await run_in_threadpool(self._go_on, at)})

    def _start(self, given: Mapping[str, Any]) -> str:
        places = self._bench.places
        choices = choices_of(given, places)
        folder = new_folder(places, choices.log)
        self._bench.children.start(folder, arguments_of(choices, places, folder), choices.plain())
        return places.name_of(folder)

    def _go_on(self, at: str) -> str:
        places = self._bench.places
        folder = places.folder(at)
        child = child_in(folder)
        if child is None or not folder.is_relative_to(places.work):
            raise Refused(409, "this run was not started by the workbench; give the same command again")
        if child.runs:
            raise Refused(409, "this comparison runs already")
        choices = choices_of(child.choices, places)  # checked by the same rules: any user may have written the file
        self._bench.children.start(folder, arguments_of(choices, places, folder), choices.plain())
        return at


async def _choices(request: Request) -> dict[str, Any]:
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > _MOST_BYTES:
            raise Refused(413, "this form is too large")
    try:
        given = json.loads(body)
    except (ValueError, RecursionError):
        given = None
    if not isinstance(given, dict):
        raise Refused(400, "this form cannot be read")
    return given
