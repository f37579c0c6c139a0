"""The scheduler that was simulated, on real engines: `loadmaster.live.run("fake", ...)` drives one from Python."""

from importlib import import_module
from typing import Any

__all__ = ["run"]


def __getattr__(name: str) -> Any:
    """`run` stands among the verbs, above this room; it is loaded when it is requested."""
    if name != "run":
        raise AttributeError(f"module 'loadmaster.live' has no attribute {name!r}")
    return import_module("loadmaster.verbs.live").run
