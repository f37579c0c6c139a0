"""What the program knows of limits: of each field, once."""

from dataclasses import fields

from loadmaster.model import Limits
from loadmaster.model.limits import LIMIT_KINDS


def test_every_limit_says_what_it_counts():
    assert [field.name for field in fields(Limits)] == [*LIMIT_KINDS]


def test_limits_that_jobs_wait_for_have_words_for_explain():
    waited_for = {name for name, kind in LIMIT_KINDS.items() if kind.counts in ("running", "work")}
    assert {name for name, kind in LIMIT_KINDS.items() if kind.words} == waited_for
