"""Runs `loadmaster` in forks of one process that has loaded its libraries, as loading takes longer than most examples.

A fork does what `python -m loadmaster` does, in the folder and with the environment and streams of its caller.
"""

import atexit
import marshal
import os
import runpy
import select
import socket
import subprocess
import sys
import tempfile
from functools import cache
from importlib import import_module
from pathlib import Path

LIBRARIES = (
    "altair", "polars", "loadmaster.cli.app", "loadmaster.report.compare_page", "loadmaster.sim.queue.engine.replay",
    "loadmaster.verbs.compare", "loadmaster.verbs.pack",
)  # fmt: skip
"""What most commands load, with all that these load."""
_PROGRAM = """\
#!{python} -IS
import marshal, os, socket, sys
server = socket.socket(socket.AF_UNIX)
server.connect({address!r})
socket.send_fds(server, [marshal.dumps((os.getcwd(), dict(os.environ), sys.argv[1:]))], [0, 1, 2])
server.shutdown(socket.SHUT_WR)
sys.exit(int(server.recv(9)))
"""


@cache
def folder_of_program() -> Path:
    """A folder with a program `loadmaster`, for as long as this process lives."""
    folder = tempfile.TemporaryDirectory(prefix="loadmaster-examples-")
    address = str(Path(folder.name) / "server")
    server = subprocess.Popen(
        [sys.executable, __file__, address],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2] / "src")},
    )
    atexit.register(folder.cleanup)
    atexit.register(server.communicate)  # closes its input, and so ends it
    assert server.stdout is not None
    assert server.stdout.readline() == "ready\n"
    program = Path(folder.name) / "loadmaster"
    program.write_text(_PROGRAM.format(python=sys.executable, address=address))
    program.chmod(0o700)
    return Path(folder.name)


def _serve(address: str) -> None:
    """Run what is asked for at this address, each in a fork, until the standard input ends."""
    for name in LIBRARIES:
        import_module(name)
    njit = import_module("numba").njit
    njit("int64(int64)")(lambda number: number)  # loads what compiles and what reads machine code from disk
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(address)
    listener.listen()
    print("ready", flush=True)
    while listener in select.select([listener, sys.stdin], [], [])[0]:
        connection, _ = listener.accept()
        if os.fork() == 0:
            listener.close()
            _answer(connection)
        connection.close()
        while _ended():
            pass


def _ended() -> int:
    try:
        return os.waitpid(-1, os.WNOHANG)[0]
    except ChildProcessError:
        return 0


def _answer(connection: socket.socket) -> None:
    """Run the command that `connection` asks for in a fork, and answer with its exit code."""
    request, streams, _, _ = socket.recv_fds(connection, 1 << 20, 3)
    while more := connection.recv(1 << 20):
        request += more
    command = os.fork()
    if command:
        code = os.waitstatus_to_exitcode(os.waitpid(command, 0)[1])
        connection.sendall(str(code if code >= 0 else 128 - code).encode())
        os._exit(0)
    connection.close()
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    folder, environment, words = marshal.loads(request)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    sys.path[0] = folder
    sys.argv = ["loadmaster", *words]
    runpy.run_module("loadmaster", run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    _serve(sys.argv[1])
