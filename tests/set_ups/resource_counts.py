"""Under how many resources tests compile each policy: a scan is compiled anew for each number, over a second each.

Every policy is tried with two resources and with another number, and every number with several policies: those of the
thesis with one, as logs of cores alone have, the others with three or four. First-fit is tried with all.
"""

from loadmaster.place import POLICIES
from loadmaster.scheduling import members_of

_ALONE = {
    "best-fit-cores", "best-fit-memory", "worse-fit-cores", "worse-fit-memory", "mix-fit", "round-robin", "random",
}  # fmt: skip
_OTHERS = [name for name in POLICIES if name not in _ALONE]
_COUNTS = {
    **{name: {2, 3 + number % 2} for number, name in enumerate(_OTHERS)},
    **{name: {1, 2} for name in _ALONE},
    "random": {1, 2, 3},
    "first-fit": {1, 2, 3, 4},
}


def resource_counts(policy):
    """The numbers of resources for a policy or a meta-rule, ascending; a policy of a test's own gets two and three."""
    counts = (_COUNTS.get(member.name, {2, 3}) for member in members_of(policy))
    return sorted(set.intersection(*counts))
