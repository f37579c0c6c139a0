"""The workbench as an application: addresses and the functions that answer them, behind the guard."""

from collections.abc import Sequence

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from loadmaster.workbench.bench import Bench
from loadmaster.workbench.get_answers import GetAnswers
from loadmaster.workbench.guard import Guard
from loadmaster.workbench.post_answers import PostAnswers
from loadmaster.workbench.refusal import Refused
from loadmaster.workbench.screens import policy


def application(bench: Bench, hosts: Sequence[str]) -> Guard:
    """All that is served.

    Args:
        bench: whose.
        hosts: what the Host header may be.
    """
    get_answers, post_answers = GetAnswers(bench), PostAnswers(bench)

    async def unknown(request: Request, error: Exception) -> Response:
        status = error.status_code if isinstance(error, HTTPException) else 404
        return await get_answers.refused(request, Refused(status, "there is no such page here"))

    routes = [
        Route("/", get_answers.overview),
        Route("/rows", get_answers.rows),
        Route("/result", get_answers.result),
        Route("/state", get_answers.state),
        Route("/page", get_answers.page),
        Route("/why", get_answers.why),
        Route("/beside", get_answers.beside),
        Route("/first", get_answers.first),
        Route("/log", get_answers.log),
        Route("/parts/{name}", get_answers.part),
        Route("/upload", post_answers.upload, methods=["POST"]),
        Route("/start", post_answers.start, methods=["POST"]),
        Route("/stop", post_answers.stop, methods=["POST"]),
        Route("/go-on", post_answers.go_on, methods=["POST"]),
    ]
    handlers = {Refused: get_answers.refused, HTTPException: unknown, Exception: get_answers.refused}
    return Guard(Starlette(routes=routes, exception_handlers=handlers), bench.token, tuple(hosts), policy())
