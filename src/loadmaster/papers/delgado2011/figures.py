"""The poster's figures, as bars of efficiency, and the sizes of its two effects."""

# mypy: disable-error-code="no-untyped-call"
import math
from collections.abc import Sequence

from loadmaster.papers.delgado2011.claims import CHOICES, Rows
from loadmaster.papers.delgado2011.study import StudyCase
from loadmaster.report.page import Chart, Table

COLOURS = ["#2b6cb0", "#dd6b20", "#718096", "#38a169"]


def bars(title: str, values: Sequence[dict[str, object]], group: str, caption: str) -> list[Chart]:
    """Bars of efficiency: one group a choice of VMs, one bar a value of `group`; no chart where there is no bar."""
    import altair as alt

    if all(value["efficiency"] is None for value in values):
        return []
    chart = (
        alt.Chart(alt.Data(values=list(values)))
        .mark_bar()
        .encode(
            x=alt.X("choice:N", sort=list(CHOICES), title=None, axis=alt.Axis(labelAngle=0)),
            xOffset=alt.XOffset(f"{group}:N", sort=None),
            y=alt.Y(
                "efficiency:Q",
                scale=alt.Scale(domain=[0, 1]),
                axis=alt.Axis(format="%"),
                title="CPU used while all machines are in use",
            ),
            color=alt.Color(f"{group}:N", sort=None, scale=alt.Scale(range=COLOURS)),
            tooltip=["choice:N", f"{group}:N", alt.Tooltip("efficiency:Q", format=".3f")],
        )
        .properties(width=420, height=240, title=title)
    )
    return [Chart(chart, caption)]


def platform_bars(rows: Rows, title: str, stream: str, load: float) -> list[Chart]:
    """One stream on both platforms."""
    values: list[dict[str, object]] = [
        {"choice": c, "platform": p, "efficiency": _bar_height(rows[StudyCase(stream, p, load, c)].efficiency_full)}
        for c in CHOICES
        for p in ("homogeneous", "heterogeneous")
    ]
    return bars(title, values, "platform", f"{stream}, load {load}. The poster's own values cannot be read off.")


def load_bars(rows: Rows, title: str, stream: str, platform: str, loads: Sequence[float]) -> list[Chart]:
    """One stream and platform at several loads."""
    values: list[dict[str, object]] = [
        {
            "choice": c,
            "load": str(load),
            "efficiency": _bar_height(rows[StudyCase(stream, platform, load, c)].efficiency_full),
        }
        for c in CHOICES
        for load in loads
    ]
    return bars(title, values, "load", f"{stream}, {platform} VMs.")


def _bar_height(value: float) -> float | None:
    """A bar's height; none where the machines were never all in use, since JSON has no NaN."""
    return None if math.isnan(value) else value


def effects(rows: Rows, stream: str, loads: Sequence[float]) -> Table:
    """The ripple and the elasticity effect in points of efficiency while all machines are in use (pcfc-sg)."""
    lines = []
    for platform in ("homogeneous", "heterogeneous"):
        for load in loads:
            base = StudyCase(stream, platform, load, "pcfc-sg")
            values = [
                rows[case].efficiency_full
                for case in (
                    StudyCase(stream, platform, load, "pcfc-sg", coupled=False),
                    base,
                    StudyCase(stream, platform, load, "pcfc-sg", redistribute=False),
                    StudyCase(stream, platform, load, "pcfc-sg", capped=0.5),
                )
            ]
            bag, coupled, _, capped = values
            lines.append(
                (
                    platform,
                    str(load),
                    *(f"{value:.1%}" for value in values),
                    f"{100 * (bag - coupled):.1f}",
                    f"{100 * (coupled - capped):.1f}",
                )
            )
    columns = (
        "VMs",
        "load",
        "as bags",
        "coupled",
        "nothing redistributed",
        "first VM capped at 50 %",
        "ripple, points",
        "elasticity, points",
    )
    return Table(columns, lines, f"CPU used while all machines are in use; {stream}, pcfc-sg")


def all_runs(rows: Rows) -> Table:
    """Every coupled run with every metric."""
    lines = [
        (
            c.stream,
            c.platform,
            str(c.load),
            c.choice,
            f"{r.efficiency:.3f}",
            f"{r.efficiency_full:.3f}",
            f"{r.part_full:.2f}",
            f"{r.speed:.3f}",
            f"{r.serial_stretch:.3f}",
            f"{r.wait_s:,.0f}",
            f"{r.bounded_slowdown:.2f}",
        )
        for c, r in rows.items()
        if c.coupled and c.capped == 1.0 and c.redistribute and c.ranking == "incremental"
    ]
    columns = (
        "stream",
        "VMs",
        "load",
        "choice",
        "efficiency",
        "efficiency, all in use",
        "part of time all in use",
        "mean speed",
        "serial stretch",
        "mean wait s",
        "bounded slowdown",
    )
    return Table(columns, lines, "all runs")
