"""Output that cannot be written: the reader has stopped, or the stream was closed before the program began.

Both end as with other tools of Unix: `| head -1` without a word and with the code of a broken pipe, `>&-` in one line,
once something is to be shown.
"""

import io
import os
import signal
import sys
from typing import Any, TextIO

READER_GONE = 128 + signal.SIGPIPE
"""Exit code where what we write into has no reader any more."""


def watched_output() -> bool:
    """Let stdout and stderr end the program where their reader is gone; a closed one gives no file its number.

    Returns:
        Whether stderr is this process's own, and not a replacement, such as that of a test.
    """
    for number, mode in enumerate((os.O_WRONLY, os.O_RDONLY, os.O_WRONLY)):
        _never_free(number, mode)
    if sys.stdout is sys.__stdout__:  # not where the caller, such as a test, has put another
        sys.stdout = _watched(1, sys.stdout)
    ours = sys.stderr is sys.__stderr__
    if ours:
        sys.stderr = _watched(2, sys.stderr)
    return ours


def _never_free(number: int, mode: int) -> None:
    """Where a standard stream was closed, put what refuses to be read or written, or, for stderr, forgets it."""
    try:
        os.fstat(number)
    except OSError:
        nothing = os.open(os.devnull, mode)
        if nothing == number:
            os.set_inheritable(nothing, True)
        else:
            os.dup2(nothing, number)
            os.close(nothing)


class _Watched(io.FileIO):
    """A file that ends the program without a word once its reader is gone."""

    def write(self, data: Any) -> int:
        try:
            return super().write(data)
        except BrokenPipeError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), self.fileno())  # what is still in the buffer goes there
            raise SystemExit(READER_GONE) from None


def _watched(number: int, before: TextIO | None) -> TextIO:
    file = io.BufferedWriter(_Watched(number, "wb", closefd=False))
    if not isinstance(before, io.TextIOWrapper):
        return io.TextIOWrapper(file, encoding="utf-8")
    before.flush()
    return io.TextIOWrapper(
        file, before.encoding, before.errors, line_buffering=before.line_buffering, write_through=before.write_through
    )
