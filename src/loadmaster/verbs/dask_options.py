"""`--on` and the certificates that go with it, for all verbs that run on a Dask cluster."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from loadmaster.verbs.option import Option, Options

if TYPE_CHECKING:
    from loadmaster.results.dask_client import Certificates, DaskAddress

CLUSTER = "The Dask cluster"


@dataclass(frozen=True, kw_only=True)
class DaskOptions(Options):
    """Where runs are made."""

    on: Annotated[
        str | None,
        Option(
            "Run on the Dask cluster of the scheduler at this address; also tcp://HOST:PORT.",
            metavar="tls://HOST:PORT",
            panel=CLUSTER,
        ),
    ] = None
    tls_ca: Annotated[
        "str | Path | None",
        Option("Certificate of the cluster's authority.", metavar="PEM", panel=CLUSTER, typed=Path | None),
    ] = None
    tls_cert: Annotated[
        "str | Path | None", Option("Certificate of this client.", metavar="PEM", panel=CLUSTER, typed=Path | None)
    ] = None
    tls_key: Annotated[
        "str | Path | None", Option("Private key of --tls-cert.", metavar="PEM", panel=CLUSTER, typed=Path | None)
    ] = None

    @property
    def certificates(self) -> "Certificates":
        """The certificates given.

        Raises:
            InputError: there is no encrypted connection that they could be for.
        """
        from loadmaster.model.errors import InputError
        from loadmaster.results.dask_client import Certificates

        files = [None if each is None else Path(each) for each in (self.tls_ca, self.tls_cert, self.tls_key)]
        if any(files) and not (self.on or "").startswith("tls://"):
            rule = "--tls-ca, --tls-cert and --tls-key need --on tls://HOST:PORT"
            value = f"--on {self.on}" if self.on else "no --on"
            raise InputError(value, rule, fix="leave them out, or give that address")
        return Certificates(*files)

    @property
    def address(self) -> "DaskAddress | None":
        """Where to run, None for this machine.

        Raises:
            InputError: certificates without an encrypted connection.
        """
        from loadmaster.results.dask_client import DaskAddress

        tls = self.certificates
        return DaskAddress(self.on, tls) if self.on else None
