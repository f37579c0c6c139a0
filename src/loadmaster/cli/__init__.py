"""The command line: one thin file a verb; heavy imports wait until a verb runs.

Exit codes: 0 done, 1 the honest answer is "infeasible" or "not the same", 2 bad input or usage, 130 stopped by hand,
141 if the output is no longer read.
"""

import atexit
import errno
import gc
import os
import sys
import threading
from contextlib import suppress
from typing import NoReturn, TextIO

from loadmaster.cli.deferred_interrupt import DeferredInterrupt

_COMPILING = "Compiling for this machine, first time only; it may take a minute."
_STOPPED = 130
"""Exit code after Ctrl-C; Typer makes it of the interrupt."""


def main() -> None:
    """Run `loadmaster`; bad input ends in one line on stderr and exit code 2."""
    _collect_garbage_seldom()
    swallowed = DeferredInterrupt()
    try:
        from loadmaster.cli.output import watched_output
        from loadmaster.report.console import never_fail_to_encode

        if watched_output() and not sys.stderr.isatty():  # on a terminal a bar says it
            _say_what_is_compiled()
        never_fail_to_encode(sys.stdout, sys.stderr)
        from loadmaster.cli.app import app  # here, so that Ctrl-C while it is loaded ends as it does later

        code = app(sys.argv[1:] or ["--help"], prog_name="loadmaster", standalone_mode=False)
        sys.stdout.flush()  # here, so that what cannot be written is told like everything else
    except KeyboardInterrupt:
        code = _STOPPED
    except SystemExit as end:
        _refuse_end(end)
        raise
    except Exception as error:
        if not swallowed.settled():
            _exit_with_error(error)
        code = _STOPPED
    swallowed.settled()
    if code == _STOPPED:
        resumes = sys.argv[1:2] in (["compare"], ["fit"], ["reproduce"], ["run"], ["share"], ["tune"])
        print("loadmaster: stopped" + "; give the same command again to continue" * resumes, file=sys.stderr)
        if sys.argv[1:2] != ["run"]:  # which waits until its machines are given back
            _exit_at_once()
    sys.exit(code if isinstance(code, int) else 0)


def _say_what_is_compiled() -> None:
    """Say once that something is compiled, as soon as that lasts."""
    from loadmaster.jit.first_compilation import FIRST_TIME

    FIRST_TIME.tell = lambda: print(_COMPILING, file=sys.stderr, flush=True)


def _collect_garbage_seldom() -> None:
    """What is loaded stays: Python looked through it again and again as it came, and once more at the very end."""
    gc.set_threshold(100_000, 10, 10)
    atexit.register(gc.freeze)


def _exit_with_error(error: Exception) -> NoReturn:
    """End with one line and exit code 2 if the user or the system is at fault; with a traceback if we are."""
    from loadmaster.model.errors import LoadmasterError  # here, so that --help need not load the model

    if isinstance(error, LoadmasterError):
        from loadmaster.verbs.pipe_input import as_named

        _fail(as_named(str(error)))
    if isinstance(error, OSError):  # such as a full disk, or a folder without the right to write
        _fail(_system_error_line(error))
    if isinstance(error, MemoryError):
        _fail(f"this machine has not enough memory for this command: {error or type(error).__name__}")
    if not hasattr(error, "format_message"):  # not a usage error of the command-line library
        raise error
    _fail(_usage(error))


def _refuse_end(ending: SystemExit) -> None:
    """End with one line where a rule of the user's has ended the program: half of the work is not done."""
    find = sys.modules.get("loadmaster.rules.find")
    if find is None:  # none of them was loaded
        return
    from loadmaster.model.errors import InputError

    try:
        find.refuse_end(ending)
    except InputError as error:
        _fail(str(error))


def _exit_at_once() -> None:
    """End the process where threads are still at work: what they make is thrown away, and they may take minutes."""
    others = [thread for thread in threading.enumerate() if thread is not threading.main_thread()]
    if any(thread.is_alive() and not thread.daemon for thread in others):
        from loadmaster.verbs.pipe_input import let_go

        sys.stdout.flush()
        sys.stderr.flush()
        let_go()
        os._exit(_STOPPED)


def _usage(error: Exception) -> str:
    """A usage error in one line, with where to read more."""
    from loadmaster.model.errors import cut

    text = " ".join(error.format_message().split()).rstrip(".")  # type: ignore[attr-defined]
    text = text.replace(": Value error, ", ": ")  # of what Typer asks
    message = cut(text or "name one of its commands", 220)  # nothing is said where the help was shown instead
    context = getattr(error, "ctx", None)
    verb = context.command_path.split()[1:] if context is not None else []
    return f"{message}; see `{' '.join(['loadmaster', *verb, '--help'])}`"


def _system_error_line(error: OSError) -> str:
    """What the system refused, in one line: which file, or the output where it names none, and why."""
    _let_go_of(sys.stdout)  # what is left in its buffer may be just what could not be written
    from loadmaster.model.errors import InputError

    closed = error.filename is None and error.errno == errno.EBADF
    reason = "closed" if closed else error.strerror or str(error) or type(error).__name__
    return f"the output: {reason}" if error.filename is None else str(InputError(error.filename, reason))


def _let_go_of(stream: TextIO) -> None:
    """Send what is still in the buffer of `stream` nowhere; Python would try once more at its end, with a traceback."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _fail(message: str) -> NoReturn:
    from loadmaster.model.errors import one_line

    try:
        print(f"loadmaster: {one_line(message)}", file=sys.stderr, flush=True)
    except OSError:  # nowhere to say it: the exit code does
        _let_go_of(sys.stderr)
    sys.exit(2)
