"""Reads a generator of synthetic workloads of the user's own."""

import inspect
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol

from loadmaster.model import Workload
from loadmaster.model.bag import Bag
from loadmaster.model.errors import InputError, one_line
from loadmaster.rules.find import Reference
from loadmaster.rules.function_checks import draws_at_random, uses_parameter
from loadmaster.rules.parameters import arguments_of, instance_of
from loadmaster.rules.part import part_of
from loadmaster.traces.trace import Trace

SHAPE = "def jobs(seed, ...): return Workload.of(...)"
_GIVES = "a generator gives a Workload, a Trace or a Bag"


class Generator(Protocol):
    """Makes a synthetic workload: pure, same seed and parameters, same jobs.

    One of the user's own is such a function, or a class whose fields are the parameters and whose method `generate`
    takes the seed.
    """

    def __call__(self, seed: int, **parameters: Any) -> "Trace | Workload | Bag":
        """The jobs of that seed."""
        ...


def is_generator(spec: object) -> bool:
    """Whether a generator of the user's is named in place of a log, and no file of a log.

    Example:
        >>> is_generator("mine.py:bursts(jobs=100)"), is_generator("jobs.swf"), is_generator("2024:06.csv")
        (True, False, False)
    """
    return isinstance(spec, str | Path) and part_of(str(spec)).name.rpartition(":")[0].endswith(".py")


def log_generated(spec: str, seed: int) -> Trace:
    """The log that a generator of the user's makes.

    Raises:
        InputError: it makes none, or as `generated`.
    """
    trace = generated(spec, seed)
    if isinstance(trace, Bag):
        raise InputError(spec, "this generator makes a bag of tasks, and a log is needed", fix="see `size`")
    return trace


def bag_generated(spec: str, seed: int) -> Bag:
    """The bag that a generator of the user's makes.

    Raises:
        InputError: it makes none, or as `generated`.
    """
    bag = generated(spec, seed)
    if not isinstance(bag, Bag):
        raise InputError(spec, "this generator makes a log, and a bag of tasks is needed", fix="let it give a Bag")
    return bag


def generated(spec: str, seed: int) -> Trace | Bag:
    """What a generator of the user's makes; it is marked as synthetic.

    Args:
        spec: `file.py:name`, parameters in parentheses; or the name of one that was given in Python.
        seed: of all that it draws.

    Raises:
        InputError: no such file, function or parameter, it takes no seed or fails, or gives what is no workload.
    """
    part = part_of(spec)
    reference = Reference.of(part.name)
    if reference is None:
        raise InputError(spec, "names no function of a file", fix="write file.py:function")
    thing = reference.thing()
    if isinstance(thing, type):
        make: Callable[..., Any] = instance_of(thing, part, {}, "generator", "generate").generate
        values: dict[str, Any] = {}
    else:
        make, values = thing, arguments_of(thing, part, ("seed",))
    try:
        result = make(seed=seed, **values)
    except InputError:
        raise
    except Exception as error:  # whatever the user's own raises
        why = one_line(f"{type(error).__name__}: {error}", 120)
        raise InputError(part.name, f"this generator fails: {why}", fix=f"write it like {SHAPE}") from error
    return _with_remarks(result, spec, _remarks(make, part.name))


def _with_remarks(result: Any, spec: str, remarks: tuple[str, ...]) -> Trace | Bag:
    if isinstance(result, Bag):
        return replace(result, synthetic=True, source=result.source or spec)
    read = Trace(result) if isinstance(result, Workload) else result
    if not isinstance(read, Trace):
        raise InputError(spec, f"{_GIVES}, not {type(result).__name__}", fix=f"write it like {SHAPE}")
    workload = replace(read.workload, synthetic=True, source=read.workload.source or spec)
    return replace(read, workload=workload, notes=(*read.notes, *remarks))


def _remarks(make: Any, name: str) -> tuple[str, ...]:
    plain = getattr(make, "__func__", make)
    parameters = [*inspect.signature(plain).parameters]
    seeded = "seed" in parameters and uses_parameter(plain, parameters.index("seed"))
    if seeded or not draws_at_random(plain):
        return ()
    return (f"{name} draws at random without its seed, so these jobs cannot be made again.",)
