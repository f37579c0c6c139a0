"""The random logs of the contract tests know every constraint that there is: who adds one is told to add its kind."""

from dataclasses import fields, is_dataclass

from bound_jobs import KINDS, bound_jobs

from loadmaster.model import Account, CalendarRow, Limits, Partition, Preemption, Qos, SiteRules
from loadmaster.model.constraints import COLUMNS

NOT_DRAWN = {
    "follows", "think_s", "restarts",  # they say when jobs arrive, and what has been
    "gpu_kind",  # jobs are grouped by it
    "exclusive",  # a log says it by its demands before it is run (rule C5)
}  # fmt: skip
RULES_NOT_DRAWN = {
    "SiteRules": {"default_partition", "default_qos", "requeue", "energy_price", "carbon"},
    "Partition": {"job_factor", "billing", "exclusive"},  # what ranks; whole hosts as above
    "Qos": {"priority", "usage_factor", "exempt_s", "no_reserve"},
    "Account": {"shares", "priority"},
    "CalendarRow": {"users", "accounts", "flex"},
}
"""What ranks jobs, or stands in schedules worked out by hand alone."""


def test_every_column_that_binds_jobs_is_drawn_by_some_kind():
    logs = [bound_jobs(seed, kind)[0].constraints for kind in KINDS for seed in range(8)]
    drawn = {name for bound in logs if bound is not None for name in bound.given}
    assert drawn | NOT_DRAWN == {*COLUMNS}
    assert not drawn & NOT_DRAWN


def test_every_rule_of_a_site_is_drawn_by_some_kind():
    drawn = {}
    for kinds in ((), *((kind,) for kind in KINDS), KINDS):
        for seed in range(40):
            _note(bound_jobs(seed, *kinds)[1].rules, drawn)
    for rule in (SiteRules, Partition, Qos, Limits, Account, CalendarRow, Preemption):
        same = {field.name for field in fields(rule) if len(drawn[rule.__name__, field.name]) == 1}
        assert same == RULES_NOT_DRAWN.get(rule.__name__, set()), rule.__name__


def _note(rule, drawn):
    for field in fields(rule):
        value = getattr(rule, field.name)
        drawn.setdefault((type(rule).__name__, field.name), set()).add(repr(value))
        for each in value if isinstance(value, tuple) else (value,):
            if is_dataclass(each):
                _note(each, drawn)
