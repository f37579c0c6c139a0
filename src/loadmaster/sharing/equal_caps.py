"""Equal caps: no task gets more than its equal part of the host; what one task leaves is lost."""

from dataclasses import dataclass

import numpy as np

from loadmaster.model.arrays import Floats
from loadmaster.sharing.model import Claims


@dataclass(frozen=True)
class EqualCaps:
    """Hosts whose containers are capped by a quota each, as with a CPU limit in Kubernetes (rule S13).

    Example:
        >>> model, host = EqualCaps(), np.array([3.0])
        >>> model.yields(np.array([[0.5], [2.0], [4.0]]), host, None).tolist()
        [1.0, 0.5, 0.25]
    """

    name: str = "equal-caps"

    def yields(self, demand: Floats, capacity: Floats, claims: Claims) -> Floats:
        """Cores over tasks that request any, over what each requests (see `SharingModel`); no claim is looked at."""
        asked = demand[:, 0]
        cap = capacity[0] / max(np.count_nonzero(asked), 1)
        return np.asarray(np.minimum(1.0, np.divide(cap, asked, out=np.ones(len(asked)), where=asked > 0.0)))
