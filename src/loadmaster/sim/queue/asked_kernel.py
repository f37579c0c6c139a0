"""The moments of a run in which somebody outside decides: what starts, ends, fails and comes between two passes."""
# mypy: disable-error-code="no-untyped-def"

from loadmaster.kernels import inner
from loadmaster.sim.queue.bound_state import DECIDED, HEARD
from loadmaster.sim.queue.queue_kernel import commit, go_on_bound


@inner
def step(jobs, rules, state, waiting, ranked, stairs, ends, scores, log, bound):
    """What was decided starts, if something was; then all that happens before the next pass.

    Returns its moment, infinite if there is none. Who has left the hosts stands in `bound.news`.
    """
    if bound.tally[DECIDED] != 0:
        bound.tally[DECIDED] = 0
        commit(jobs, rules, state, waiting, ranked, ends, log, bound, bound.clock[0])
    bound.tally[HEARD] = 0
    return go_on_bound(jobs, rules, state, waiting, ranked, stairs, ends, scores, log, bound)
