"""10,000 coupled jobs on 64 machines of 4 VMs: seconds a run for each choice of VMs.

Run: PYTHONPATH=src python benchmarks/share_vms.py [FOLDER WITH CTC-SP2-1996-3.1-cln.swf.gz]
"""

import statistics
import sys
import time
from pathlib import Path

from loadmaster.papers.delgado2011.streams import at_load, ctc
from loadmaster.sharing.virtual_machines import VirtualMachines
from loadmaster.sharing.vm_choice import VM_CHOICES
from loadmaster.sim.vms.simulation import VmProblem, simulate_vms


def main() -> None:
    stream = ctc(Path(sys.argv[1]) if len(sys.argv) > 1 else None, 10_000)
    print(f"{stream.name}, {stream.workload.jobs} jobs")
    print(f"{'shares':>12} {'load':>5} {'choice':>8} {'seconds':>8} {'spread':>7} {'events/s':>9} {'rounds/event':>13}")
    for shares in ((1, 1, 1, 1), (1, 1, 2, 4)):
        vms = VirtualMachines.alike(64, shares)
        for load in (0.3, 0.7):
            workload = at_load(stream.workload, 64, load)
            for choice in VM_CHOICES:
                simulate_vms(VmProblem(workload.take(slice(0, 20)), vms, choice))
                seconds = []
                for _ in range(3):
                    begin = time.perf_counter()
                    run = simulate_vms(VmProblem(workload, vms, choice))
                    seconds.append(time.perf_counter() - begin)
                middle = statistics.median(seconds)
                spread = (max(seconds) - min(seconds)) / middle
                print(
                    f"{shares!s:>12} {load:>5} {choice:>8} {middle:>8.2f} {spread:>7.0%} "
                    f"{run.events / middle:>9,.0f} {run.rounds / run.events:>13.1f}",
                    flush=True,
                )


if __name__ == "__main__":
    main()
