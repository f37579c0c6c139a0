"""Runs: their settings, their results, their records on disk, and sweeps of many runs.

It stands above the engines, and below everything that shows results or drives a real cluster. Every name here is loaded
when it is first used: a list of rules needs neither engines nor readers nor a database.
"""

from typing import TYPE_CHECKING

from loadmaster.system.lazy import names_later

if TYPE_CHECKING:
    from loadmaster.results.on_dask import OnDask
    from loadmaster.results.store import Store
    from loadmaster.results.threads import Threads
    from loadmaster.results.watch import Watch
    from loadmaster.runs.case import Case, case_of
    from loadmaster.runs.outcome import Outcome, run, run_fully
    from loadmaster.runs.setting import MAX_JOBS, Setting, discipline_of, policy_of, sources_of

__all__ = [
    "MAX_JOBS", "Case", "OnDask", "Outcome", "Setting", "Store", "Threads", "Watch", "case_of", "discipline_of",
    "policy_of", "run", "run_fully", "sources_of",
]  # fmt: skip

__getattr__ = names_later(
    __name__,
    {
        "loadmaster.results.on_dask": ("OnDask",),
        "loadmaster.results.store": ("Store",),
        "loadmaster.results.threads": ("Threads",),
        "loadmaster.results.watch": ("Watch",),
        "loadmaster.runs.case": ("Case", "case_of"),
        "loadmaster.runs.outcome": ("Outcome", "run", "run_fully"),
        "loadmaster.runs.setting": ("MAX_JOBS", "Setting", "discipline_of", "policy_of", "sources_of"),
    },
)
