"""Microseconds a job on many shared hosts: Mosix and its enhancement, opportunity cost, choices of VMs.

Run: PYTHONPATH=src python benchmarks/share_growth.py [SRC OF ANOTHER VERSION]

With the `src` folder of another version of the package the same cases run there too, in a process of their own, and the
last column says how many times as long they take.
"""

import json
import os
import subprocess
import sys
import time

import numpy as np

from loadmaster.model import Cluster, Workload
from loadmaster.scheduling.time_shared import method_named
from loadmaster.sharing.virtual_machines import VirtualMachines
from loadmaster.sim.timeshared.problem import TimesharedProblem
from loadmaster.sim.timeshared.simulation import simulate_timeshared
from loadmaster.sim.vms.simulation import VmProblem, simulate_vms

TIMES = 2


def stream(jobs: int, hosts: int, load: float, seed: int = 1) -> Workload:
    """Serial jobs of 60 s in the mean, each with a memory of its own: no two demands are alike."""
    rng = np.random.default_rng(seed)
    work, memory = rng.exponential(60.0, jobs), rng.uniform(0.0, 4.0, jobs)
    submit = np.cumsum(rng.exponential(60.0 / (load * hosts), jobs))
    return Workload(("cores", "memory"), submit, work, np.column_stack((np.ones(jobs), memory)), synthetic=True)


def time_shared(method: str, hosts: int, load: float, jobs: int) -> tuple[float, int]:
    """Seconds of the fastest of some runs, and the jobs of one."""
    problem = TimesharedProblem(
        stream(jobs, hosts, load), Cluster.uniform(hosts, cores=1, memory=8), method_named(method)
    )
    simulate_timeshared(TimesharedProblem(problem.workload.take(slice(0, 20)), problem.cluster, problem.method))
    return _fastest(lambda: simulate_timeshared(problem)), jobs


def on_vms(choice: str, hosts: int, load: float, jobs: int) -> tuple[float, int]:
    """The same for jobs of 1 to 64 tasks on hosts of four VMs."""
    rng = np.random.default_rng(1)
    work, tasks = rng.exponential(3600.0, jobs), 2 ** rng.integers(0, 7, jobs)
    submit = np.cumsum(rng.exponential(float((work * tasks).mean()) / (load * hosts), jobs))
    workload = Workload(("cores",), submit, work, np.ones((jobs, 1)), tasks=tasks, synthetic=True)
    problem = VmProblem(workload, VirtualMachines.alike(hosts, (1, 1, 2, 4)), choice)
    simulate_vms(VmProblem(workload.take(slice(0, 20)), problem.vms, choice))
    return _fastest(lambda: simulate_vms(problem)), jobs


CASES = {
    **{
        f"{method}, {hosts} hosts, load {load}": (time_shared, (method, hosts, load, 3000))
        for hosts in (16, 64, 256, 1000)
        for load in (0.8, 1.2)
        for method in ("mosix", "e-mosix")
    },
    **{
        f"{method}, 1000 hosts, load {load}": (time_shared, (method, 1000, load, 20_000))
        for load in (0.8, 1.2)
        for method in ("e-pvm", "d-pvm")
    },
    **{
        f"{choice}, 512 hosts, load {load}": (on_vms, (choice, 512, load, 300))
        for load in (0.3, 0.7)
        for choice in ("pc-g", "pc-sg", "pcfc-sg", "ec", "pmvm")
    },
}


def measured(part: str) -> dict[str, float]:
    """Microseconds a job of every case with `part` in its name."""
    found = {}
    for name, (measure, arguments) in CASES.items():
        if part in name:
            seconds, jobs = measure(*arguments)
            found[name] = seconds / jobs * 1e6
    return found


def _fastest(run) -> float:  # type: ignore[no-untyped-def]
    seconds = []
    for _ in range(TIMES):
        begin = time.process_time()
        run()
        seconds.append(time.process_time() - begin)
    return min(seconds)


def _elsewhere(src: str, part: str) -> dict[str, float]:
    """The same measured in another version."""
    environment = {**os.environ, "PYTHONPATH": src}
    done = subprocess.run(
        [sys.executable, __file__, "--json", part], env=environment, check=True, capture_output=True, text=True
    )
    found: dict[str, float] = json.loads(done.stdout)
    return found


def main() -> None:
    words = sys.argv[1:]
    if words[:1] == ["--json"]:
        print(json.dumps(measured(words[1])))
        return
    part = words[1] if len(words) > 1 else ""
    here = measured(part)
    there = _elsewhere(words[0], part) if words else {}
    print(f"{'case':<36} {'us a job':>9} {'there':>9} {'times':>6}")
    for name, cost in here.items():
        other = there.get(name)
        columns = "" if other is None else f" {other:>9.1f} {other / cost:>6.1f}"
        print(f"{name:<36} {cost:>9.1f}{columns}", flush=True)


if __name__ == "__main__":
    main()
