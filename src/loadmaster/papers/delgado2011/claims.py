"""The poster's claims beside our numbers, judged over streams. It prints two numbers: nearly 50 %, around 65 %."""

from dataclasses import astuple, replace

import numpy as np

from loadmaster.model.arrays import Floats
from loadmaster.papers.claim import Claim, all_of, exceeds, meets
from loadmaster.papers.delgado2011.streams import StreamGroup
from loadmaster.papers.delgado2011.study import StudyCase, StudyRow
from loadmaster.papers.estimate import mean_of, pooled, pooled_difference

Rows = dict[StudyCase, StudyRow]
CHOICES = ("pc-g", "pc-sg", "pcfc-sg", "ec", "pmvm")
BASELINES = ("pc-g", "ec", "pmvm")
HALF, RAISED = (0.45, 0.60), (0.60, 0.70)
"""What counts as `underutilized by nearly 50 %` and as `around 65 %` of the CPU used."""
_WHY = "the metrics, the VMs' limits and the figures' values are not published: a reconstruction"
_PAIRED = "the interval of the paired difference lies above 0"


def underused(rows: Rows, group: StreamGroup, load: float) -> list[Claim]:
    """Efficiency over the time in which every machine has an active VM, heterogeneous shares."""
    full = {choice: _full(rows, group, "heterogeneous", load, choice) for choice in CHOICES}
    used = {choice: pooled(*full[choice]) for choice in CHOICES}
    worst = min(BASELINES, key=lambda choice: used[choice].value)
    raised = pooled_difference(full["pcfc-sg"], full["pc-g"])
    about = f"{group.name}, load {load}"
    return [
        Claim(
            "abstract",
            f"machines can be underused by nearly 50 % even when all are in use; {about}",
            "about 50 % used",
            ", ".join(f"{choice} {used[choice].percent(0)}" for choice in BASELINES),
            meets(used[worst], *HALF),
            f"interval of the worst baseline meets {HALF[0]:.0%} to {HALF[1]:.0%}",
            used[worst].n,
            _WHY,
        ),
        Claim(
            "abstract",
            f"with the heuristics utilization is around 65 %; {about}",
            "around 65 %",
            ", ".join(f"{choice} {used[choice].percent(0)}" for choice in ("pc-sg", "pcfc-sg")),
            meets(used["pcfc-sg"], *RAISED),
            f"interval of pcfc-sg meets {RAISED[0]:.0%} to {RAISED[1]:.0%}",
            used["pcfc-sg"].n,
            _WHY,
        ),
        Claim(
            "abstract",
            f"the heuristics raise utilization; {about}",
            "raise",
            f"pcfc-sg over pc-g by {raised.show(1, 100.0)} points",
            exceeds(raised),
            _PAIRED,
            raised.n,
            _WHY,
        ),
    ]


def serial_jobs(rows: Rows, group: StreamGroup, load: float) -> list[Claim]:
    """Serial jobs and few arrivals: how much longer than alone they run."""
    claims = []
    for platform in ("homogeneous", "heterogeneous"):
        stretch = {c: _over(rows, group, platform, load, c, "serial_stretch") for c in CHOICES}
        best = min(("pc-g", "pc-sg", "pcfc-sg"), key=lambda c: float(stretch[c].mean()))
        better = mean_of(np.minimum(stretch["ec"], stretch["pmvm"]) - stretch[best])
        claims.append(
            Claim(
                "discoveries",
                f"serial jobs run much better with PC when few arrive; {platform}",
                "PC much better",
                f"{best} {mean_of(stretch[best]).show(3)}; ec {stretch['ec'].mean():.3f}, pmvm "
                f"{stretch['pmvm'].mean():.3f} times their time alone",
                exceeds(better),
                f"best PC choice below EC and PMVM: {_PAIRED}",
                better.n,
                "80 % serial, synthetic",
            )
        )
    return claims


