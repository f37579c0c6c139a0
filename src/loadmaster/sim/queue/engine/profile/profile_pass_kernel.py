"""A pass of conservative backfilling over the queue, compiled, and when the next one is due."""
# mypy: disable-error-code="no-untyped-def"

import numpy as np

from loadmaster.jit.kernels import inner
from loadmaster.sim.queue.engine.profile.earliest_start_kernel import last_taken
from loadmaster.sim.queue.engine.profile.kept_profile_kernel import serve_kept, wake_s
from loadmaster.sim.queue.engine.profile.replan_kernel import serve_anew
from loadmaster.sim.queue.engine.state import LAST_HOST, PLANNED, UNDO, WAITING


@inner
def serve_profile(engine, plan, kept, replan, now_s):
    """Make one pass; its starts go to plan_job[1] and the undo list. Returns wrong or 0."""
    plan.state.tally[UNDO] = plan.state.tally[PLANNED] = 0
    wrong = 0
    if kept is not None:
        wrong = serve_kept(engine, plan, now_s)
    if replan is not None:
        wrong = serve_anew(engine, plan, now_s)
    plan.state.tally[LAST_HOST] = last_taken(plan.state)
    return wrong


@inner
def next_due(plan, kept):
    """When the next reservation begins, infinite if there is none."""
    if kept is None or plan.state.tally[WAITING] == 0:
        return np.inf
    return wake_s(plan)
