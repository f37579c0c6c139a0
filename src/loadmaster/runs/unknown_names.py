"""Names of jobs that the site's configuration does not have. Many mean another site's configuration (rule L9)."""

from collections.abc import Iterable

import numpy as np

from loadmaster.model import Account, Constraints, InputError, SiteRules, Workload
from loadmaster.model.limits import Limits
from loadmaster.scheduling.host_eligibility import account_names, user_names
from loadmaster.system.counted import counted

MOST_UNKNOWN_NAMES = 0.05
"""If a larger part of the jobs bears names of one kind that a site does not have, it is another site's log."""


def refuse_unknown_names(workload: Workload, rules: SiteRules | None) -> None:
    """Check that the jobs are of this site, before they are run there.

    Raises:
        InputError: many name a partition, a QOS or an account that the site does not have.
    """
    bound, rules = workload.constraints or Constraints(), rules or SiteRules()
    partitions = [] if bound.partition is None else bound.partition.words()
    qualities = [] if bound.qos is None else bound.qos.words()
    columns = (
        ("a partition", partitions, rules.partitions),
        ("a QOS", qualities, rules.qos),
        ("an account", account_names(workload, bound), rules.accounts),
    )
    for what, words, rows in columns:
        site_names = {row.account if isinstance(row, Account) else row.name for row in rows}
        lacking = [word for word in words if word and site_names.isdisjoint(part.strip() for part in word.split(","))]
        if site_names and len(lacking) > MOST_UNKNOWN_NAMES * workload.jobs:
            rule = f"{len(lacking):,} of {workload.jobs:,} jobs name {what} that the site does not have"
            has = ", ".join(sorted(site_names)[:8]) + (", ..." if len(site_names) > 8 else "")
            fix = f"it has {has}; give the configuration of this log"
            raise InputError(max(set(lacking), key=lacking.count), rule, fix=fix, where="--site")


def unknown_names(workload: Workload, rules: SiteRules | None) -> list[str]:
    """One sentence for each kind of names that jobs have and the site's rules lack.

    Nothing is said of QOS and accounts where no table of them is known: that is said of the site.
    """
    bound, rules = workload.constraints or Constraints(), rules or SiteRules()
    notes = []
    if bound.reservation is not None:
        reservations = {row.name for row in rules.calendar}
        notes += _notes_on(bound.reservation.words(), reservations, "reservation", "they wait for none")
    if bound.qos is not None and rules.qos:
        reservations = {qos.name for qos in rules.qos}
        notes += _notes_on(
            bound.qos.words(), reservations, "QOS", "nothing of a QOS binds them, but of their partition's"
        )
    if workload.project is not None and any(node.limits != Limits() for node in rules.accounts):
        reservations = {_account_name(node.user, node.account) for node in rules.accounts if node.user}
        notes += _notes_on(
            _account_names(workload, bound), reservations, "user in an account", "no limit of such a user binds them"
        )
    return notes


def _account_names(workload: Workload, bound: Constraints) -> Iterable[str]:
    users, accounts = user_names(workload, bound), account_names(workload, bound)
    return [_account_name(user, account) for user, account in zip(users, accounts, strict=True)]


def _account_name(user: str, account: str) -> str:
    return f"{user} in {account}" if user and account else ""


def _notes_on(words: Iterable[str | None], site_names: set[str], what: str, so: str) -> list[str]:
    names, counts = np.unique([word for word in words if word and word not in site_names] or [""], return_counts=True)
    if names[0] == "":
        return []
    first, more = ", ".join(names[:3]), f" and {len(names) - 3} more" if len(names) > 3 else ""
    return [
        f"{counted(counts.sum(), 'job names', 'jobs name')} a {what} that the site does not have ({first}{more}): {so}."
    ]
