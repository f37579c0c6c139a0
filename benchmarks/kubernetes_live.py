"""How long a real API server takes to be listed, watched and bound; the same pods by Kubernetes' scheduler and by us.

Run: python benchmarks/kubernetes_live.py (needs what tools/kubernetes-for-tests.sh builds)
"""

import json
import random
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "set_ups"))

import real_kubernetes as rk

from loadmaster.live.kubernetes.api import Api
from loadmaster.live.kubernetes.engine import NODES, PODS, KubernetesEngine
from loadmaster.live.queue.ledger import Ledger
from loadmaster.live.queue.listing import listing_of
from loadmaster.live.session.engine import Observation
from loadmaster.model.actions import Start
from loadmaster.model.snapshot import Decision
from loadmaster.packing.constrained.evaluate import broken_by
from loadmaster.packing.kubernetes_problem import read_kubernetes_problem
from loadmaster.runs import Setting, discipline_of, policy_of, sources_of
from loadmaster.scheduling import Scheduler

NODE_COUNT, POD_COUNT, REPEATS = 50, 1000, 9
ZONES, SETTLED_S = 4, 30.0
SMALL, LARGE = (300, 24), (5000, 400)
"""Pods and nodes of the two comparisons."""
RULES = {SMALL: ("mix-fit", "first-fit", "worse-fit-cores", "max-jobs"), LARGE: ("mix-fit",)}
CORES, GIB = 16, 56
ZONE, REQUIRED = "topology.kubernetes.io/zone", "requiredDuringSchedulingIgnoredDuringExecution"


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


def mixed_nodes(many: int) -> list[dict[str, Any]]:
    """Nodes of 16 cores and 56 GiB in four zones."""
    has = {"cpu": str(CORES), "memory": f"{GIB}Gi", "pods": "110"}
    status = {"capacity": has, "allocatable": has, "conditions": [{"type": "Ready", "status": "True"}]}
    labels = [{"kubernetes.io/hostname": f"n{k}", ZONE: f"z{k % ZONES}"} for k in range(many)]
    return [{"metadata": {"name": f"n{k}", "labels": of}, "spec": {}, "status": status} for k, of in enumerate(labels)]


