"""The words of the house: frozen, columnar values that every other room passes around."""

from loadmaster.model.cluster import Cluster
from loadmaster.model.errors import InputError, LoadmasterError, MissingExtra
from loadmaster.model.schedule import Cycles, Schedule
from loadmaster.model.snapshot import Decide, Decision, Place, Queue, Running, Snapshot
from loadmaster.model.workload import Workload

__all__ = [
    "Cluster", "Cycles", "Decide", "Decision", "InputError", "LoadmasterError", "MissingExtra",
    "Place", "Queue", "Running", "Schedule", "Snapshot", "Workload",
]  # fmt: skip
