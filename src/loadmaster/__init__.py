"""Decide where each job of a computing cluster goes: simulated, compared with the optimum, run live.

Every name here is loaded when it is first used, so that `import loadmaster` costs nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from loadmaster import live
    from loadmaster.model import Cluster, InputError, LoadmasterError, Workload
    from loadmaster.traces import Trace
    from loadmaster.verbs import generate
    from loadmaster.verbs.compare import compare
    from loadmaster.verbs.convert import convert
    from loadmaster.verbs.diff import diff
    from loadmaster.verbs.environment import Environment
    from loadmaster.verbs.explain import explain
    from loadmaster.verbs.fetch import fetch
    from loadmaster.verbs.fewest import fewest
    from loadmaster.verbs.fit import fit
    from loadmaster.verbs.info import info
    from loadmaster.verbs.inputs import hosts, read
    from loadmaster.verbs.open import open as open
    from loadmaster.verbs.pack import pack
    from loadmaster.verbs.policies import policies
    from loadmaster.verbs.rebalance import rebalance
    from loadmaster.verbs.reproduce import reproduce
    from loadmaster.verbs.run import run
    from loadmaster.verbs.serve import serve
    from loadmaster.verbs.share import share
    from loadmaster.verbs.simulate import simulate
    from loadmaster.verbs.size import size
    from loadmaster.verbs.tune import tune
    from loadmaster.verbs.when import when

_WHERE = {
    "compare": "verbs.compare",
    "convert": "verbs.convert",
    "diff": "verbs.diff",
    "explain": "verbs.explain",
    "fetch": "verbs.fetch",
    "fewest": "verbs.fewest",
    "fit": "verbs.fit",
    "generate": "verbs",
    "hosts": "verbs.inputs",
    "info": "verbs.info",
    "live": "",
    "open": "verbs.open",
    "pack": "verbs.pack",
    "policies": "verbs.policies",
    "read": "verbs.inputs",
    "rebalance": "verbs.rebalance",
    "reproduce": "verbs.reproduce",
    "run": "verbs.run",
    "serve": "verbs.serve",
    "share": "verbs.share",
    "simulate": "verbs.simulate",
    "size": "verbs.size",
    "tune": "verbs.tune",
    "when": "verbs.when",
    "Cluster": "model",
    "Environment": "verbs.environment",
    "InputError": "model",
    "LoadmasterError": "model",
    "Trace": "traces",
    "Workload": "model",
}
"""Every public name, and the module of this package that defines it."""
_MODULES = ("generate", "live")
"""Those that are modules themselves."""

__all__ = [  # without open, lest `import *` hide Python's own
    "Cluster", "Environment", "InputError", "LoadmasterError", "Trace", "Workload", "compare", "convert", "diff",
    "explain", "fetch", "fewest", "fit", "generate", "hosts", "info", "live", "pack", "policies", "read",
    "rebalance", "reproduce", "run", "serve", "share", "simulate", "size", "tune", "when",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    """Load what is requested, once."""
    if name not in _WHERE:
        raise AttributeError(f"module 'loadmaster' has no attribute {name!r}")
    room = f"loadmaster.{_WHERE[name]}".rstrip(".")
    if name in _MODULES:
        return import_module(f"{room}.{name}")
    found = globals()[name] = getattr(import_module(room), name)
    return found


def __dir__() -> list[str]:
    """The public names."""
    return sorted([*_WHERE, "__version__"])
