"""What Amir et al. 2000 published: Tables 1 to 3, by method."""

METHODS = ("pvm", "e-pvm", "mosix", "e-mosix")
NAMES = {
    "pvm": "PVM", "e-pvm": "Enhanced PVM", "mosix": "Mosix", "e-mosix": "Enhanced Mosix",
    "d-pvm": "D-PVM", "assign-u": "ASSIGN-U", "assign-u-r": "ASSIGN-U-R", "greedy": "Greedy",
}  # fmt: skip
BY_JOB = {"pvm": 15.4044, "e-pvm": 10.7007, "mosix": 9.4208, "e-mosix": 8.20262}
BY_EXECUTION = {"pvm": 14.3338, "e-pvm": 9.79463, "mosix": 8.5567, "e-mosix": 7.47886}
"""Table 1: average slowdown in the simulation, 3,000 executions."""

REAL_BY_JOB = {"pvm": 19.81842, "e-pvm": 12.2721, "mosix": 8.474874}
REAL_BY_EXECUTION = {"pvm": 18.83488, "e-pvm": 11.69833, "mosix": 8.683132}
"""Table 2 as printed: average slowdown on the real cluster, 50 executions."""

RATIOS = (("pvm", "mosix"), ("e-pvm", "mosix"), ("pvm", "e-pvm"))
REAL_RATIOS_BY_JOB = (2.282405, 1.413327, 1.614917)
RATIOS_BY_JOB = (1.635148, 1.13859, 1.439569)
RATIOS_BY_EXECUTION = (1.675155, 1.144674, 1.463435)
"""Table 3: ratios of the slowdowns above."""
