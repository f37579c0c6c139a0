"""What it costs that a host is not as full as the mean, and fuller of one resource than of another, compiled."""
# mypy: disable-error-code="no-untyped-def"

import math

from loadmaster.jit.kernels import inner
from loadmaster.packing.constrained.costs import MILLION


@inner
def uneven_cost(model, state, h, plus, minus):
    """Imbalance and stranded amount of host h with task `plus` added and task `minus` gone."""
    shapes, most, squares, stranded = model.shapes, 0.0, 0.0, 0.0
    for r in range(shapes.full.shape[1]):
        if shapes.full[h, r] > 0:
            load = _load_with(model, state, h, r, plus, minus)
            squares += (load - shapes.mean_load[r]) ** 2
            most = max(most, load)
    cost = shapes.imbalance_weight * math.floor(MILLION * squares + 0.5)
    if shapes.stranded_weight > 0:
        for r in range(shapes.full.shape[1]):
            if shapes.full[h, r] > 0:
                stranded += (most - _load_with(model, state, h, r, plus, minus)) * shapes.share[h, r]
        cost += shapes.stranded_weight * math.floor(MILLION * stranded + 0.5)
    return cost


@inner
def _load_with(model, state, h, r, plus, minus):
    """The part of resource r of host h that is requested."""
    use = state.use[h, r]
    if plus >= 0:
        use += model.tasks.demand[plus, r]
    if minus >= 0:
        use -= model.tasks.demand[minus, r]
    return use / model.shapes.full[h, r]
