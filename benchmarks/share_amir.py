"""The study of Amir et al. 2000, 3,000 executions of all eight methods: seconds on one thread and on all cores.

Run: PYTHONPATH=src python benchmarks/share_amir.py [EXECUTIONS]
"""

import os
import sys
import time

from loadmaster.papers.amir2000.study import BLOCK, Setup, run_block, run_study

METHODS = ("pvm", "e-pvm", "d-pvm", "mosix", "e-mosix", "assign-u", "assign-u-r", "greedy")


def main() -> None:
    executions = int(sys.argv[1]) if len(sys.argv) > 1 else 3000
    setup = Setup(methods=METHODS, executions=executions)
    run_block(setup, 0, 1)
    for method in METHODS:
        begin = time.perf_counter()
        run_block(Setup(methods=(method,)), 0, BLOCK)
        print(f"{method:>12}: {(time.perf_counter() - begin) / BLOCK * 1e3:6.2f} ms an execution, one thread")
    begin = time.perf_counter()
    run_study(setup)
    seconds = time.perf_counter() - begin
    print(f"{executions} executions x {len(METHODS)} methods: {seconds:.1f} s on {os.cpu_count()} cores")


if __name__ == "__main__":
    main()
