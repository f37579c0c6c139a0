"""Serves cases one after another: a line of JSON in, an exit code out; prints go to files beside the input."""

import contextlib
import json
import os
import resource
import sys
import traceback

MOST_BYTES = 8 << 30
"""What requests more gets a MemoryError instead of the machine."""


def serve() -> None:
    """Until stdin ends."""
    resource.setrlimit(resource.RLIMIT_DATA, (MOST_BYTES, MOST_BYTES))
    answers = os.fdopen(os.dup(1), "w")
    from loadmaster.cli import main

    for line in sys.stdin:
        folder, arguments = json.loads(line)
        os.chdir(folder)
        for number, name in ((1, ".out"), (2, ".err")):
            file = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
            os.dup2(file, number)
            os.close(file)
        sys.argv = ["loadmaster", *arguments]
        code = 0
        try:
            main()
        except SystemExit as stop:
            code = stop.code if isinstance(stop.code, int) else 0 if stop.code is None else 1
        except BaseException:
            traceback.print_exc()
            code = 70
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(OSError, ValueError):
                stream.flush()
        print(code, file=answers, flush=True)


if __name__ == "__main__":
    serve()
