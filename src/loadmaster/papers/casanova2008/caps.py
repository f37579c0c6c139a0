"""Section 7 on this machine: how accurate, cheap and quick caps of CPU are, with control groups in the place of Xen."""
# mypy: disable-error-code="no-untyped-call"

from collections.abc import Callable

import numpy as np

from loadmaster.papers.casanova2008.cap_accuracy import SETS, Accuracy, measure
from loadmaster.papers.claim import Claim, all_of, equals, meets
from loadmaster.papers.estimate import mean_of
from loadmaster.report.page import Chart

WHERE = "p. 28"
PUBLISHED = (0.72, 5.99, 0.27)
"""Mean and largest error in percentage points, slowdown in percent; on Xen 3.1 with a core of its own."""
MOST_ERROR = 2.0
QUICK_SPAN_S, SPAN_S = 1.0, 5.0
BUSY = 0.02
"""Where others take more than this of the core, errors are theirs as well: reported only."""


def measured(quick: bool, progress: Callable[[int, int], None] | None = None) -> Accuracy:
    """The check, in half a minute if `quick`, else in two.

    Raises:
        InputError: no control groups can be made here.
    """
    return measure(SETS, QUICK_SPAN_S if quick else SPAN_S, progress=progress)


def without() -> Claim:
    """Its place in the table where it was not requested."""
    return Claim(
        WHERE,
        "accuracy of Xen's CPU caps",
        f"mean error {PUBLISHED[0]} %, response under 1 s",
        "",
        "not measured",
        note="--live measures it with control groups on this machine",
    )


def claims(found: Accuracy) -> list[Claim]:
    """Error, delay and cost of caps beside the paper's."""
    error = mean_of(np.array([abs(each.error) for each in found.kept]))
    by_kernel = max(100.0 * abs(each.used - each.cap) for each in found.kept)
    slowest = max(found.answers_s)
    quiet = found.busy <= BUSY
    others = "" if quiet else f"; others took {found.busy:.0%} of the core meanwhile, so this shows little"
    note = f"control groups, core {found.core}, {len(found.kept)} programs under caps{others}"
    verdict = meets(error, 0.0, MOST_ERROR) if quiet else "report only"
    answered = all_of([equals(float(answer < 1.0), 1.0, 0.0) for answer in found.answers_s])
    return [
        Claim(
            WHERE,
            "mean error of a cap, percentage points of a core",
            f"{PUBLISHED[0]}",
            error.show(),
            verdict,
            f"the interval meets 0 to {MOST_ERROR:g}",
            error.n,
            note,
        ),
        Claim(
            WHERE,
            "largest error of a cap, percentage points of a core",
            f"{PUBLISHED[1]}",
            f"{found.largest_error:.2f} (CPU time as the kernel counts it: {by_kernel:.2f})",
            "report only",
            n=len(found.kept),
            note="rounds for each CPU second vary beside other programs; CPU time does not",
        ),
        Claim(
            WHERE,
            "seconds until a changed cap is kept",
            "under 1",
            f"{slowest:.2f} at most",
            answered if quiet else "report only",
            "every change within 1 s",
            len(found.answers_s),
            note,
        ),
        Claim(
            WHERE,
            "cost of being capped, percent",
            f"{PUBLISHED[2]}",
            f"{100 * found.slowdown:.2f}",
            "report only",
            n=len(found.kept),
            note="the paper's is the cost of a virtual machine; here rounds for each CPU second",
        ),
    ]


def chart(found: Accuracy) -> Chart:
    """What each program had beside what it might have."""
    import altair as alt

    rows = [
        {"cap": each.cap, "had": each.rate, "CPU time": each.used, "error": each.error, "together": each.together}
        for each in found.kept
    ]
    base = alt.Chart(alt.Data(values=rows))
    points = base.mark_point(filled=True, opacity=0.7, size=60).encode(
        x=alt.X("cap:Q", title="cap, cores"),
        y=alt.Y("had:Q", title="effective share, cores"),
        color=alt.Color("together:O", title="programs on the core", scale=alt.Scale(scheme="viridis")),
        tooltip=[alt.Tooltip(name, type="quantitative", format=".3f") for name in ("cap", "had", "CPU time", "error")],
    )
    line = (
        alt.Chart(alt.Data(values=[{"cap": 0.0, "had": 0.0}, {"cap": 1.0, "had": 1.0}]))
        .mark_line(color="#9ca3af", strokeDash=[4, 4])
        .encode(x="cap:Q", y="had:Q")
    )
    return Chart(
        line + points, "Section 7 here: every program under a cap; on the dashed line it has what it may have."
    )
