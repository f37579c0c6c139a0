"""What jobs hold of licences and burst buffers, and what the cluster has of each (rule C13)."""

import numpy as np

from loadmaster.model import Constraints, SiteRules, Workload
from loadmaster.model.arrays import Bools
from loadmaster.model.licences import parse_licences
from loadmaster.model.limits import Amounts

TOO_MANY_LICENCES = "it asks for more of a licence than the cluster has"


class LicenceUses:
    """The licences that jobs ask for, of those that the cluster counts.

    Attributes:
        total: name and amount, of those that some job asks for, in the order of the site.
    """

    def __init__(self, rules: SiteRules, bound: Constraints) -> None:
        self._column = bound.licences if rules.licences else None
        counted = dict(rules.licences)
        names = () if self._column is None else self._column.names
        by_code = [parse_licences(text) for text in names]
        self._by_code = [tuple((name, n) for name, n in each if name in counted and n > 0) for each in by_code]
        used = set() if self._column is None else {int(code) for code in np.unique(self._column.code) if code >= 0}
        asked = {name for code in used for name, _ in self._by_code[code]}
        self.total = {name: amount for name, amount in rules.licences if name in asked}

    def of(self, job: int) -> Amounts:
        """Name and amount of what one job holds."""
        code = -1 if self._column is None else int(self._column.code[job])
        return self._by_code[code] if code >= 0 else ()


def beyond_licences(workload: Workload, rules: SiteRules, bound: Constraints) -> Bools:
    """bool[J]: the jobs that ask for more of a licence than there is."""
    uses = LicenceUses(rules, bound)
    beyond = np.zeros(workload.jobs, bool)
    for job in range(workload.jobs if uses.total else 0):
        beyond[job] = any(amount > uses.total[name] for name, amount in uses.of(job))
    return beyond
