"""Older commits run the present cases too: their modules are also found under the present names."""

import sys
from importlib import import_module
from importlib.util import find_spec

OLDER_ROOM = "schedule"
"""What the room `scheduling` was called, written apart so that a renaming of the room leaves it alone."""


def learn() -> None:
    """Make the modules of an older tree importable under the names of this one."""
    if find_spec("loadmaster.scheduling") is not None:
        return
    sys.modules["loadmaster.scheduling"] = import_module(f"loadmaster.{OLDER_ROOM}")
    for new, old in (("compiled_decide", "compiled_decide"), ("estimate_model", "foresight")):
        sys.modules[f"loadmaster.scheduling.{new}"] = import_module(f"loadmaster.{OLDER_ROOM}.{old}")
    estimates = sys.modules["loadmaster.scheduling.estimate_model"]
    estimates.EstimateModel = estimates.Foresight  # type: ignore[attr-defined]


learn()
