"""A PostgreSQL server for the tests alone: on a socket in a folder of its own, not on the network, gone at the end."""

import os
import pwd
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

PATIENCE_S = 60.0
USERS = ("postgres", "nobody")
"""Who runs the server where the tests run as root, which PostgreSQL refuses."""


def why_not() -> str:
    """Why no server can be started here; empty if one can."""
    if _programs() is None:
        return "PostgreSQL is not installed here: no initdb on the path or below /usr/lib/postgresql"
    if os.geteuid() == 0 and not _user():
        return f"PostgreSQL does not run as root, and there is no user {' or '.join(USERS)}"
    return ""


@contextmanager
def server() -> Iterator[str]:
    """The URL of a server that has just been started."""
    programs, folder = _programs(), Path(tempfile.mkdtemp(prefix="pg-"))
    assert programs is not None
    as_user = {}
    if os.geteuid() == 0:
        as_user = {"user": _user(), "extra_groups": []}
        shutil.chown(folder, _user())
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "cwd": folder, **as_user}
    command = [programs / "initdb", "-D", folder / "data", "-U", "loadmaster", "-A", "trust", "--no-sync"]
    subprocess.run(command, check=True, **quiet)
    options = ["-c", "listen_addresses=", "-c", "logging_collector=off", "-k", folder]
    running = subprocess.Popen([programs / "postgres", "-D", folder / "data", *options], **quiet)
    try:
        _wait_until_ready(programs, folder, running)
        yield f"postgresql://loadmaster@/postgres?host={folder}"
    finally:
        running.terminate()
        running.wait(timeout=PATIENCE_S)
        shutil.rmtree(folder, ignore_errors=True)


def _wait_until_ready(programs: Path, folder: Path, running: "subprocess.Popen[bytes]") -> None:
    until = time.monotonic() + PATIENCE_S
    while subprocess.run([programs / "pg_isready", "-q", "-h", folder], check=False).returncode:
        assert running.poll() is None, "the server ended at once"
        assert time.monotonic() < until, "the server does not answer"
        time.sleep(0.1)


def _programs() -> Path | None:
    """The folder of the newest server programs."""
    found = [*Path("/usr/lib/postgresql").glob("*/bin/initdb"), *map(Path, filter(None, [shutil.which("initdb")]))]
    folders = [path.resolve().parent for path in found if (path.resolve().parent / "postgres").exists()]
    return max(folders, default=None)


def _user() -> str:
    known = {entry.pw_name for entry in pwd.getpwall()}
    return next((name for name in USERS if name in known), "")
