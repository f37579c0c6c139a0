"""Queries that a child process answers: the command that a user would type, with --json.

What is asked about may be damaged or hostile: a child that hangs, eats memory or dies takes nothing with it.
"""

import asyncio
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from loadmaster.system.process import free_memory_bytes
from loadmaster.workbench.child_processes import PROGRAM
from loadmaster.workbench.refusal import Refused

PATIENCE_S = 300.0
MOST_BYTES = 1 << 24
AT_A_TIME = 2


class CommandQueries:
    """Asks, few questions at a time."""

    def __init__(self) -> None:
        self._turns = asyncio.Semaphore(AT_A_TIME)

    async def ask(self, arguments: Sequence[str], folder: Path, patience_s: float = PATIENCE_S) -> dict[str, Any]:
        """The document that `loadmaster ARGUMENTS` prints; its working folder is `folder`.

        Raises:
            Refused: it refuses, in its own words; or takes too long.
        """
        async with self._turns:
            child = await asyncio.create_subprocess_exec(
                sys.executable,
                *PROGRAM,
                *arguments,
                cwd=folder,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
                start_new_session=True,
            )
            try:
                _limit_memory(child.pid)
                output, errors = await asyncio.wait_for(child.communicate(), patience_s)
            except TimeoutError:
                raise Refused(504, f"this took longer than {patience_s:g} s, and was stopped") from None
            finally:
                if child.returncode is None:
                    child.kill()
                    await child.wait()
        return _document(output, errors)


def _document(output: bytes, errors: bytes) -> dict[str, Any]:
    try:
        document = json.loads(output) if len(output) <= MOST_BYTES else None
    except ValueError:
        document = None
    if isinstance(document, dict):
        return document
    lines = errors.decode("utf-8", "replace").strip().split("\n")
    raise Refused(422, lines[-1].removeprefix("loadmaster: ")[:400] or "the command gave no answer")


def _limit_memory(pid: int) -> None:
    """Let the process take what is free now, no more: what unpacks to more ends it alone."""
    try:
        from resource import RLIMIT_DATA, prlimit
    except ImportError:  # not on Linux
        return
    most = free_memory_bytes()
    try:
        prlimit(pid, RLIMIT_DATA, (most, most))
    except (OSError, ValueError):
        return
