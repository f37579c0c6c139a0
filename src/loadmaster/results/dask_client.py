"""The client of a running Dask scheduler: its address and the certificates that it needs."""

import importlib
import re
from pathlib import Path
from typing import Any, NamedTuple

from loadmaster.model.errors import InputError, MissingExtra

PATIENCE_S = 15.0
"""How long a scheduler has to answer."""
_ADDRESS = re.compile(r"(?:[a-z]+://)?(?:[A-Za-z0-9_.%-]+|\[[0-9A-Fa-f:.%]+\]):\d{1,5}(?:/\S*)?")
_FIX = "give the address that `dask scheduler` prints, such as tcp://10.0.0.1:8786 or tls://10.0.0.1:8786"


class Certificates(NamedTuple):
    """PEM files for TLS; what is None is taken from Dask's own configuration (`distributed.comm.tls`).

    Attributes:
        ca: the authority that signed the scheduler's certificate and ours.
        cert: our certificate.
        key: the key to it; may stand in `cert` instead.
    """

    ca: Path | None = None
    cert: Path | None = None
    key: Path | None = None


class DaskAddress(NamedTuple):
    """Where a scheduler listens, such as tls://10.0.0.1:8786, and the certificates for it."""

    url: str
    tls: Certificates = Certificates()


def connect(address: DaskAddress) -> Any:
    """A client of the scheduler at `address`; the caller closes it.

    Raises:
        InputError: no scheduler answers there, or the certificates are missing, unreadable or not accepted.
        MissingExtra: Dask is not installed.
    """
    if not _ADDRESS.fullmatch(address.url):
        raise InputError(address.url, "not the address of a Dask scheduler", fix=_FIX)
    dask = distributed()
    security = _security(address)
    encrypted = _encrypted(address)
    try:
        return dask.Client(address.url, timeout=PATIENCE_S, set_as_default=False, security=security)
    except (OSError, ValueError, TypeError, RuntimeError) as error:
        if encrypted:
            fix = "give the address that `dask scheduler` prints, and certificates of the same authority"
            rule = "no Dask scheduler answers there, or it does not accept these certificates"
            raise InputError(address.url, rule, fix=fix) from error
        raise InputError(address.url, "no Dask scheduler answers there", fix=_FIX) from error


def distributed(feature: str = "--on") -> Any:
    """The library.

    Raises:
        MissingExtra: it is not installed.
    """
    try:
        return importlib.import_module("distributed")
    except ModuleNotFoundError as error:
        raise MissingExtra(feature, "dask") from error


def _encrypted(address: DaskAddress) -> bool:
    return address.url.startswith("tls://")


def _security(address: DaskAddress) -> Any:
    """What Dask is told of certificates; None leaves it to Dask's configuration."""
    given = {name: path for name, path in zip(_FIELDS, address.tls, strict=True) if path is not None}
    if not _encrypted(address):
        if given:
            fix = "write tls://HOST:PORT, if the scheduler listens so"
            raise InputError(address.url, "certificates are for an encrypted connection", fix=fix)
        return None
    for path in given.values():
        _require_readable(path)
    wanted = {name: str(path) for name, path in given.items()}
    security = distributed().Security(require_encryption=True, **wanted)
    if not given and _loader():
        return None
    _require_complete(security, address)
    return security


_FIELDS = ("tls_ca_file", "tls_client_cert", "tls_client_key")


def _loader() -> bool:
    """The user's own way to get at certificates, which Dask calls with the address."""
    import dask

    return bool(dask.config.get("distributed.client.security-loader", None))


def _require_readable(path: Path) -> None:
    try:
        path.read_bytes()
    except OSError as error:
        raise InputError(path, f"cannot be read: {error.strerror}", fix="give a PEM file") from error


def _require_complete(security: Any, address: DaskAddress) -> None:
    if not (security.tls_ca_file and security.tls_client_cert):
        fix = "give --tls-ca, --tls-cert and --tls-key, or set distributed.comm.tls in Dask's configuration"
        raise InputError(address.url, "an encrypted connection needs certificates", fix=fix)
    try:
        security.get_connection_args("client")
    except OSError as error:  # of TLS too
        named = ", ".join(str(getattr(security, name)) for name in _FIELDS if getattr(security, name))
        rule = f"not PEM files of an authority, a certificate and its key ({_reason(error)})"
        raise InputError(named, rule, fix="see --tls-ca, --tls-cert and --tls-key") from error


def _reason(error: OSError) -> str:
    return getattr(error, "reason", None) or error.strerror or type(error).__name__
