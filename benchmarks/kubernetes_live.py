"""How long a real API server takes to be listed, watched and bound: 50 nodes, 1,000 pods.

Run: python benchmarks/kubernetes_live.py (needs what tools/kubernetes-for-tests.sh builds)
"""

import statistics
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

import real_kubernetes as rk

from loadmaster.live.kubernetes.api import Api
from loadmaster.live.kubernetes.engine import NODES, PODS, KubernetesEngine
from loadmaster.live.queue.ledger import Ledger
from loadmaster.live.queue.listing import listing_of
from loadmaster.live.session.engine import Observation
from loadmaster.model.actions import Start
from loadmaster.model.snapshot import Decision
from loadmaster.runs import Setting, discipline_of, policy_of, sources_of
from loadmaster.scheduling import Scheduler

NODE_COUNT, POD_COUNT, REPEATS = 50, 1000, 9


def filled(real: rk.RealKubernetes) -> None:
    """Nodes that are ready, and pods that wait for us."""
    has = {"cpu": "16", "memory": "64Gi", "pods": "110"}
    status = {"capacity": has, "allocatable": has, "conditions": [{"type": "Ready", "status": "True"}]}
    for k in range(NODE_COUNT):
        real.add_node({"metadata": {"name": f"n{k}"}, "spec": {}, "status": status})
    for k in range(POD_COUNT):
        asks = {"cpu": str(1 + k % 2), "memory": f"{1 + k % 7}Gi"}
        each = {"name": "c", "image": "none", "resources": {"requests": asks}}
        spec = {"schedulerName": "loadmaster", "containers": [each], "activeDeadlineSeconds": 3600}
        real.add_pod({"metadata": {"name": f"p{k}", "namespace": "default"}, "spec": spec})


def timed(name: str, what: Callable[[], object]) -> None:
    """Print the least, the median and the most of some repetitions, in wall time."""
    took_ms = []
    for _ in range(REPEATS):
        begun = time.perf_counter()
        what()
        took_ms.append(1000 * (time.perf_counter() - begun))
    print(f"{name:42} {min(took_ms):7.1f} {statistics.median(took_ms):7.1f} {max(took_ms):7.1f} ms", flush=True)


def decided_on(seen: Observation, scheduler: Scheduler) -> Decision:
    """A first observation understood, and decided on."""
    ledger = Ledger(scheduler.discipline.order)
    ledger.see(listing_of(seen), 1.0)
    snapshot = ledger.snapshot()
    assert snapshot is not None
    return scheduler.decide(snapshot)


def main() -> None:
    """Measure all of it."""
    if why := rk.why_not():
        sys.exit(why)
    with rk.real_kubernetes(scheduler=False) as real:
        filled(real)
        api = Api(real.config())
        print(f"{'':42}   least  median    most")
        timed("list nodes", lambda: api.read(NODES))
        timed("list pods", lambda: api.read(PODS))
        polls = KubernetesEngine(api, looks_on=True, watch=False)
        timed("observe, listing all", polls.observe)
        engine = KubernetesEngine(api)
        timed("observe, watching", engine.observe)
        seen = engine.observe()
        for policy, discipline in (("mix-fit", "easy"), ("max-jobs", "easy"), ("mix-fit", "multifactor+easy")):
            setting = Setting(policy, discipline)
            scheduler = Scheduler(policy_of(setting, sources_of(setting)), discipline_of(setting, sources_of(setting)))
            decided_on(seen, scheduler)  # compiled, or read from disk
            timed(f"understand and decide, {policy}, {discipline}", partial(decided_on, seen, scheduler))
        ids = iter(seen.ids)
        timed("bind one pod", lambda: engine.act(Start(next(ids), ("n0",))))
        engine.close()


if __name__ == "__main__":
    main()
