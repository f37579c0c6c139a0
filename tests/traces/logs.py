"""Small logs written by the tests, and a short way to break one."""

import gzip
from pathlib import Path

SWF_HEADER = "; Version: 2.2\n; Computer: a small one\n; MaxNodes: 2 (of 3)\n; MaxProcs: 8\n; UnixStartTime: 1000\n"


def swf_line(
    job=1, submit=0, run=10, used=1, used_memory=-1, asked=1, estimate=-1, memory=-1, user=-1, group=-1, **rest
):
    """One line of SWF; fields that are not named are -1."""
    wait, cpu, status = rest.get("wait", -1), rest.get("cpu", -1), rest.get("status", 1)
    fields = [
        job,
        submit,
        wait,
        run,
        used,
        cpu,
        used_memory,
        asked,
        estimate,
        memory,
        status,
        user,
        group,
        rest.get("executable", -1),
        rest.get("queue", -1),
        rest.get("partition", -1),
        rest.get("preceding", -1),
        rest.get("think", -1),
    ]
    return " ".join(map(str, fields)) + "\n"


def write(folder: Path, name: str, text: str | bytes) -> Path:
    """A file in `folder`; packed if its name ends with .gz."""
    path = folder / name
    data = text.encode() if isinstance(text, str) else text
    path.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    return path
