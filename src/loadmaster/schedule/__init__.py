"""Composes order, backfilling and placement policy into a scheduler."""

from loadmaster.schedule.discipline import Discipline
from loadmaster.schedule.max_jobs import MaxJobs
from loadmaster.schedule.notation import discipline_named, is_discipline
from loadmaster.schedule.scheduler import AnyPolicy, Scheduler, is_plain_data, members_of

__all__ = [
    "AnyPolicy", "Discipline", "MaxJobs", "Scheduler", "discipline_named", "is_discipline", "is_plain_data",
    "members_of",
]  # fmt: skip
