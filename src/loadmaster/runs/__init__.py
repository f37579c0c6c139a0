"""Runs as things to keep: what one is to do, what it came to, its record on disk, and sweeps of many.

It stands above the engines, and below everything that shows results or drives a real cluster.
"""

from loadmaster.kept.on_dask import OnDask
from loadmaster.kept.store import Store
from loadmaster.kept.threads import Threads
from loadmaster.kept.watch import Watch
from loadmaster.runs.case import Case, case_of
from loadmaster.runs.outcome import Outcome, run, run_fully
from loadmaster.runs.setting import MAX_JOBS, Setting, discipline_of, policy_of, sources_of
from loadmaster.runs.sweep import sweep

__all__ = [
    "MAX_JOBS", "Case", "OnDask", "Outcome", "Setting", "Store", "Threads", "Watch", "case_of", "discipline_of",
    "policy_of", "run", "run_fully", "sources_of", "sweep",
]  # fmt: skip
