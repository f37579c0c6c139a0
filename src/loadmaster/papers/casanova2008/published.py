"""What Casanova et al. 2008 print, and the bands within which our numbers count as the same."""

from typing import NamedTuple


class Degradation(NamedTuple):
    """Percent degradation from the best MCB: mean and largest, as published, and the band of the mean."""

    mean: float
    largest: float
    band: float


TABLE_1 = {
    "mcb8": Degradation(1.06, 40.45, 0.35),
    "mcb5": Degradation(1.60, 38.67, 0.40),
    "mcb6": Degradation(1.83, 37.61, 0.45),
    "mcb7": Degradation(3.91, 40.71, 1.0),
    "mcb3": Degradation(11.76, 55.73, 1.5),
    "mcb2": Degradation(14.21, 48.30, 1.5),
    "mcb1": Degradation(14.90, 55.84, 1.5),
    "mcb4": Degradation(17.32, 46.95, 1.8),
}
"""Table 1: the small instances."""

FIGURE_7 = {
    "mcb8": Degradation(0.09, 3.16, 0.06),
    "mcb5": Degradation(0.25, 3.50, 0.10),
    "mcb6": Degradation(0.46, 16.68, 0.15),
    "mcb7": Degradation(1.04, 48.39, 0.3),
    "mcb3": Degradation(4.07, 64.71, 0.5),
    "mcb2": Degradation(8.68, 46.68, 0.6),
    "mcb1": Degradation(10.97, 73.33, 0.7),
    "mcb4": Degradation(14.80, 61.20, 0.9),
}
"""Figure 7, a table: the large instances."""

FIGURES = (
    # number, part, columns drawn, what is on the vertical axis
    (2, "small", "mcb", "minimum yield"),
    (3, "small", "mcb", "average yield"),
    (4, "small", "mcb", "failure rate"),
    (5, "small", "mcb", "run time"),
    (6, "large", "mcb", "minimum yield"),
    (8, "large", "mcb", "average yield"),
    (9, "large", "mcb", "failure rate"),
    (10, "large", "mcb", "run time"),
    (11, "small", "all", "minimum yield"),
    (12, "small", "all", "average yield"),
    (13, "small", "all", "failure rate"),
    (14, "small", "all", "run time"),
    (15, "large", "all", "minimum yield"),
    (16, "large", "all", "average yield"),
    (17, "large", "all", "failure rate"),
    (18, "large", "all", "run time"),
    (19, "parallel", "all", "minimum yield"),
    (20, "parallel", "all", "average yield"),
    (21, "parallel", "all", "failure rate"),
    (22, "parallel", "all", "run time"),
)
