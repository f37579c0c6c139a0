"""Placement policies: each rates one host for one task; the lowest rated host that fits is taken."""

from collections.abc import Callable, Mapping

from loadmaster.place.assign_u import assign_u
from loadmaster.place.balanced_allocation import balanced_allocation
from loadmaster.place.best_fit import best_fit_cores, best_fit_memory
from loadmaster.place.borg_like import borg_like
from loadmaster.place.derivative_cost import derivative_cost
from loadmaster.place.dot_product import dot_product
from loadmaster.place.first_fit import first_fit
from loadmaster.place.greedy_load import greedy_load
from loadmaster.place.least_allocated import least_allocated
from loadmaster.place.least_loaded import least_loaded
from loadmaster.place.mix_fit import mix_fit, mix_fit_origin
from loadmaster.place.most_allocated import most_allocated
from loadmaster.place.norm_greedy import norm_greedy
from loadmaster.place.opportunity_cost import opportunity_cost
from loadmaster.place.policy import Context, Policy, Score
from loadmaster.place.random_host import random_host
from loadmaster.place.requested_to_capacity_ratio import requested_to_capacity_ratio
from loadmaster.place.round_robin import round_robin
from loadmaster.place.worse_fit import worse_fit_cores, worse_fit_memory

_SHAI = "Shai 2014"
_KUBERNETES = "Kubernetes' scheduler"

POLICIES: dict[str, Policy] = {
    policy.name: policy
    for policy in (
        Policy("first-fit", first_fit, "the first host in the list", _SHAI),
        Policy("best-fit-cores", best_fit_cores, "least free cores", _SHAI),
        Policy("best-fit-memory", best_fit_memory, "least free memory", _SHAI),
        Policy("worse-fit-cores", worse_fit_cores, "most free cores", _SHAI),
        Policy("worse-fit-memory", worse_fit_memory, "most free memory", _SHAI),
        Policy("mix-fit", mix_fit, "what is left closest to balance", _SHAI),
        Policy("mix-fit-origin", mix_fit_origin, "what is used closest to balance", _SHAI),
        Policy(
            "opportunity-cost", opportunity_cost, "least growth of a cost exponential in use",
            "Amir et al. 2000", contextual=True,
        ),
        Policy(
            "derivative-cost", derivative_cost, "least slope of that cost in the direction of the demand",
            "Amir et al., later slides", contextual=True,
        ),
        Policy("assign-u", assign_u, "least growth of a cost exponential in CPU load", "Aspnes et al. 1993"),
        Policy("greedy-load", greedy_load, "smallest CPU load after placing", "Bartal et al. 1992"),
        Policy("dot-product", dot_product, "free resources most like the demand", "Singh et al. 2008"),
        Policy("norm-greedy", norm_greedy, "least left of all resources together", "Panigrahy et al. 2011"),
        Policy("least-loaded", least_loaded, "smallest used fraction of the scarcest resource"),
        Policy("least-allocated", least_allocated(), "largest part left of cores and memory, in percent", _KUBERNETES),
        Policy("most-allocated", most_allocated(), "largest part used of cores and memory, in percent", _KUBERNETES),
        Policy("balanced-allocation", balanced_allocation(), "cores and memory used to like parts", _KUBERNETES),
        Policy(
            "requested-to-capacity-ratio", requested_to_capacity_ratio(),
            "highest on a curve over the percentages used: the fuller the better", _KUBERNETES,
        ),
        Policy(
            "borg-like", borg_like(), "half opportunity-cost, half what would be stranded", "after Verma et al. 2015",
            contextual=True,
        ),
        Policy(
            "round-robin", round_robin, "the next host after the last used", "Amir et al. 2000",
            contextual=True, varies=True,
        ),
        Policy("random", random_host, "any host that fits", contextual=True, varies=True),
    )
}  # fmt: skip
"""Every built-in placement policy by its name on the command line."""

FACTORIES: Mapping[str, Callable[..., Score]] = {
    "least-allocated": least_allocated, "most-allocated": most_allocated, "balanced-allocation": balanced_allocation,
    "requested-to-capacity-ratio": requested_to_capacity_ratio, "borg-like": borg_like,
}  # fmt: skip
"""What makes the policies that have parameters, which stand in parentheses behind their names."""

__all__ = ["FACTORIES", "POLICIES", "Context", "Policy", "Score"]