def mixed_pods(scheduler: str, many: int = SMALL[0]) -> list[dict[str, Any]]:
    """Pods that request a little more than the nodes have; of 300, 120 have a rule that looks at other pods."""
    times = -(-many // SMALL[0])
    rng, pods = random.Random(1), list[dict[str, Any]]()

    def add(name: str, app: str, asks: tuple[int, int], **rules: Any) -> None:
        container = {"name": "c", "image": "none", "resources": {"requests": _amounts(*asks)}} | rules.pop("more", {})
        spec = {"schedulerName": scheduler, "containers": [container], **rules}
        pods.append({"metadata": {"name": name, "namespace": "default", "labels": {"app": app}}, "spec": spec})

    for k in range(16 * times):
        chosen = {"matchLabels": {"app": f"web{k}"}}
        apart = {REQUIRED: [{"topologyKey": "kubernetes.io/hostname", "labelSelector": chosen}]}
        spread = {"topologyKey": ZONE, "maxSkew": 1, "whenUnsatisfiable": "DoNotSchedule", "labelSelector": chosen}
        near = {"podAffinity": {REQUIRED: [{"topologyKey": ZONE, "labelSelector": chosen}]}}
        rules = {"affinity": {"podAntiAffinity": apart}, "topologySpreadConstraints": [spread]}
        for each in range(5):
            add(f"web{k}-{each}", f"web{k}", (1, 2), **rules)
        for each in range(2):
            add(f"cache{k}-{each}", f"cache{k}", (1, 6), affinity=near)
    for k in range(8 * times):
        add(f"proxy-{k}", "proxy", (1, 1), more={"ports": [{"containerPort": 8080, "hostPort": 8080}]})
    for k in range(180 * times):
        add(f"plain-{k}", "plain", rng.choice([(1, 1), (1, 8), (2, 2), (1, 12), (3, 4)]))
    rng.shuffle(pods)
    return pods[:many]


def _amounts(cores: int, gibibytes: int) -> dict[str, str]:
    return {"cpu": str(cores), "memory": f"{gibibytes}Gi"}


class Placed(NamedTuple):
    """What became of the pods: how many have a node, cores and GiB of these, seconds to the last, rules broken.

    Stranded are the free cores of nodes on which no pod that waits has room.
    """

    pods: int
    cores: int
    gibibytes: int
    stranded: int
    seconds: float
    broken: int


def placed_by(real: rk.RealKubernetes, scheduler: str, many: int) -> Placed:
    """Add the pods, and wait until no more of them get a node."""
    begun, bound = time.perf_counter(), 0
    for item in mixed_pods(scheduler, many):
        real.add_pod(item)
    last = time.perf_counter()
    while time.perf_counter() - last < SETTLED_S:
        items = real.items("pods")
        now = sum(1 for item in items if item["spec"].get("nodeName"))
        if now > bound:
            bound, last = now, time.perf_counter()
        time.sleep(0.1 if many < 1000 else 2.0)
    free = {item["metadata"]["name"]: (CORES, GIB) for item in real.items("nodes")}
    for item in items:
        if node := item["spec"].get("nodeName"):
            cores, memory = _asked(item)
            free[node] = free[node][0] - cores, free[node][1] - memory
    waiting = {_asked(item) for item in items if not item["spec"].get("nodeName")}
    full = [cores for cores, memory in free.values() if not any(c <= cores and m <= memory for c, m in waiting)]
    used = [(CORES - cores, GIB - memory) for cores, memory in free.values()]
    cores, memory = (sum(each) for each in zip(*used, strict=True))
    return Placed(bound, cores, memory, sum(full), last - begun, rules_broken(real))


def _asked(item: dict[str, Any]) -> tuple[int, int]:
    """Cores and GiB."""
    requests = item["spec"]["containers"][0]["resources"]["requests"]
    return int(requests["cpu"]), int(requests["memory"].removesuffix("Gi"))


def rules_broken(real: rk.RealKubernetes) -> int:
    """How many rules of Kubernetes the pods that have a node break, as plans see it."""
    kinds = {"nodes": "Node", "pods": "Pod"}
    items = [{"apiVersion": "v1", "kind": kind, **each} for name, kind in kinds.items() for each in real.items(name)]
    with TemporaryDirectory() as folder:
        (state := Path(folder) / "state.json").write_text(json.dumps({"apiVersion": "v1", "items": items}))
        problem = read_kubernetes_problem(state).problem
    return sum(1 for rule in problem.constraints for _ in broken_by(rule, problem, problem.now))


def side_by_side(many: int, nodes: int) -> None:
    """The same pods on the same nodes, by Kubernetes' own scheduler and by us; one line each."""
    print(f"\n{f'{many:,} pods on {nodes} nodes':28} pods  cores    GiB  stranded  seconds  rules broken")
    for name in ("kube-scheduler", *RULES[many, nodes]):
        with rk.real_kubernetes(scheduler=name == "kube-scheduler") as real, ExitStack() as ours:
            for item in mixed_nodes(nodes):
                real.add_node(item)
            if name == "kube-scheduler":
                found = placed_by(real, "default-scheduler", many)
            else:
                command = [sys.executable, "-m", "loadmaster", "live", "kubernetes", "--kubeconfig", str(real.config())]
                folder = ours.enter_context(TemporaryDirectory())
                options = ["--policy", name, "--discipline", "priority+skip", "--interval", "1s", "-o", folder]
                with subprocess.Popen([*command, *options], stdout=subprocess.PIPE, text=True) as run:
                    until_it_runs(real)
                    found = placed_by(real, "loadmaster", many)
                    run.terminate()
        print(
            f"{name:28} {found.pods:4} {found.cores:6} {found.gibibytes:6} {found.stranded:9} {found.seconds:8.1f} "
            f"{found.broken:8}",
            flush=True,
        )


def until_it_runs(real: rk.RealKubernetes) -> None:
    """Wait until our run has compiled and taken its Lease."""
    lease = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/loadmaster"
    while not real.api.ask("GET", lease).good:
        time.sleep(0.2)


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
    for size in (SMALL, LARGE):
        side_by_side(*size)


if __name__ == "__main__":
    main()
