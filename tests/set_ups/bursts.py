"""Small problems that fill what engines keep of a cycle: complementary demands, bursts, backlogs and bags of one kind.

What a host holds of the jobs together is far more than it holds of any one kind.
"""

from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st

from loadmaster.model import Cluster, Workload

NAMES = ("cores", "memory", "bandwidth", "licences")


@dataclass(frozen=True)
class Shape:
    """How jobs come: at how many moments, so far apart, and for how long each runs at most."""

    moments: int
    apart_s: int
    longest_s: int


SHAPES = (
    Shape(moments=1, apart_s=1, longest_s=9),  # a burst on an empty cluster
    Shape(moments=1, apart_s=1, longest_s=900),  # a backlog that never lets go
    Shape(moments=3, apart_s=10, longest_s=10),  # bursts that meet the ends of those before
    Shape(moments=40, apart_s=3, longest_s=60),
)


@st.composite
def bursts(draw, single_task=False, resources=None, estimated=True, units=(1, 8, 100), speeds=False):
    """Up to four hosts, and jobs of few kinds: each asks much of some resources and little or none of others."""
    resources, unit = resources or draw(st.sampled_from([1, 2, 2, 3, 3, 4])), draw(st.sampled_from(units))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    capacity = rng.integers(1, 9, (draw(st.integers(1, 4)), resources)).astype(float)
    if draw(st.booleans()):
        capacity[:] = capacity[0]
    jobs = draw(st.sampled_from([1, 12, 40, 120]))
    kind = rng.integers(0, draw(st.integers(1, 6)), jobs)
    demand = complementary(rng, capacity.min(axis=0), int(kind.max()) + 1, unit)[kind]
    shape = draw(st.sampled_from(SHAPES))
    runtime_s = rng.integers(1, shape.longest_s + 1, jobs).astype(float)
    if draw(st.booleans()):  # as tasks of one bag: all as long
        runtime_s[:] = runtime_s[0]
    held = np.array([held_by_all(row, capacity) for row in demand])
    tasks = np.minimum(rng.choice([1, 1, 2, 5], jobs), held).astype(np.int32)
    speed = rng.choice([0.5, 1.0, 3.0], len(capacity)) if speeds and draw(st.booleans()) else None
    return Cluster(NAMES[:resources], capacity, speed=speed), Workload(
        NAMES[:resources],
        np.sort(rng.integers(0, shape.moments, jobs) * float(shape.apart_s)),
        runtime_s,
        demand,
        tasks=None if single_task else tasks,
        project=rng.integers(0, 3, jobs).astype(np.int32),
        estimate_s=np.ceil(runtime_s * rng.choice([0.5, 1.0, 2.0], jobs)) if estimated else None,
    )


def complementary(rng, capacity, kinds, unit):
    """float64[kinds, R]: what each kind requests in parts of `unit`, of each resource much, the least part or none."""
    much = np.floor(capacity * rng.choice([0.2, 0.5, 1.0], (kinds, 1)) * unit) / unit
    amount = np.where(rng.random(much.shape) < 0.4, np.maximum(much, 1 / unit), 1 / unit)
    return np.where(rng.random(much.shape) < 0.4, 0.0, amount)


def held_by_all(demand, capacity):
    """How many tasks the hosts hold together; five if they request nothing."""
    asked = demand > 0
    return int(np.floor(capacity[:, asked] / demand[asked]).min(axis=1).sum()) if asked.any() else 5


def wide_burst(seed: int) -> tuple[Workload, Cluster]:
    """Jobs of few, complementary kinds and several tasks that come in bursts to up to six hosts."""
    rng = np.random.default_rng([seed, 1])
    hosts, jobs = int(rng.integers(1, 7)), int(rng.integers(20, 80))
    capacity = np.column_stack((rng.integers(2, 9, hosts), rng.integers(4, 17, hosts)))
    if rng.random() < 0.5:
        capacity[:] = capacity[0]
    kinds = np.column_stack((rng.integers(0, 5, 4), rng.integers(0, 6, 4)))
    demand = np.minimum(kinds[rng.integers(0, len(kinds), jobs)], capacity.min(axis=0))
    runtime_s = rng.integers(1, 60, jobs).astype(float)
    workload = Workload(
        ("cores", "memory"),
        np.sort(rng.integers(0, 8, jobs) * float(rng.integers(1, 30))),
        runtime_s,
        demand,
        tasks=rng.choice([1, 1, 2, 5], jobs).astype(np.int32),
        estimate_s=runtime_s * rng.choice([0.5, 1.0, 3.0], jobs),
        user=rng.integers(0, 4, jobs).astype(np.int32),
        project=rng.integers(0, 3, jobs).astype(np.int32),
    )
    return workload, Cluster(("cores", "memory"), capacity)
