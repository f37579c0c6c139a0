"""The worked examples of Shai 2014 (rule P12)."""

import math

import numpy as np
import pytest

from loadmaster.backfilling import NetBatch
from loadmaster.model import Cluster, Workload
from loadmaster.order import ORDERS
from loadmaster.place import POLICIES
from loadmaster.scheduling import Discipline, MaxJobs, Scheduler
from loadmaster.sim.queue.reference import replay

TWO_HOSTS = Cluster.uniform(2, cores=4, memory=32)
FIG_3_1 = [(1, 16)] * 2 + [(1, 4)] * 6
FIG_3_2 = [(1, 8)] * 3 + [(1, 32)]


def placed(policy, jobs, reservations):
    cores, memory = zip(*jobs, strict=True)
    workload = Workload.of(
        submit_s=[0.0] * len(jobs), runtime_s=[1e6] * len(jobs), cores=list(cores), memory=list(memory)
    )
    discipline = Discipline(ORDERS["fcfs"], NetBatch(reservations))
    schedule = replay(workload, TWO_HOSTS, Scheduler(policy, discipline), interval_s=30.0)
    now = schedule.start_s == 0.0
    return "".join("AB"[h] if on else "-" for h, on in zip(schedule.host, now, strict=True))


@pytest.mark.parametrize("reservations", [0, None], ids=["no-reservations", "reservations"])
@pytest.mark.parametrize(
    ("name", "jobs", "hosts"),
    [
        ("first-fit", FIG_3_1, "AABBBB--"),
        ("best-fit-cores", FIG_3_1, "AABBBB--"),
        ("best-fit-memory", FIG_3_1, "AABBBB--"),
        ("worse-fit-cores", FIG_3_1, "ABABABAB"),
        ("worse-fit-memory", FIG_3_1, "ABABABAB"),
        ("mix-fit", FIG_3_1, "ABAABBAB"),
        ("first-fit", FIG_3_2, "AAAB"),
        ("best-fit-cores", FIG_3_2, "AAAB"),
        ("best-fit-memory", FIG_3_2, "AAAB"),
        ("mix-fit", FIG_3_2, "AAAB"),
        ("worse-fit-cores", FIG_3_2, "ABA-"),
        ("worse-fit-memory", FIG_3_2, "ABA-"),
    ],
)
def test_figures_3_1_and_3_2_place_the_jobs_as_published(name, jobs, hosts, reservations):
    assert placed(POLICIES[name], jobs, reservations) == hosts


@pytest.mark.parametrize(
    ("jobs", "started"),
    [
        ([(1, 4), (1, 4), (1, 32)], dict(mix=2, bfc=3, bfm=3, wfc=2, wfm=2, max=3)),
        ([(1, 4), (1, 16), (2, 4), (3, 4)], dict(mix=3, bfc=4, bfm=4, wfc=4, wfm=4, max=4)),
        ([(1, 4), (1, 24), (3, 8), (2, 16)], dict(mix=4, bfc=3, bfm=3, wfc=3, wfm=3, max=4)),
    ],
)
def test_max_jobs_starts_as_many_as_the_best_member(jobs, started):
    policies = {
        "mix": POLICIES["mix-fit"],
        "bfc": POLICIES["best-fit-cores"],
        "bfm": POLICIES["best-fit-memory"],
        "wfc": POLICIES["worse-fit-cores"],
        "wfm": POLICIES["worse-fit-memory"],
        "max": MaxJobs(),
    }
    counts = {key: len(placed(policy, jobs, 0).replace("-", "")) for key, policy in policies.items()}
    assert counts == started


def degrees(policy, used, demand, capacity=(4.0, 32.0)):
    total = np.array(capacity)
    score = POLICIES[policy].score(np.array(demand, float), total - np.array(used, float), total)
    return math.degrees(math.atan(score) if policy == "mix-fit" else math.asin(math.sqrt(score)))


@pytest.mark.parametrize(
    ("policy", "used", "demand", "angle"),
    [
        ("mix-fit", (1, 24), (1, 8), 45.0),
        ("mix-fit", (2, 16), (1, 8), 0.0),
        ("mix-fit", (3, 8), (1, 8), 45.0),
        ("mix-fit", (1, 16), (1, 16), 45.0),
        ("mix-fit", (0, 0), (1, 16), 11.309932),
        ("mix-fit", (3, 20), (1, 4), 45.0),
        ("mix-fit-origin", (3, 20), (1, 4), 8.130102),
        ("mix-fit", (0, 8), (1, 4), 5.194429),
        ("mix-fit-origin", (0, 8), (1, 4), 11.309933),
    ],
)
def test_mix_fit_rates_hosts_by_the_published_angles(policy, used, demand, angle):
    assert degrees(policy, used, demand) == pytest.approx(angle, abs=2e-6)
