"""Opens the workbench: finds an address, prints it, serves until Ctrl-C, and stops what it started."""

import socket
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from loadmaster.model.errors import InputError
from loadmaster.system.whole_file import write_whole
from loadmaster.workbench.app import application
from loadmaster.workbench.bench import Bench

LOOPBACK = "127.0.0.1"
_EVERYWHERE = ("0.0.0.0", "::", "")
_LINGER_S = 2


@dataclass(frozen=True)
class Address:
    """Where it listens.

    Attributes:
        listening: the socket.
        hosts: what the Host header of a request may be; the first is printed.
    """

    listening: socket.socket
    hosts: tuple[str, ...]


def load() -> None:
    """Load what the workbench stands on, so that what is missing is known before anything begins.

    Raises:
        ModuleNotFoundError: it is not installed.
    """
    import uvicorn  # noqa: F401


def listen(host: str | None, port: int) -> Address:
    """Listen on loopback, or on an address that was named.

    Raises:
        InputError: all addresses at once were requested, or this one cannot be had.
    """
    if host in _EVERYWHERE:
        rule = "names every address of this machine, so pages could be reached under unexpected names"
        raise InputError(host, rule, fix="name the one that browsers will use")
    name = host or LOOPBACK
    try:
        kind, _, _, _, where = socket.getaddrinfo(name, port, type=socket.SOCK_STREAM)[0]
        listening = socket.socket(kind, socket.SOCK_STREAM)
    except OSError as error:
        raise InputError(name, f"no such address: {error.strerror}", fix="leave --host out for this machine") from None
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(where)
        listening.listen(128)
    except OSError as error:
        listening.close()
        fix = "--port 0 takes one that is free"
        raise InputError(f"{name}:{port}", f"cannot listen there: {error.strerror}", fix=fix) from None
    port = listening.getsockname()[1]
    names = [f"[{name}]" if ":" in name else name] + (["localhost"] if host is None else [])
    return Address(listening, tuple(f"{each}:{port}" for each in names))


def serve(
    bench: Bench, address: Address, ready: Callable[[str], None], stopped: Callable[[Sequence[Path]], None]
) -> None:
    """Serve until Ctrl-C; comparisons that were started here are stopped then, what is finished of them is kept.

    Args:
        bench: what is served.
        address: where.
        ready: told the address that opens it.
        stopped: told the folders of the comparisons that were stopped.

    Raises:
        KeyboardInterrupt: Ctrl-C, after all of that.
    """
    import uvicorn

    from loadmaster.workbench.prompt_http import PromptHttp

    config = uvicorn.Config(
        application(bench, address.hosts),
        log_config=None,
        access_log=False,
        lifespan="off",
        server_header=False,
        date_header=False,
        ws="none",
        timeout_graceful_shutdown=_LINGER_S,
        h11_max_incomplete_event_size=1 << 16,
        proxy_headers=False,
        http=PromptHttp,
    )
    ready(f"http://{address.hosts[0]}/?token={bench.token.text}")
    try:
        uvicorn.Server(config).run(sockets=[address.listening])
        raise KeyboardInterrupt  # if the parent process ignores Ctrl-C, this ends the server all the same
    finally:
        address.listening.close()
        stopped(bench.children.stop_all())


def opening_page(folder: Path, address: str) -> str:
    """The address of a file that leads to `address`; a browser is given this, since all may see its arguments."""
    path = folder / "open.html"
    write_whole(
        path, f'<!doctype html><meta http-equiv="refresh" content="0; url={address}"><title>loadmaster</title>\n'
    )
    path.chmod(0o600)
    return path.as_uri()
