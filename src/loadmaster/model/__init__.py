"""The values that all other rooms use: frozen tables of columns."""

from loadmaster.model.cluster import Cluster
from loadmaster.model.constraints import Constraints
from loadmaster.model.cycles import Choices, Cycles
from loadmaster.model.dependencies import Dependencies
from loadmaster.model.errors import InputError, LoadmasterError, MissingExtra
from loadmaster.model.limits import Limits
from loadmaster.model.name_column import Named
from loadmaster.model.schedule import Schedule
from loadmaster.model.site_rules import Account, CalendarRow, HostStartUp, Partition, Preemption, Qos, SiteRules
from loadmaster.model.snapshot import Decide, Decision, Place, Queue, Running, Snapshot
from loadmaster.model.starting_state import StartingState
from loadmaster.model.workload import Workload

__all__ = [
    "Account", "CalendarRow", "Choices", "Cluster", "Constraints", "Cycles", "Decide", "Decision", "Dependencies",
    "HostStartUp", "InputError", "Limits", "LoadmasterError", "MissingExtra", "Named", "Partition", "Place",
    "Preemption", "Qos", "Queue", "Running", "Schedule", "SiteRules", "Snapshot", "StartingState", "Workload",
]  # fmt: skip
