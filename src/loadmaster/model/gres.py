"""Generic resources as Slurm writes them for hosts and jobs: `gpu:a100:4(S:0-1),nic`, `gres/gpu:1g.10gb=7`."""

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from loadmaster.model.arrays import Floats
from loadmaster.model.errors import InputError
from loadmaster.model.features import with_terms

_COUNT = re.compile(r"([0-9]{1,18})([KMGTP]?)", re.IGNORECASE)
_MODEL = re.compile(r"(?<![\w:.-])gpu:([\w.-]+)", re.ASCII)
_NAME = re.compile(r"[\w.-]+", re.ASCII)
_PLACES = re.compile(r"\([^)]*\)")
_POWER = {"": 0, "K": 1, "M": 2, "G": 3, "T": 4, "P": 5}
GPU = "gpu"
MODEL = "gpu:"
"""So begins the feature of hosts that says the model of their GPUs."""
UNKNOWN = f"{MODEL}unknown"
"""That of hosts whose GPUs have no known model."""


class Gres(NamedTuple):
    """One kind of generic resource, in lower case.

    Attributes:
        kind: such as `gpu`.
        model: such as `a100`, or the profile of a part of a GPU (MIG) such as `1g.10gb`; "" where it is not named.
        number: how many, 1 where it is not said.
    """

    kind: str
    model: str
    number: int


class GpuRequest(NamedTuple):
    """GPUs that jobs request, of all models, and what they are multiplied by; each 0 where a job does not say so.

    Attributes:
        per_job, per_node, per_task, per_socket: GPUs, of one job or float64[N] of several.
        tasks, tasks_per_node, sockets_per_node: how many.
    """

    per_job: float | Floats = 0
    per_node: float | Floats = 0
    per_task: float | Floats = 0
    per_socket: float | Floats = 0
    tasks: float | Floats = 0
    tasks_per_node: float | Floats = 0
    sockets_per_node: float | Floats = 0

    def total(self, nodes: float | Floats) -> Floats:
        """float64, as `nodes`: GPUs of the whole job: those requested for it, else for each node, task or socket.

        Example:
            >>> float(GpuRequest(per_task=2, tasks_per_node=4).total(nodes=2))
            16.0
        """
        tasks = first_amount(self.tasks, self.tasks_per_node * nodes, nodes)
        sockets = nodes * first_amount(self.sockets_per_node, 1.0)
        return first_amount(
            self.per_job, self.per_node * nodes, self.per_task * tasks, self.per_socket * sockets, 0.0 * nodes
        )


def first_amount(*sides: float | Floats) -> Floats:
    """float64[N]: of each job the first amount that is not 0."""
    found = np.asarray(sides[0], np.float64)
    for side in sides[1:]:
        found = np.where(found > 0, found, side)
    return found


def parse_gres(text: str) -> tuple[Gres, ...]:
    """Every generic resource of a list; sockets and indices in parentheses are passed over.

    Raises:
        InputError: a part that is none, or a count that is not exact.

    Example:
        >>> [tuple(each) for each in parse_gres("gpu:a100:4(S:0,2),gpu:1g.10gb:7,nic")]
        [('gpu', 'a100', 4), ('gpu', '1g.10gb', 7), ('nic', '', 1)]
    """
    found = []
    for part in (part.strip() for part in _PLACES.sub("", text).split(",")):
        if not part:
            continue
        each = _gres(part)
        if each is None:
            raise InputError(text, "generic resources", fix="write it like gpu:a100:4")
        if each.number > 2**53:
            raise InputError(part, "more than can be counted exactly", fix="correct it")
        found.append(each)
    return tuple(found)


@lru_cache(maxsize=1 << 16)
def gpus_in(text: str) -> int:
    """GPUs of a list that may hold other resources as well: the total without a model, else the sum of the models.

    Example:
        >>> gpus_in("cpu=8,gres/gpu:a100=2,gres/gpu:v100=4,mem=8G"), gpus_in("gres/gpu=6,gres/gpu:a100=2")
        (6, 6)
        >>> gpus_in("gpu:h100:2(IDX:0,3),gpu:h200:4(IDX:4-7)"), gpus_in("cpu=8")
        (6, 0)
    """
    gpus = _gpus(text)
    total = sum(each.number for each in gpus if not each.model)
    return total or sum(each.number for each in gpus)


def gpu_models_in(text: str) -> set[str]:
    """The models of GPU that a list names.

    Example:
        >>> sorted(gpu_models_in("cpu=8,gres/gpu:a100=2,gres/gpu:v100=4,gres/gpu=6"))
        ['a100', 'v100']
    """
    return {each.model for each in _gpus(text) if each.model}


def with_models(features: str, models: Iterable[str]) -> str:
    """Features that a job requests, with those that say the models of its GPUs, which each alternative needs as well.

    Example:
        >>> with_models("big|new&fast", ["a100"]), with_models("", ["a100"]), with_models("big", [])
        ('big&gpu:a100|new&fast&gpu:a100', 'gpu:a100', 'big')
    """
    return with_terms(features, [model_feature(each) for each in models])


def model_feature(model: str) -> str:
    """The feature of the hosts that have GPUs of a model, "" for one that is not known."""
    return MODEL + model if model else UNKNOWN


def models_asked(features: str) -> tuple[str, ...]:
    """The models of GPUs among the features that a job requests, each once.

    Example:
        >>> models_asked("big&gpu:a100|new&fast&gpu:a100"), models_asked("gpu")
        (('a100',), ())
    """
    return tuple(dict.fromkeys(_MODEL.findall(features)))


def _gpus(text: str) -> list[Gres]:
    parts = (part.strip() for part in _PLACES.sub("", text).split(",") if GPU in part)
    return [each for part in parts if (each := _gres(part)) is not None and each.kind == GPU]


def _gres(part: str) -> Gres | None:
    """One part of a list; None where it is none."""
    kind, *rest = re.split("[:=]", part.removeprefix("gres/").removeprefix("gres:"))
    words = [word for word in rest if word.lower() != "no_consume"]
    count = _COUNT.fullmatch(words[-1]) if words else None
    names = [kind, *(words[:-1] if count else words)]
    if len(names) > 2 or not all(_NAME.fullmatch(name) for name in names):
        return None
    number = 1 if count is None else int(count[1]) << (10 * _POWER[count[2].upper()])
    return Gres(kind.lower(), names[1].lower() if len(names) > 1 else "", number)
