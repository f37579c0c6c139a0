"""Every order once, in front of EASY: `python benchmarks/orders.py [--beside COMMIT] [--only WORDS]`.

What ranking the queue costs beside first come, first served: 50,000 jobs of the NetBatch generator (mix A, seed 1) on
300 hosts at load 1.1, a cycle every 30 s, best-fit-cores.
"""

from collections.abc import Iterator
from functools import cache, partial

from two_commits import Case, main

from loadmaster.order import ORDERS, ORDERS_WITH_MEMORY
from loadmaster.place import POLICIES
from loadmaster.scheduling import discipline_named
from loadmaster.sim.queue import simulate
from loadmaster.traces import Trace, generate_netbatch

JOBS = 50_000
WEIGHTED = {"multifactor": "multifactor(age=1000,size=500)"}
"""Without weights multifactor is first come, first served."""


def cases() -> Iterator[Case]:
    for order in (*ORDERS, *ORDERS_WITH_MEMORY):
        yield Case(f"{WEIGHTED.get(order, order)}+easy", partial(ready, f"{WEIGHTED.get(order, order)}+easy"))


def ready(discipline):  # type: ignore[no-untyped-def]
    rule = discipline_named(discipline)
    return partial(simulate, log().workload, log().cluster, POLICIES["best-fit-cores"], rule, interval_s=30.0)


@cache
def log() -> Trace:
    return generate_netbatch("A", jobs=JOBS, hosts=300, load=1.1, longest_run_s=6 * 3600.0, seed=1)


if __name__ == "__main__":
    main(["orders"], __doc__)
