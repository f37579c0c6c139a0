"""The bundled demo: a small synthetic log with its machines, made on the spot."""

from loadmaster.traces.netbatch import generate_netbatch
from loadmaster.traces.trace import Trace


def demo() -> Trace:
    """The same synthetic NetBatch-like log each time, with its cluster; far less than a second to make."""
    return generate_netbatch("A", jobs=25_000, hosts=150, load=0.9, seed=1)
