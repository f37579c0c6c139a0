"""Words behind the 18th field of SWF, as CERIT-SC's logs have them: used cores, the queue, and the request."""

import re
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from loadmaster.model.arrays import Ints
from loadmaster.model.constraints import EXCLUSIVE
from loadmaster.traces.values import NameCodes

FIELDS = 18
SHOWN = 50
"""So many lines at the top tell whether a log has such words."""
_QUEUE = re.compile(r"[A-Za-z_][\w.@-]{0,99}")
_REQUEST = re.compile(r"[\w.^-]+(?:[:+][\w.^=-]+)*(?:#excl)?")
_HOSTS = re.compile(r"([0-9]{1,9})")
_CORES = re.compile(r"ppn=([0-9]{1,9})")
_FEATURE = re.compile(r"[A-Za-z_][\w-]*")
_MOST_REQUESTS = 1 << 20


class Request(NamedTuple):
    """What `2:ppn=4:x86_64#excl` requests.

    Attributes:
        hosts, cores: how many hosts, and cores of each; 0 where the request does not say it in one part.
        features: names that its hosts must have, joined by `&`.
        exclusive: it shares its hosts with no job.
        whole: every part of it is understood.
    """

    hosts: int = 0
    cores: int = 0
    features: str = ""
    exclusive: bool = False
    whole: bool = True


def request_of(text: str) -> Request:
    """The request written in `text`: `hosts:ppn=cores:feature:...#excl`.

    Names of hosts (they have a dot, or stand behind `host=`), what is excluded by `^` and requests of several parts
    joined by `+` are not understood.

    Example:
        >>> request_of("2:ppn=4:x86_64:brno#excl")
        Request(hosts=2, cores=4, features='x86_64&brno', exclusive=True, whole=True)
        >>> request_of("1:ppn=8:^bad.host")
        Request(hosts=1, cores=8, features='', exclusive=False, whole=False)
    """
    parts, _, end = text.partition("#")
    if "+" in parts:
        return Request(exclusive=end == "excl", whole=False)
    first, *rest = parts.split(":")
    hosts = _HOSTS.fullmatch(first)
    cores = [match for part in rest if (match := _CORES.fullmatch(part))]
    features = dict.fromkeys(part for part in rest if _FEATURE.fullmatch(part))
    memory = [part for part in rest if part.startswith("mem=")]  # field 10 has it
    whole = hosts is not None and len(cores) + len(memory) + sum(part in features for part in rest) == len(rest)
    return Request(
        int(hosts[1]) if hosts else 0,
        int(cores[0][1]) if len(cores) == 1 else 1 if not cores else 0,
        "&".join(features),
        end == "excl",
        whole,
    )


class Words:
    """The words of all lines, read a block at a time."""

    def __init__(self) -> None:
        self.queues, self.features = NameCodes(), NameCodes()
        self._requests: dict[str, Request] = {}

    def columns(self, text: bytes, start: NDArray[np.int32]) -> dict[str, NDArray[Any]]:
        """Columns of the lines that begin at `start`: int32 `hosts`, `ppn`, codes of `queue word` and `features`, ...

        A line without such words has -1 or 0 everywhere.
        """
        rows = len(start)
        queue, features = np.full(rows, -1, np.int32), np.full(rows, -1, np.int32)
        hosts, cores, exclusive, odd = (np.zeros(rows, np.int32) for _ in range(4))
        for row, begin in enumerate(start.tolist()):
            words = text[begin : text.index(b"\n", begin)].split()[FIELDS:]
            parsed = words_of([word.decode("latin-1") for word in words if not word.startswith(b"{")])
            if parsed is None:
                continue
            name, requests = parsed
            request = self._request(requests)
            queue[row] = self.queues.code(name)
            features[row] = self.features.code(request.features) if request.features else -1
            hosts[row], cores[row] = request.hosts, request.cores
            exclusive[row] = EXCLUSIVE.index("host") if request.exclusive else 0
            odd[row] = not request.whole
        return {
            "queue word": queue,
            "features": features,
            "hosts": hosts,
            "ppn": cores,
            "exclusive": exclusive,
            "odd": odd,
        }

    def _request(self, text: str) -> Request:
        request = self._requests.get(text)
        if request is None:
            request = request_of(text)
            if len(self._requests) < _MOST_REQUESTS:
                self._requests[text] = request
        return request


def words_of(words: list[str]) -> tuple[str, str] | None:
    """Queue and request; None where the words are something else.

    Example:
        >>> words_of(["q_1d", "1:ppn=4"]), words_of(["17", "3"])
        (('q_1d', '1:ppn=4'), None)
    """
    if len(words) != 2 or not _QUEUE.fullmatch(words[0]) or not _REQUEST.fullmatch(words[1]):
        return None
    return words[0], words[1]


def has_words(head: bytes) -> bool:
    """Whether the first lines of a log have such words."""
    lines = [line for line in head.split(b"\n") if line.strip() and not line.lstrip().startswith(b";")]
    shown = [line.split()[FIELDS:] for line in lines[:SHOWN]]
    return any(
        words_of([w.decode("latin-1") for w in words if not w.startswith(b"{")]) is not None for words in shown if words
    )


def shaped(columns: dict[str, NDArray[Any]], hosts: Ints, cores: Ints) -> Ints:
    """Make a task of a job a host of its request, in place, where the request says how many cores each has.

    `tasks` of one core each become `hosts` tasks of `cores` cores, the memory of a task that of its cores.

    Returns:
        int32[N]: the hosts that jobs of several request; 0 of others.
    """
    fits = (hosts > 0) & (cores > 0) & (hosts.astype(np.int64) * cores == columns["tasks"])
    demand = columns["demand"]
    demand[fits] *= cores[fits, None]
    columns["tasks"] = np.where(fits, hosts, columns["tasks"]).astype(np.int32)
    return np.where(fits & (hosts > 1), hosts, 0).astype(np.int32)
