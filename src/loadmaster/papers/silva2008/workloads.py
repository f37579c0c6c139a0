"""The bags of the study: normal durations, a picture rendered in tiles by us, a synthetic stand-in, and real logs."""

import csv
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from loadmaster.model.arrays import Floats
from loadmaster.model.bag import Bag, BagLaw, BagSource
from loadmaster.traces.bag import read_bag

TILES = Path(__file__).with_name("tiles.csv")
"""CPU seconds of 256 tiles of our own scene (`examples/povray`), rendered one by one on one core of an AMD EPYC
virtual machine by POV-Ray 3.7."""

SHORTEST_S, LONGEST_S = 25.0, 565.0
"""The span of the paper's tile times: some 25 s, amplitude about 9 minutes (its Figure 2)."""


@dataclass(frozen=True, eq=False)
class SampledTasks:
    """`tasks` durations drawn anew from a longer log in every repetition, without putting any back."""

    log: Floats
    tasks: int
    source: str
    synthetic: bool = False

    def draw(self, rng: np.random.Generator) -> Floats:
        """float64[N]."""
        return np.asarray(rng.permutation(self.log)[: self.tasks])


def normal() -> BagLaw:
    """Figure 4b: a new population in every run."""
    return BagLaw("normal", (150.0, 30.0), 256)


def rendered() -> Bag:
    """Our own tiles, stretched to the span of the paper's; a new order in every run."""
    bag = read_bag(TILES)
    return Bag(_stretched(bag.known), "256 POV-Ray tiles measured by us, stretched to 25-565 s")


def two_humps() -> Bag:
    """A synthetic stand-in for the paper's tiles: half short, half long; a new order in every run."""
    drawn = BagLaw("bimodal", (40.0, 330.0, 0.5), 256).draw(np.random.default_rng(2008))
    return Bag(_stretched(drawn), "256 synthetic durations with two humps, 25-565 s", synthetic=True)


def real_logs(folder: Path | None) -> dict[str, BagSource]:
    """Durations of molecules' computations and of a genomics workflow, where the user has the files."""
    found: dict[str, BagSource] = {}
    if folder is None:
        return found
    molecules = folder / "mlscheduling-QM9_GO_B3LYP.csv.gz"
    if molecules.is_file():
        found["molecules"] = SampledTasks(
            read_bag(molecules, "wallseconds").known, 256, "QM9 GO B3LYP, 256 of its times a run"
        )
    workflow = folder / "sizey-trace_rnaseq.csv.gz"
    if workflow.is_file():
        from isal import igzip

        with igzip.open(workflow, "rt", newline="") as file:  # type: ignore[no-untyped-call]
            times = [float(row["realtime"]) / 1000 for row in csv.DictReader(file) if row["realtime"] not in ("", "-")]
        log = np.array([seconds for seconds in times if seconds > 0])
        found["rnaseq"] = SampledTasks(log, 256, "nf-core rnaseq tasks, 256 of their times a run")
    return found


def _stretched(values: Floats) -> Floats:
    least, most = values.min(), values.max()
    return np.asarray(SHORTEST_S + (values - least) * (LONGEST_S - SHORTEST_S) / (most - least))
