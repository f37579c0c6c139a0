"""Logs of the Parallel Workloads Archive: where each lies, and its copy in the user's cache."""

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, BinaryIO
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

from loadmaster.model.errors import InputError
from loadmaster.rules.near import pick
from loadmaster.system.whole_file import whole_file, write_whole

ADDRESS = "https://www.cs.huji.ac.il/labs/parallel/workload"
CHECKSUMS = "checksums.json"
"""In the cache: file -> SHA-256 at its first use."""
TIMEOUT_S = 30.0
MOST_BYTES = 4 << 30
CHUNK = 1 << 20
GZIP = b"\x1f\x8b"
LOOPBACK = ("localhost", "127.0.0.1", "::1")


@dataclass(frozen=True)
class ArchiveLog:
    """A log of the Parallel Workloads Archive.

    Attributes:
        name: as it is requested.
        folder, file: below the address of the archive; versions of a log have files of their own.
        cores: of the machine that served its jobs.
        credit: whose it is; the archive requests this to be said.
        checksum: SHA-256 of the file, empty where it is not known here.
    """

    name: str
    folder: str
    file: str
    cores: int
    credit: str
    checksum: str = ""


ARCHIVE: Mapping[str, ArchiveLog] = {
    log.name: log
    for log in (
        ArchiveLog("CTC-SP2", "l_ctc_sp2", "CTC-SP2-1996-3.1-cln.swf.gz", 338, "Dan Dwyer and Steve Hotovy"),
        ArchiveLog("KTH-SP2", "l_kth_sp2", "KTH-SP2-1996-2.1-cln.swf.gz", 100, "Lars Malinowsky"),
        ArchiveLog("SDSC-SP2", "l_sdsc_sp2", "SDSC-SP2-1998-4.2-cln.swf.gz", 128, "Victor Hazlewood"),
        ArchiveLog(
            "SDSC-BLUE", "l_sdsc_blue", "SDSC-BLUE-2000-4.2-cln.swf.gz", 1152, "Travis Earheart and Nancy Wilkins-Diehr"
        ),
        ArchiveLog("LANL-CM5", "l_lanl_cm5", "LANL-CM5-1994-4.1-cln.swf.gz", 1024, "Curt Canada"),
        ArchiveLog("HPC2N", "l_hpc2n", "HPC2N-2002-2.2-cln.swf.gz", 240, "Ake Sandgren and Michael Jack"),
        ArchiveLog("CEA-Curie", "l_cea_curie", "CEA-Curie-2011-2.1-cln.swf.gz", 93_312, "Joseph Emeras"),
        ArchiveLog(
            "ANL-Intrepid",
            "l_anl_int",
            "ANL-Intrepid-2009-1.swf.gz",
            163_840,
            "Susan Coghlan, Narayan Desai and Wei Tang",
        ),
    )
}
"""Every log that can be requested by name."""


@dataclass(frozen=True)
class FetchedLog:
    """A log in the cache.

    Attributes:
        log: which one.
        path: its file.
        checksum: SHA-256 of the file.
        recorded_now: nothing vouches for the checksum yet: it was recorded at this first use.
        was_there: it came from the cache, not from the network.
    """

    log: ArchiveLog
    path: Path
    checksum: str
    recorded_now: bool
    was_there: bool

    @property
    def notes(self) -> tuple[str, ...]:
        """What the user must know of it."""
        credit = f"The log {self.log.name} is from the Parallel Workloads Archive ({self.log.credit})."
        if not self.recorded_now:
            return (credit,)
        first = "Its checksum is not known in advance; it is recorded now, and later uses are compared with it."
        return (credit, f"{first} SHA-256: {self.checksum}")


def cache_folder() -> Path:
    """Where fetched logs are kept: below XDG_CACHE_HOME, or ~/.cache."""
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "loadmaster" / "logs"


def fetch_log(name: str, folder: Path | None = None, address: str = ADDRESS, checksum: str = "") -> FetchedLog:
    """The log `name` in the cache; it is fetched if it is not there.

    Args:
        name: of `ARCHIVE`.
        folder: the cache; None for the user's.
        address: of the archive, or of a copy of it.
        checksum: SHA-256 that the file must have; empty: the one known here, or recorded at the first use.

    Raises:
        InputError: no such log, the archive cannot be reached, or the file is not the expected one.
    """
    log = pick(name, ARCHIVE, what="log", see=f"known: {', '.join(ARCHIVE)}")
    folder = cache_folder() if folder is None else folder
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / log.file
    recorded = _recorded_checksums(folder)
    expected = checksum.lower() or log.checksum or recorded.get(log.file, "")
    was_there = path.is_file()
    if was_there:
        with path.open("rb") as file:
            found = _digest(file)
        _check(path.name, found, expected, f"delete {path}, then fetch it again")
    else:
        found = _download(f"{address.rstrip('/')}/{log.folder}/{log.file}", path, expected)
    if log.file not in recorded:
        write_whole(folder / CHECKSUMS, json.dumps({**recorded, log.file: found}, indent=1, sort_keys=True) + "\n")
    return FetchedLog(log, path, found, not expected, was_there)


def _download(address: str, path: Path, expected: str) -> str:
    """Fetch `address` into `path`, whole or not at all; returns its SHA-256."""
    parts = urlsplit(address)
    if parts.scheme != "https" and not (parts.scheme == "http" and parts.hostname in LOOPBACK):
        raise InputError(
            address, "logs are fetched by https, by http only from this machine", fix="give an https address"
        )
    by_hand = f"put it at {path}"
    try:
        with (
            urlopen(Request(address, headers={"User-Agent": "loadmaster"}), timeout=TIMEOUT_S) as answer,
            whole_file(path) as part,
        ):
            with part.open("wb") as file:
                found = _digest(answer, file)
            if not found:
                raise InputError(address, "this is not a gzip file, or it is larger than 4 GiB", fix=by_hand)
            _check(path.name, found, expected, "see whether the archive has a newer version of the log")
    except HTTPError as error:
        error.close()
        raise InputError(address, f"the archive answers {error.code} ({error.reason})", fix=by_hand) from error
    except (URLError, TimeoutError, ConnectionError) as error:
        why = getattr(error, "reason", error)
        raise InputError(address, f"cannot be reached from here ({why})", fix=by_hand) from error
    return found


def _digest(source: BinaryIO, copy: BinaryIO | None = None) -> str:
    """SHA-256 of all that `source` has, which goes into `copy`; empty if a copy is no gzip file or too large."""
    digest, size = sha256(), 0
    while chunk := source.read(CHUNK):
        if copy is not None:
            if size == 0 and not chunk.startswith(GZIP):
                return ""
            copy.write(chunk)
        digest.update(chunk)
        size += len(chunk)
        if copy is not None and size > MOST_BYTES:
            return ""
    return digest.hexdigest() if size or copy is None else ""


def _check(name: str, found: str, expected: str, fix: str) -> None:
    if expected and found != expected:
        raise InputError(name, f"its SHA-256 is {found}, and {expected} is expected: it is another file", fix=fix)


def _recorded_checksums(folder: Path) -> dict[str, str]:
    try:
        recorded: dict[str, Any] = json.loads((folder / CHECKSUMS).read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except ValueError as error:
        raise InputError(
            str(folder / CHECKSUMS), "is not JSON", fix="delete it: checksums are then recorded again"
        ) from error
    return {str(name): str(value) for name, value in recorded.items()}
