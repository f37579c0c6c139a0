"""A chart of hosts and their tasks: each bar is a host, each piece of it a task."""

from collections.abc import Collection
from typing import Any

from loadmaster.model.arrays import Ints
from loadmaster.packing.instance import Instance
from loadmaster.report.theme import ACCENT, MUTED, USED, rows, themed

MOST_HOSTS, MOST_TASKS = 60, 2_000
"""Beyond these a piece is no longer seen."""


def filled_chart(instance: Instance, host: Ints, moved: Collection[int] = ()) -> Any | None:
    """What every task requests of its host's first fluid and first rigid resource; None of too many tasks to see.

    Args:
        instance: tasks and hosts.
        host: int[T], where every task is; -1 where it is nowhere.
        moved: tasks that are stressed.
    """
    import altair as alt

    if instance.hosts > MOST_HOSTS or instance.tasks > MOST_TASKS or not (host >= 0).any():
        return None
    values = [row for resource in _resources(instance) for row in _pieces(instance, host, moved, *resource)]
    names = [instance.host_name(h) for h in range(instance.hosts)]
    kinds = ["moved", "stays"] if moved else ["task"]
    colour = alt.Color(
        "kind:N",
        scale=alt.Scale(domain=kinds, range=[ACCENT, "#b8c0ca"] if moved else [USED]),
        title=None,
        legend=alt.Legend(orient="top") if moved else None,
    )
    panels = []
    last = _resources(instance)[-1][0]
    for name, *_ in _resources(instance):
        base = alt.Chart(rows([row for row in values if row["resource"] == name]), width=860, height=170)
        bars = base.mark_bar(stroke="#ffffff", strokeWidth=1).encode(
            x=alt.X(
                "host:N",
                sort=names,
                title="host" if name == last else None,
                scale=alt.Scale(domain=names),
                axis=alt.Axis(labelAngle=0 if instance.hosts <= 12 else -60, ticks=False),
            ),
            y=alt.Y("part:Q", title=f"{name} requested / capacity", axis=alt.Axis(format="%", tickCount=4)),
            order="place:Q",
            color=colour,
            tooltip=["task:N", "job:N", "host:N", alt.Tooltip("part:Q", format=".1%")],
        )
        full = alt.Chart(rows([{"y": 1}])).mark_rule(color=MUTED, strokeDash=[4, 3]).encode(y="y:Q")
        panels.append(bars + full)
    return themed(alt.vconcat(*panels, spacing=18))


def _resources(instance: Instance) -> list[tuple[str, Any, Any]]:
    """Name, demand and capacity of the first resource of either kind."""
    resources: list[tuple[str, Any, Any]] = []
    if instance.fluid_names:
        resources.append((instance.fluid_names[0], instance.fluid[:, 0], instance.fluid_capacity[:, 0]))
    if instance.rigid_names:
        resources.append((instance.rigid_names[0], instance.rigid[:, 0], instance.rigid_capacity[:, 0]))
    return resources


def _pieces(
    instance: Instance, host: Ints, moved: Collection[int], name: str, demand: Any, capacity: Any
) -> list[dict[str, Any]]:
    pieces = []
    for t, h in enumerate(host.tolist()):
        if h >= 0 and capacity[h] > 0:
            kind = ("moved" if t in moved else "stays") if moved else "task"
            pieces.append(
                {
                    "resource": name,
                    "host": instance.host_name(h),
                    "task": instance.task_name(t),
                    "place": t,
                    "job": instance.job_name(int(instance.job_of[t])),
                    "part": float(demand[t] / capacity[h]),
                    "kind": kind,
                }
            )
    return pieces
