"""Small bound logs whose every decision the compiled scheduling pass makes: are the schedules the plain engine's?

As a program, with Numba switched off (NUMBA_DISABLE_JIT=1): `decided_runs.py FIRST LAST KINDS...` tries the kernels as
the plain Python that they are, on a log of each of these seeds for each of KINDS, such as `licences` or `power+limits`.
Every third discipline is tried with each, so that three seeds try all. The program prints how many runs there were, and
those whose schedules differ.
"""

import sys

from backlog_order import BY_BACKLOG
from bound_jobs import bound_jobs
from random_general_passes import differences
from random_passes import in_python

from loadmaster.place import POLICIES
from loadmaster.scheduling import MaxJobs, Scheduler, scheduler
from loadmaster.scheduling.notation import discipline_named
from loadmaster.sim.queue.reference import replay, replay_deciding

DECIDED = (
    "easy", "easy(heads=2)", "conservative", "conservative(early_end=start)", "slurm", "selective",
    "multifactor(age=1000,fair_share=1000,calc_period=10,half_life=100)+easy", "fair-share+conservative",
    f"{BY_BACKLOG}+conservative",
)  # fmt: skip
RULES = (*(POLICIES[name] for name in ("worse-fit-cores", "mix-fit", "random")), MaxJobs(), MaxJobs(target="weighted"))


def differing(first, last, *kinds):
    """How many runs there were on seeds from `first` to `last`, and those whose schedules differ."""
    runs, found = 0, []
    for seed in range(first, last):
        for number, each in enumerate(kinds):
            workload, cluster = bound_jobs(seed, *each.split("+"))
            for discipline in DECIDED[(seed + number) % 3 :: 3]:
                rule = Scheduler(RULES[(runs + seed) % len(RULES)], discipline_named(discipline))
                given = {"interval_s": 7.0 * (seed % 2), "seed": 5}
                plain, decided = (way(workload, cluster, rule, **given) for way in (replay, replay_deciding))
                runs += 1
                if wrong := differences(plain, decided):
                    found.append(f"{seed} {each} {discipline}: {', '.join(wrong)}")
    return runs, found


if __name__ == "__main__":
    in_python()
    scheduler.WORTHWHILE = 0
    print(*differing(int(sys.argv[1]), int(sys.argv[2]), *sys.argv[3:]))
