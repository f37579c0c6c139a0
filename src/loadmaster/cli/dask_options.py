"""`--on` and the certificates that go with it, written once for all verbs that run on a Dask cluster."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from loadmaster.dask_client import Certificates, DaskAddress

CLUSTER = "The Dask cluster"

On = Annotated[
    str | None,
    typer.Option(
        metavar="tls://HOST:PORT", help="Run on the Dask cluster whose scheduler listens there; or tcp://HOST:PORT.",
        rich_help_panel=CLUSTER,
    ),
]  # fmt: skip
TlsCa = Annotated[
    Path | None,
    typer.Option("--tls-ca", metavar="PEM", help="The authority of its certificates.", rich_help_panel=CLUSTER),
]
TlsCert = Annotated[
    Path | None, typer.Option("--tls-cert", metavar="PEM", help="Our certificate for it.", rich_help_panel=CLUSTER)
]
TlsKey = Annotated[
    Path | None, typer.Option("--tls-key", metavar="PEM", help="The key to --tls-cert.", rich_help_panel=CLUSTER)
]


def certificates(on: str | None, ca: Path | None, cert: Path | None, key: Path | None) -> "Certificates":
    """The certificates given.

    Raises:
        InputError: there is no encrypted connection that they could be for.
    """
    from loadmaster.dask_client import Certificates
    from loadmaster.model.errors import InputError

    if any((ca, cert, key)) and not (on or "").startswith("tls://"):
        rule = "--tls-ca, --tls-cert and --tls-key need --on tls://HOST:PORT"
        raise InputError(f"--on {on}" if on else "no --on", rule, fix="leave them out, or give that address")
    return Certificates(ca, cert, key)


def dask_address(
    on: str | None, ca: Path | None = None, cert: Path | None = None, key: Path | None = None
) -> "DaskAddress | None":
    """Where to run, None for this machine.

    Raises:
        InputError: certificates without an encrypted connection.
    """
    from loadmaster.dask_client import DaskAddress

    tls = certificates(on, ca, cert, key)
    return DaskAddress(on, tls) if on else None
