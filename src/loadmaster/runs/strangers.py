"""Names of jobs that a site does not have: nothing of them binds, and a user must know that (rule L9)."""

from collections.abc import Iterable

import numpy as np

from loadmaster.model import Constraints, SiteRules, Workload
from loadmaster.model.limits import Limits
from loadmaster.schedule.binding_hosts import account_names, user_names


def strangers(workload: Workload, rules: SiteRules | None) -> list[str]:
    """One sentence for each kind of names that jobs have and the site's rules lack.

    Nothing is said of QOS and accounts where no table of them is known: that is said of the site.
    """
    bound, rules = workload.constraints or Constraints(), rules or SiteRules()
    notes = []
    if bound.reservation is not None:
        known = {row.name for row in rules.calendar}
        notes += _said(bound.reservation.words(), known, "reservation", "they wait for none")
    if bound.qos is not None and rules.qos:
        known = {qos.name for qos in rules.qos}
        notes += _said(bound.qos.words(), known, "QOS", "nothing of a QOS binds them, but of their partition's")
    if workload.project is not None and any(node.limits != Limits() for node in rules.accounts):
        known = {_payer(node.user, node.account) for node in rules.accounts if node.user}
        notes += _said(_payers(workload, bound), known, "user in an account", "no limit of such a user binds them")
    return notes


def _payers(workload: Workload, bound: Constraints) -> Iterable[str]:
    users, accounts = user_names(workload, bound), account_names(workload, bound)
    return [_payer(user, account) for user, account in zip(users, accounts, strict=True)]


def _payer(user: str, account: str) -> str:
    return f"{user} in {account}" if user and account else ""


def _said(words: Iterable[str | None], known: set[str], what: str, so: str) -> list[str]:
    names, counts = np.unique([word for word in words if word and word not in known] or [""], return_counts=True)
    if names[0] == "":
        return []
    first, more = ", ".join(names[:3]), f" and {len(names) - 3} more" if len(names) > 3 else ""
    return [f"{int(counts.sum()):,} jobs name a {what} that the site does not have ({first}{more}): {so}."]
