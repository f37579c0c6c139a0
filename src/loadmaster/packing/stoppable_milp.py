"""A mixed integer program solved by HiGHS, if need be in a process of its own that is stopped at the time limit.

HiGHS looks at its clock only between some of its phases: on programs of a few thousand variables it may go on for many
times its limit, and nothing in the same process can stop it.
"""

import os
import subprocess
import sys
import time
from io import BytesIO
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

HERE_UP_TO = 300
"""Variables up to which HiGHS keeps its limit well enough to run in this process, which starts at once."""
MARGIN = 0.9
"""Of the time left HiGHS is given this part, so that it can hand over what it has before it is stopped."""

MOST_WAIT_S = 3e6
"""A month, for limits that the system's clock cannot count."""

LIMIT, INFEASIBLE, FAILED = 1, 2, 4


class Milp(NamedTuple):
    """Minimise cost @ x, low <= matrix @ x <= high, lower <= x <= upper, the first `integers` of x whole.

    Attributes:
        cost, lower, upper: float64[N]; low, high: float64[M].
        matrix: sparse M x N, by rows.
        integers: how many variables are whole.
    """

    cost: NDArray[np.float64]
    matrix: Any
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    lower: NDArray[np.float64]
    upper: NDArray[np.float64]
    integers: int


class Solution(NamedTuple):
    """How it ended: `status` 0 optimal, 1 stopped at the limit, 2 no solution, 4 failed; the best x, if any.

    Attributes:
        status: as scipy.optimize.milp has it.
        x: float64[N], None if no solution is known.
        bound: no solution costs less, as far as it is known; None if nothing is.
    """

    status: int
    x: NDArray[np.float64] | None
    bound: float | None


def solve(program: Milp, time_limit_s: float) -> Solution:
    """The optimum, or the best solution and bound known after `time_limit_s`; none if HiGHS had to be stopped."""
    if program.integers <= HERE_UP_TO:
        return solve_here(program, time_limit_s)
    return _solve_apart(program, time_limit_s)


def solve_here(program: Milp, time_limit_s: float) -> Solution:
    """As `solve`, in this process, however long HiGHS takes to notice that its time is up."""
    from scipy import optimize

    integrality = np.zeros(len(program.cost))
    integrality[: program.integers] = 1
    milp: Any = optimize.milp
    result = milp(
        program.cost,
        integrality=integrality,
        bounds=optimize.Bounds(program.lower, program.upper),
        constraints=optimize.LinearConstraint(program.matrix, program.low, program.high),
        options={"time_limit": max(0.0, time_limit_s), "mip_rel_gap": 0.0},
    )
    bound = getattr(result, "mip_dual_bound", None)
    return Solution(int(result.status), result.x, None if bound is None else float(bound))


def _solve_apart(program: Milp, time_limit_s: float) -> Solution:
    if time_limit_s <= 0:
        return Solution(LIMIT, None, None)
    ends = time.monotonic() + time_limit_s
    words = [sys.executable, "-P", __file__, repr(ends), str(program.integers)]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as child:
        try:
            answer, _ = child.communicate(_packed(program), timeout=min(time_limit_s, MOST_WAIT_S))
        except subprocess.TimeoutExpired:
            return Solution(LIMIT, None, None)
        finally:
            child.kill()
    return _answer(answer) if child.returncode == 0 else Solution(FAILED, None, None)


def _packed(program: Milp) -> bytes:
    matrix = program.matrix
    file = BytesIO()
    np.savez(
        file,
        cost=program.cost,
        data=matrix.data,
        indices=matrix.indices,
        indptr=matrix.indptr,
        low=program.low,
        high=program.high,
        lower=program.lower,
        upper=program.upper,
    )
    return file.getvalue()


def _answer(answer: bytes) -> Solution:
    found = np.load(BytesIO(answer), allow_pickle=False)
    x, bound = found["x"], float(found["bound"])
    return Solution(int(found["status"]), x if x.size else None, None if np.isnan(bound) else bound)


def _child(ends: float, integers: int) -> None:
    """Reads a program from stdin, solves it until the clock that all processes share shows `ends`, answers."""
    from scipy import optimize  # noqa: F401  takes its time, which is not HiGHS'
    from scipy.sparse import csr_array

    given = np.load(BytesIO(sys.stdin.buffer.read()), allow_pickle=False)
    shape = (len(given["low"]), len(given["cost"]))
    matrix = csr_array((given["data"], given["indices"], given["indptr"]), shape=shape)
    program = Milp(given["cost"], matrix, given["low"], given["high"], given["lower"], given["upper"], integers)
    found = solve_here(program, (ends - time.monotonic()) * MARGIN)
    x = np.empty(0) if found.x is None else found.x
    np.savez(sys.stdout.buffer, status=found.status, x=x, bound=np.nan if found.bound is None else found.bound)
    sys.stdout.flush()
    os._exit(0)  # at once: what is left to tidy up would be waited for


if __name__ == "__main__":
    _child(float(sys.argv[1]), int(sys.argv[2]))
