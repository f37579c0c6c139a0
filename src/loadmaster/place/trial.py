"""Tries a policy in plain Python on the case's own demands and hosts, before anything is run with it."""

import re
from collections.abc import Iterator
from dataclasses import replace
from types import FunctionType

import numpy as np

from loadmaster.model.arrays import Floats
from loadmaster.model.errors import InputError
from loadmaster.model.units import CORES, GPUS, MEMORY
from loadmaster.place.policy import Context, Policy, not_finite, rated, read_only
from loadmaster.rules.function_checks import check_function, draws_at_random

USUAL = (CORES, MEMORY, GPUS)
"""What a policy's author expects at 0, 1 and 2."""


def try_out(policy: Policy, demand: Floats, capacity: Floats, resources: tuple[str, ...]) -> None:
    """Let `policy` rate hosts for tasks, of each a few unlike ones, empty, half full and so that they are full after.

    Args:
        policy: of the user's own.
        demand: float64[N, R], of the tasks.
        capacity: float64[H, R].
        resources: names of the R resources.

    Raises:
        InputError: it is no function of three or four parameters, reads a resource that is not there, changes its
            arguments, fails, or gives something that is not a finite number.
    """
    plain = getattr(policy.score, "py_func", policy.score)  # not what its author compiled, perhaps without checks
    if isinstance(plain, FunctionType):
        check_function(plain, policy.name)
    if plain is not policy.score:
        policy = replace(policy, score=plain)
    for asked, free, there, context in typical_states(demand, capacity):
        try:
            with np.errstate(all="ignore"):
                rated(policy, read_only(asked), read_only(free), read_only(there), context)
        except InputError as refusal:
            if isinstance(refusal.__cause__, IndexError):
                raise _missing(policy, str(refusal.__cause__), resources) from refusal
            if "finite" in refusal.rule:
                hint = f"check its formula for {_words(asked)} of {_words(free)} free"
                raise not_finite(policy.name, hint) from refusal
            raise


def typical_states(demand: Floats, capacity: Floats) -> Iterator[tuple[Floats, Floats, Floats, Context]]:
    """(demand, free, capacity, context) of hosts that can hold the task, as a run may come upon them."""
    hosts = len(capacity)
    for asked in _unlike(demand):
        for there in _unlike(capacity):
            if not (there >= asked).all():
                continue
            half = asked + np.floor((there - asked) / 2.0)
            for last_host, free in enumerate((there, half, asked), -1):
                yield asked, free, there, Context(hosts - 1, hosts, min(last_host, hosts - 1), 0, 0)


def remarks(policy: Policy) -> tuple[str, ...]:
    """What a user must know of a policy that can be run, one sentence each."""
    plain = getattr(policy.score, "py_func", policy.score)
    if isinstance(plain, FunctionType) and draws_at_random(plain):
        return (
            f"{policy.name} draws at random without a seed, so a run with it cannot be repeated: take the seed of a "
            "fourth parameter, context.seed.",
        )
    return ()


def _unlike(rows: Floats) -> list[Floats]:
    """The first of `rows` float64[N, R], and those with the least and the most of each resource."""
    if len(rows) == 0:
        return []
    chosen = [0, *np.argmin(rows, axis=0).tolist(), *np.argmax(rows, axis=0).tolist()]
    return list(np.unique(rows[sorted(set(chosen))], axis=0))


def _missing(policy: Policy, error: str, resources: tuple[str, ...]) -> InputError:
    there = ", ".join(f"{r} {name}" for r, name in enumerate(resources))
    index = re.match(r"index (\d+) is out of bounds", error)
    number = int(index[1]) if index else -1
    if 0 <= number < len(USUAL):
        what = f"resource {number}, {USUAL[number]}, which the jobs and hosts here do not have"
        fix = f"they have {there}; give a log and --hosts with {USUAL[number]}, or rate without it"
    else:
        what = f"a resource that the hosts do not have: {error}"
        fix = f"they have {there}"
    return InputError(policy.name, f"this policy reads {what}", fix=fix)


def _words(amounts: Floats) -> str:
    return f"[{', '.join(f'{amount:g}' for amount in amounts)}]"
