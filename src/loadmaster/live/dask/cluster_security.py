"""Security of a Dask cluster that we start: encrypted connections, own certificates, a dashboard on request."""

import importlib.util
import os
from pathlib import Path
from typing import Any

from loadmaster.model.errors import InputError, MissingExtra

LOOPBACK_PORT = "127.0.0.1:0"
"""Where the web server of a scheduler or worker listens: any free port, from this machine only."""


def throw_away_certificates() -> Any:
    """Dask's security with a key made for this run alone: without it a program can neither connect nor listen.

    Raises:
        MissingExtra: the library that makes keys is not installed.
    """
    from distributed import Security

    try:
        return Security.temporary()  # type: ignore[no-untyped-call]
    except ImportError as error:
        raise MissingExtra("running a bag", "dask") from error


def certificates_in(folder: Path) -> Any:
    """The same, kept in two files that only this user may read, for machines that see `folder` and nothing else of us.

    Raises:
        MissingExtra: the library that makes keys is not installed.
    """
    from distributed import Security

    certificates = throw_away_certificates()
    cert, key = folder / "certificate.pem", folder / "key.pem"
    for path, text in ((cert, certificates.tls_ca_file), (key, certificates.tls_client_key)):
        with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="ascii") as file:
            file.write(text)
    roles = {f"tls_{role}_{part}": str(path) for role in _ROLES for part, path in (("cert", cert), ("key", key))}
    return Security(require_encryption=True, tls_ca_file=str(cert), **roles)  # type: ignore[no-untyped-call]


_ROLES = ("client", "scheduler", "worker")


def config(dashboard: bool) -> dict[str, Any]:
    """Dask's settings for a cluster of ours.

    A scheduler or worker opens a web server in any case; without pages it answers nothing. A task whose worker dies is
    not to be run again behind our back: the runner does that, and says so.
    """
    settings: dict[str, Any] = {
        "distributed.scheduler.allowed-failures": 0,
        "distributed.scheduler.work-stealing": False,
        "distributed.worker.http.routes": [],
    }
    return settings if dashboard else {**settings, "distributed.scheduler.http.routes": []}


def require_dashboard(wanted: bool, ours: bool) -> None:
    """A dashboard can only be had for a scheduler that we start, and with the library that draws it.

    Raises:
        InputError: it is wanted and cannot be had.
    """
    if not wanted:
        return
    if not ours:
        fix = "leave it out: that scheduler shows its own"
        raise InputError("--dashboard", "is for a scheduler that this command starts", fix=fix)
    if importlib.util.find_spec("bokeh") is None:
        raise InputError("--dashboard", "Dask draws it with bokeh, which is not installed", fix="pip install bokeh")
