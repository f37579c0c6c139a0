"""Composes order, backfilling and placement policy into a scheduler."""

from loadmaster.scheduling.discipline import Discipline
from loadmaster.scheduling.max_jobs import MaxJobs
from loadmaster.scheduling.meta_rule import AnyPolicy, Chosen, MetaRule, Trial, best_of, is_meta, members_of, names_of
from loadmaster.scheduling.notation import discipline_named, is_discipline
from loadmaster.scheduling.scheduler import Scheduler, is_plain_data
from loadmaster.scheduling.twin import Twin

__all__ = [
    "AnyPolicy", "Chosen", "Discipline", "MaxJobs", "MetaRule", "Scheduler", "Trial", "Twin", "best_of",
    "discipline_named", "is_discipline", "is_meta", "is_plain_data", "members_of", "names_of",
]  # fmt: skip
