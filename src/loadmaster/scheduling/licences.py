"""What jobs hold of licences and burst buffers, and what the cluster has of each (rule C13)."""

import numpy as np

from loadmaster.model import Constraints, SiteRules, Workload
from loadmaster.model.arrays import Bools, Floats
from loadmaster.model.licences import parse_licences

TOO_MANY_LICENCES = "it requests more of a licence than the cluster has"


class LicenceUses:
    """The licences that J jobs request, of those that the cluster counts.

    Attributes:
        total: name and amount of each of the L licences that some job requests, in the order of the site.
        held: float64[J, L], what each job holds of them.
    """

    def __init__(self, workload: Workload, rules: SiteRules, bound: Constraints) -> None:
        column = bound.licences if rules.licences else None
        texts = () if column is None else column.names
        code = np.full(workload.jobs, -1) if column is None else column.code
        by_code = [*map(dict, map(parse_licences, texts)), {}]  # the last for -1: a job that requests none
        asked = {name for each in np.unique(code).tolist() for name, amount in by_code[each].items() if amount > 0}
        self.total = {name: amount for name, amount in rules.licences if name in asked}
        self.held: Floats = np.array([[each.get(name, 0.0) for name in self.total] for each in by_code])[code]


def beyond_licences(workload: Workload, rules: SiteRules, bound: Constraints) -> Bools:
    """bool[J]: the jobs that request more of a licence than there is."""
    uses = LicenceUses(workload, rules, bound)
    return np.asarray((uses.held > np.array(list(uses.total.values()))).any(axis=1))
