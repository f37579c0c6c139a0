"""The workbench as an application: addresses and who answers them, behind the guard."""

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
    looking, acting = GetAnswers(bench), PostAnswers(bench)

    async def unknown(request: Request, error: Exception) -> Response:
        status = error.status_code if isinstance(error, HTTPException) else 404
        return await looking.refused(request, Refused(status, "there is no such page here"))

    routes = [
        Route("/", looking.overview),
        Route("/rows", looking.rows),
        Route("/result", looking.result),
        Route("/state", looking.state),
        Route("/page", looking.page),
        Route("/why", looking.why),
        Route("/beside", looking.beside),
        Route("/first", looking.first),
        Route("/log", looking.log),
        Route("/parts/{name}", looking.part),
        Route("/upload", acting.upload, methods=["POST"]),
        Route("/start", acting.start, methods=["POST"]),
        Route("/stop", acting.stop, methods=["POST"]),
        Route("/go-on", acting.go_on, methods=["POST"]),
    ]
    handlers = {Refused: looking.refused, HTTPException: unknown, Exception: looking.refused}
    return Guard(Starlette(routes=routes, exception_handlers=handlers), bench.token, tuple(hosts), policy())
