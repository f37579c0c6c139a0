"""Amir et al. 2000: a method of the study is another one, or the hosts behave otherwise."""

import sys
from dataclasses import replace
from unittest.mock import patch

from loadmaster.papers.amir2000 import claims
from loadmaster.papers.amir2000.study import Setup, run_block
from loadmaster.scheduling.time_shared import METHODS, method_named

SETUP = Setup(executions=60, methods=("pvm", "e-pvm", "mosix", "e-mosix", "d-pvm"))
_RIGHT = Setup.method
THIS = sys.modules[__name__]


def study():
    """Sixty executions of the five methods."""
    outcome = run_block(SETUP, 0, SETUP.executions)
    return [
        *claims.table_1(outcome),
        *claims.orderings(SETUP, outcome),
        *claims.ratios(SETUP, outcome),
        *claims.unknown_needs(SETUP, outcome),
    ]


def _method(name, other):
    """`other`: a method in the place of `name`, made from the right one."""

    def method(setup, wanted):
        right = _RIGHT(setup, wanted)
        return replace(other(right), name=wanted) if wanted == name else right

    return lambda: patch.object(Setup, "method", method)


def _as(other):
    return lambda right: METHODS[other]


MUTANTS = {
    "e-pvm places round robin": _method("e-pvm", _as("pvm")),
    "e-pvm takes the fullest host": _method("e-pvm", lambda right: method_named("best-fit-cores")),
    "e-pvm goes by memory, most free first, alone": _method("e-pvm", lambda right: method_named("worse-fit-memory")),
    "e-pvm takes the first host that fits": _method("e-pvm", lambda right: method_named("first-fit")),
    "pvm places by opportunity cost": _method("pvm", _as("e-pvm")),
    "mosix never moves": _method("mosix", lambda right: replace(right, mover=None)),
    "e-mosix never moves": _method("e-mosix", lambda right: replace(right, mover=None)),
    "e-mosix places round robin and never moves": _method("e-mosix", _as("pvm")),
    "thrashing costs nothing": lambda: patch.object(THIS, "SETUP", replace(SETUP, thrash=1.0)),
    "d-pvm places round robin": _method("d-pvm", _as("pvm")),
    "d-pvm takes the first host that fits": _method("d-pvm", lambda right: method_named("first-fit")),
}
