"""Composes order, backfilling and placement policy into a scheduler."""

from loadmaster.schedule.discipline import Discipline
from loadmaster.schedule.max_jobs import MaxJobs
from loadmaster.schedule.meta_rule import AnyPolicy, Chosen, MetaRule, Trial, best_of, is_meta, members_of, names_of
from loadmaster.schedule.notation import discipline_named, is_discipline
from loadmaster.schedule.scheduler import Scheduler, is_plain_data
from loadmaster.schedule.twin import Twin

__all__ = [
    "AnyPolicy", "Chosen", "Discipline", "MaxJobs", "MetaRule", "Scheduler", "Trial", "Twin", "best_of",
    "discipline_named", "is_discipline", "is_meta", "is_plain_data", "members_of", "names_of",
]  # fmt: skip
