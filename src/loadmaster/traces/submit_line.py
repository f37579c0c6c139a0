"""Facts of a job from the command that submitted it, which accounting lacks: dependencies, throttles, hosts."""

import re
import shlex
from typing import NamedTuple

from loadmaster.model.constraints import EXCLUSIVE
from loadmaster.model.gres import GpuRequest, gpu_models_in, gpus_in

_FLAGS_WORDS = (
    "contiguous disable-stdout-job-summary exact exclusive get-user-env help hold ignore-pbs immediate interactive "
    "label multi-prog no-bell no-kill no-requeue no-shell nice overcommit overlap oversubscribe parsable preserve-env "
    "propagate pty quiet reboot requeue spread-job test-only unbuffered usage use-min-nodes verbose version wait x11 "
    "share"
)
_BY_COUNT = ("gpus", "gpus-per-node", "gpus-per-task", "gpus-per-socket")
"""Options whose value has counts of GPUs, with or without their models."""
_FLAGS = frozenset(_FLAGS_WORDS.split())
"""Long options that take a value, if they take one, behind `=` only."""
_SHORT_FLAGS = frozenset("hHIEklOQsuvVWXZ")
_SHORT = {
    "d": "dependency", "a": "array", "C": "constraint", "N": "nodes", "b": "begin", "H": "hold", "G": "gpus",
    "n": "ntasks", "s": "oversubscribe", "L": "licenses", "w": "nodelist", "x": "exclude", "F": "nodefile",
}  # fmt: skip
_NODES = re.compile(r"([0-9]{1,7})(?:-([0-9]{1,7}))?")
_TASKS = re.compile(r"[0-9]{1,7}")
_THROTTLE = re.compile(r".*%([0-9]{1,9})")
_LONGEST = 10_000


class SubmitOptions(NamedTuple):
    """What a command line requests.

    Attributes:
        depends: in Slurm's notation, "" for nothing.
        throttle: at most so many tasks of the array at once, 0 for no limit.
        exclusive: a code of `EXCLUSIVE`.
        nice: what is taken off the priority.
        requeue: 1 or 0 as it says, -1 where it says nothing.
        constraint: features of the hosts.
        nodes: how many hosts at least and at most, 0 and 0 where it says nothing.
        reservation: that it names; accounting forgets one that had not begun when the job came.
        licences: of the whole cluster, in Slurm's notation.
        shared_by: `user` or `mcs`: whole hosts shared by these alone, which is not modelled.
        shares: other jobs may use its cores, where their partition allows it.
        later: it names a begin time or is held; when that came accounting knows (its field Eligible).
        gpus: that it requests; accounting does not track them at every site.
        gpu_models: of these, joined by commas, "" where it names none.
        named: the hosts that it must be on, or a file that lists them.
        without: the hosts that it must not be on.
    """

    depends: str = ""
    throttle: int = 0
    exclusive: int = 0
    nice: float = 0.0
    requeue: int = -1
    constraint: str = ""
    nodes: tuple[int, int] = (0, 0)
    reservation: str = ""
    licences: str = ""
    shared_by: str = ""
    later: bool = False
    gpus: GpuRequest = GpuRequest()
    gpu_models: str = ""
    named: str = ""
    without: str = ""
    shares: bool = False


def submit_options(line: str) -> SubmitOptions:
    """What the command `line` requests; what stands behind the name of the script is the script's.

    Example:
        >>> submit_options("sbatch -d afterok:7 --array=0-9%2 --nice run.sh --exclusive")[:4]
        ('afterok:7', 2, 0, 100.0)
        >>> submit_options("sbatch -N 2-4 --reservation=kept run.sh").nodes
        (2, 4)
    """
    given = _options(line)
    whole = given.get("exclusive")
    more = (given.get(name, "") for name in ("gres", "tres-per-task"))
    throttle = _THROTTLE.fullmatch(given.get("array", ""))
    return SubmitOptions(
        depends=given.get("dependency", "").strip(),
        throttle=int(throttle[1]) if throttle else 0,
        exclusive=EXCLUSIVE.index("host") if whole in ("", "exclusive") else 0,
        nice=_nice(given.get("nice")),
        requeue=1 if "requeue" in given else 0 if "no-requeue" in given else -1,
        constraint=given.get("constraint", "").strip(),
        nodes=_nodes(given.get("nodes", "")),
        reservation=given.get("reservation", "").strip(),
        licences=given.get("licenses", "").strip(),
        shared_by=whole if whole in ("user", "mcs", "topo") else "",
        later=not {"begin", "hold"}.isdisjoint(given),
        gpus=_gpus(given),
        gpu_models=",".join(sorted(gpu_models_in(",".join((*map(_listed, map(given.get, _BY_COUNT)), *more))))),
        named=(given.get("nodelist") or given.get("nodefile", "")).strip(),
        without=given.get("exclude", "").strip(),
        shares=not {"oversubscribe", "share"}.isdisjoint(given),
    )


def _gpus(given: dict[str, str]) -> GpuRequest:
    counts = (given.get(name, "") for name in ("ntasks", "ntasks-per-node", "sockets-per-node"))
    return GpuRequest(
        _models(given.get("gpus", "")),
        gpus_in(given.get("gres", "")) or _models(given.get("gpus-per-node", "")),
        _models(given.get("gpus-per-task", "")) or gpus_in(given.get("tres-per-task", "")),
        _models(given.get("gpus-per-socket", "")),
        *(int(count) if _TASKS.fullmatch(count) else 0 for count in counts),
    )


def _models(value: str) -> int:
    """GPUs of `2`, `a100:2` or `a100:1,v100:1`."""
    return gpus_in(_listed(value))


def _listed(value: str | None) -> str:
    """Counts and models of GPUs as a list of generic resources."""
    return ",".join(f"gpu:{part}" for part in (value or "").split(",") if part.strip())


def _nodes(value: str) -> tuple[int, int]:
    match = _NODES.fullmatch(value.strip())
    if match is None:
        return 0, 0
    least = int(match[1])
    return least, max(least, int(match[2] or least))


def _options(line: str) -> dict[str, str]:
    """The options before the script by their long names, the last of equal ones."""
    words = _words(line[:_LONGEST])[1:]
    given: dict[str, str] = {}
    at = 0
    while at < len(words):
        word = words[at]
        if not word.startswith("-") or word in ("-", "--"):
            break
        if word.startswith("--"):
            name, equals, value = word[2:].partition("=")
            takes_next = not equals and name not in _FLAGS
        else:
            name, value = word[1], word[2:].removeprefix("=")
            takes_next = not value and name not in _SHORT_FLAGS
            name = _SHORT.get(name, f"-{name}")
        if takes_next:
            at += 1
            value = words[at] if at < len(words) else ""
        given[name] = value
        at += 1
    return given


def _words(line: str) -> list[str]:
    try:
        return shlex.split(line)
    except ValueError:  # a quotation that is not closed
        return line.split()


def _nice(value: str | None) -> float:
    if value is None:
        return 0.0
    return float(value) if re.fullmatch(r"[-+]?[0-9]{1,10}", value) else 100.0
