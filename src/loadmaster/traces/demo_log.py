"""The bundled demo: a small synthetic log with its machines, made on the spot; and the results of other draws of it."""

from dataclasses import replace
from typing import NamedTuple

from loadmaster.traces.netbatch import generate_netbatch
from loadmaster.traces.trace import Trace

SEED = 18
"""The one nearest the median of `TWENTY`, so that the demo shows what is usual; see tools/demo_seeds.py."""


class Spread(NamedTuple):
    """The change of the mean wait from first-fit to mix-fit over several seeds, as fractions; below 0 is less."""

    seeds: int
    mean: float
    half_interval: float
    least: float
    most: float


TWENTY = Spread(seeds=20, mean=-0.0396, half_interval=0.0577, least=-0.3485, most=0.1253)
"""Seeds 0 to 19, the interval one of 95 %; as tools/demo_seeds.py prints it, and a test measures it."""


def demo() -> Trace:
    """The same synthetic NetBatch-like log each time, with its cluster; far less than a second to make."""
    trace = drawn(SEED)
    return replace(trace, notes=(*trace.notes, one_of_many()))


def drawn(seed: int) -> Trace:
    """The log that the demo would be at another seed.

    Ten hours of a tenth of pool A: 25,000 jobs on 150 hosts at an offered load of 0.85 on cores, with bursts of jobs
    that request much memory.
    """
    return generate_netbatch("A", jobs=25_000, hosts=150, load=0.85, longest_run_s=6 * 3600.0, seed=seed)


def one_of_many() -> str:
    """What one such log is worth, in a sentence that stays true beside a part of it, another load or another rule."""
    mean, half, least, most = (100 * abs(part) for part in TWENTY[1:])
    return (
        f"It is one log of many: as `compare` takes it without options, mix-fit waits {mean:.0f} ± {half:.0f} % less "
        f"than first-fit over {TWENTY.seeds} seeds (mean, 95 % interval), from {least:.0f} % less to {most:.0f} % "
        "more; this one is near the median."
    )
