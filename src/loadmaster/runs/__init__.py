"""Runs as things to keep: what one is to do, what it came to, its record on disk, and sweeps of many.

It stands above the engines, and below everything that shows results or drives a real cluster. Every name here is loaded
when it is first used: a list of rules needs neither engines nor readers nor a database.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from loadmaster.kept.on_dask import OnDask
    from loadmaster.kept.store import Store
    from loadmaster.kept.threads import Threads
    from loadmaster.kept.watch import Watch
    from loadmaster.runs.case import Case, case_of
    from loadmaster.runs.outcome import Outcome, run, run_fully
    from loadmaster.runs.setting import MAX_JOBS, Setting, discipline_of, policy_of, sources_of

__all__ = [
    "MAX_JOBS", "Case", "OnDask", "Outcome", "Setting", "Store", "Threads", "Watch", "case_of", "discipline_of",
    "policy_of", "run", "run_fully", "sources_of",
]  # fmt: skip

_HOLDS = {
    "kept.on_dask": ("OnDask",),
    "kept.store": ("Store",),
    "kept.threads": ("Threads",),
    "kept.watch": ("Watch",),
    "runs.case": ("Case", "case_of"),
    "runs.outcome": ("Outcome", "run", "run_fully"),
    "runs.setting": ("MAX_JOBS", "Setting", "discipline_of", "policy_of", "sources_of"),
}
_WHERE = {name: module for module, names in _HOLDS.items() for name in names}


def __getattr__(name: str) -> Any:
    if name not in _WHERE:
        raise AttributeError(f"module 'loadmaster.runs' has no attribute {name!r}")
    found = getattr(import_module(f"loadmaster.{_WHERE[name]}"), name)
    globals()[name] = found
    return found
