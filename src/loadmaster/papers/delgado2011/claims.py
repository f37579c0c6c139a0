"""The poster's claims beside our numbers. It prints no numbers but two: nearly 50 % and around 65 %."""

from collections.abc import Sequence

import numpy as np

from loadmaster.measure.interval import bootstrap_interval, show_interval
from loadmaster.papers.claim import Claim
from loadmaster.papers.delgado2011.study import Case, Row

Rows = dict[Case, Row]
CHOICES = ("pc-g", "pc-sg", "pcfc-sg", "ec", "pmvm")
BASELINES = ("pc-g", "ec", "pmvm")
_WHY = "the metrics, the VMs' limits and the figures' values are not published: a reconstruction"


def underused(rows: Rows, streams: Sequence[str], load: float) -> list[Claim]:
    """Efficiency over the time in which every machine has an active VM, heterogeneous shares."""
    claims = []
    for stream in streams:
        full = {c: rows[Case(stream, "heterogeneous", load, c)].efficiency_full for c in CHOICES}
        shown = ", ".join(f"{c} {full[c]:.0%}" for c in BASELINES)
        near = any(0.45 <= full[c] <= 0.65 for c in BASELINES)
        claims.append(
            Claim(
                "abstract", f"machines are underused by nearly 50 % even when all are in use; {stream}, load {load}",
                "about 50 % used", shown, "holds" if near else "differs", "a baseline between 45 and 65 %", 1,
                "" if near else "depends on the stream and the load: the fuller the VMs, the less is left; " + _WHY,
            )
        )  # fmt: skip
        heuristics = ", ".join(f"{c} {full[c]:.0%}" for c in ("pc-sg", "pcfc-sg"))
        claims.append(
            Claim(
                "abstract", f"the heuristics raise utilization to around 65 %; {stream}, load {load}",
                "around 65 %", heuristics, "holds" if full["pcfc-sg"] >= full["pc-g"] - 0.02 else "differs",
                "pcfc-sg is at most 2 points below pc-g", 1, "the value itself is report only; " + _WHY,
            )
        )  # fmt: skip
    return claims


def serial_jobs(rows: Rows, streams: Sequence[str], load: float) -> list[Claim]:
    """Serial jobs and few arrivals: how much longer than alone they run, on streams that differ by seed."""
    claims = []
    for platform in ("homogeneous", "heterogeneous"):
        stretch = {c: _over(rows, streams, platform, load, c, "serial_stretch") for c in CHOICES}
        best = min(("pc-g", "pc-sg", "pcfc-sg"), key=lambda c: float(stretch[c].mean()))
        others = np.minimum(stretch["ec"], stretch["pmvm"])
        low, _ = bootstrap_interval(others - stretch[best])
        claims.append(
            Claim(
                "discoveries", f"serial jobs run much better with PC when few arrive; {platform}",
                "PC much better", f"{best} {show_interval(stretch[best], 3)}; ec {stretch['ec'].mean():.3f}, "
                f"pmvm {stretch['pmvm'].mean():.3f} times their time alone",
                "holds" if low > 0 else "differs",
                "best PC choice below EC and PMVM, paired interval excludes 0", len(streams),
                "80 % serial, synthetic",
            )
        )  # fmt: skip
    return claims


def ripple(rows: Rows, mostly_serial: Sequence[str], mostly_parallel: Sequence[str], load: float) -> Claim:
    """The speed of jobs falls as more of them are parallel."""
    serial = _over(rows, mostly_serial, "heterogeneous", load, "pc-g", "speed")
    parallel = _over(rows, mostly_parallel, "heterogeneous", load, "pc-g", "speed")
    low, _ = bootstrap_interval(serial - parallel)
    return Claim(
        "discoveries", "ripples waste more CPU where more jobs are parallel", "significant waste",
        f"mean speed {show_interval(serial, 3)} with 80 % serial jobs, {show_interval(parallel, 3)} with 24 %",
        "holds" if low > 0 else "differs", "slower with 24 % serial jobs; interval of the difference excludes 0",
        len(serial), "synthetic, pc-g, heterogeneous",
    )  # fmt: skip


def heterogeneous_is_harder(rows: Rows, streams: Sequence[str], load: float) -> list[Claim]:
    """Efficiency when all machines are in use, by platform."""
    claims = []
    for stream in streams:
        pairs: list[tuple[str, float, float]] = []
        for c in CHOICES:
            hom, het = (rows[Case(stream, p, load, c)].efficiency_full for p in ("homogeneous", "heterogeneous"))
            pairs.append((c, hom, het))
        holds = all(het < hom - 0.005 for _, hom, het in pairs)
        claims.append(
            Claim(
                "figures 1 to 3, conclusions", f"heterogeneous VMs are harder to use well; {stream}, load {load}",
                "every choice", ", ".join(f"{c} {hom:.0%} to {het:.0%}" for c, hom, het in pairs),
                "holds" if holds else "differs", "at least half a point lower for every choice", len(pairs),
                "" if holds else "serial jobs alone use every machine fully whatever the shares"
                if min(het for _, _, het in pairs) > 0.97 else _WHY,
            )
        )  # fmt: skip
    return claims


def incremental_ranking(rows: Rows, stream: str, load: float) -> Claim:
    """What happens if VMs are ranked once a job: not in the poster, but its PC would not work so."""
    anew = rows[Case(stream, "homogeneous", load, "pc-g")].speed
    once = rows[Case(stream, "homogeneous", load, "pc-g", ranking="static")].speed
    return Claim(
        "section proposed solution", "VMs must be ranked anew after each one chosen", "",
        f"mean speed {anew:.2f} ranked anew, {once:.2f} ranked once", "report only", n=1,
        note="the poster does not say which; ranked once, tasks of a job crowd on one machine",
    )  # fmt: skip


def _over(rows: Rows, streams: Sequence[str], platform: str, load: float, choice: str, column: str) -> np.ndarray:
    return np.array([getattr(rows[Case(s, platform, load, choice)], column) for s in streams])