def ripple(rows: Rows, mostly_serial: StreamGroup, mostly_parallel: StreamGroup, load: float) -> Claim:
    """The speed of jobs falls as more of them are parallel."""
    serial = _over(rows, mostly_serial, "heterogeneous", load, "pc-g", "speed")
    parallel = _over(rows, mostly_parallel, "heterogeneous", load, "pc-g", "speed")
    slower = mean_of(serial - parallel)
    return Claim(
        "discoveries",
        "ripples waste more CPU where more jobs are parallel",
        "significant waste",
        f"mean speed {mean_of(serial).show(3)} with 80 % serial jobs, {mean_of(parallel).show(3)} with 24 %",
        exceeds(slower),
        f"slower with 24 % serial jobs: {_PAIRED}",
        slower.n,
        "synthetic, pc-g, heterogeneous",
    )


def heterogeneous_is_harder(rows: Rows, group: StreamGroup, load: float) -> Claim:
    """Efficiency when all machines are in use, by platform."""
    shown, lost = [], []
    serial = all((stream.workload.task_count == 1).all() for stream in group.streams)
    for choice in CHOICES:
        hom, het = (_full(rows, group, platform, load, choice) for platform in ("homogeneous", "heterogeneous"))
        lost.append(pooled_difference(hom, het))
        shown.append(f"{choice} {lost[-1].show(1, -100.0)} points")
    return Claim(
        "figures 1 to 3, conclusions",
        f"heterogeneous VMs are harder to use well; {group.name}, load {load}",
        "every choice",
        ", ".join(shown),
        "not measured" if serial else all_of([exceeds(one) for one in lost]),
        "every choice uses less: the interval of each paired difference lies below 0",
        lost[0].n,
        "all jobs are serial: none waits for its slowest task, and nothing can ripple"
        if serial
        else ""
        if all(one.measured for one in lost)
        else "the machines are never all in use: nothing to measure",
    )


def incremental_ranking(rows: Rows, group: StreamGroup, load: float) -> Claim:
    """What happens if VMs are ranked once a job: not in the poster, but its PC would not work so."""
    anew = _over(rows, group, "homogeneous", load, "pc-g", "speed")
    once = np.array([rows[StudyCase(s, "homogeneous", load, "pc-g", ranking="static")].speed for s in group.parts])
    return Claim(
        "section proposed solution",
        "VMs must be ranked again after each choice",
        "",
        f"mean speed {mean_of(anew).show()} ranked again, {mean_of(once).show()} ranked once",
        "report only",
        n=len(anew),
        note="the poster does not say which; ranked once, tasks of a job crowd on one machine",
    )


def averages(rows: Rows, group: StreamGroup) -> Rows:
    """One row a case of the group, named for it: means over its streams, the efficiency while full pooled."""
    alike: dict[StudyCase, list[StudyRow]] = {}
    for case, row in rows.items():
        if case.stream in group.parts:
            alike.setdefault(replace(case, stream=group.name), []).append(row)
    found = {}
    for case, several in alike.items():
        mean = StudyRow(*np.mean([astuple(row) for row in several], axis=0).tolist())
        full, part = (np.array([getattr(row, name) for row in several]) for name in ("efficiency_full", "part_full"))
        found[case] = replace(
            mean, efficiency_full=pooled(full, part).value, unsettled=sum(r.unsettled for r in several)
        )
    return found


def _full(rows: Rows, group: StreamGroup, platform: str, load: float, choice: str) -> tuple[Floats, Floats]:
    """Efficiency while every machine is in use, and the part of the time in which it is so, of every stream."""
    efficiency, part = (_over(rows, group, platform, load, choice, name) for name in ("efficiency_full", "part_full"))
    return efficiency, part


def _over(rows: Rows, group: StreamGroup, platform: str, load: float, choice: str, column: str) -> Floats:
    return np.array([getattr(rows[StudyCase(s, platform, load, choice)], column) for s in group.parts])
