"""A picture of a packing: how full every host is of each resource."""
# mypy: disable-error-code="no-untyped-call"

from typing import Any

import numpy as np

from loadmaster.packing.instance import Instance
from loadmaster.packing.level import host_use
from loadmaster.packing.packing import Packing
from loadmaster.packing.summary import min_yield_bound

COLOURS = ("#1f5fa8", "#e08a3c", "#138a5e", "#7a4fc4", "#c2479b")
FEW = 40


def host_loads(instance: Instance, packing: Packing) -> Any:
    """An Altair chart: for each resource the demand on every host as a fraction of its capacity.

    Above 1 a fluid resource is shared. Up to 40 hosts are bars with their names, sorted by the first fluid
    resource; more are one falling line a resource, hosts sorted for each.
    """
    import altair as alt

    demand = np.hstack((instance.fluid, instance.rigid))
    capacity = np.hstack((instance.fluid_capacity, instance.rigid_capacity))
    there = packing.host >= 0
    used = host_use(demand[there], packing.host[there], instance.hosts)
    share = np.divide(used, capacity, out=np.zeros_like(used), where=capacity > 0)
    names = (*instance.fluid_names, *instance.rigid_names)
    few = instance.hosts <= FEW
    rows = []
    for r, name in enumerate(names):
        order = np.argsort(-share[:, 0 if few else r], kind="stable")
        rows += [
            {"rank": rank, "host": instance.host_name(int(h)), "resource": name, "load": round(float(share[h, r]), 4)}
            for rank, h in enumerate(order)
        ]
    sort = [str(row["host"]) for row in rows[: instance.hosts]]
    x: Any = (
        alt.X("host:N", sort=sort, title="host")
        if few
        else alt.X("rank:Q", title="hosts, each resource's fullest first")
    )
    base = alt.Chart(alt.Data(values=rows)).encode(
        x=x,
        y=alt.Y("load:Q", title="demand / capacity", axis=alt.Axis(format="%")),
        color=alt.Color("resource:N", scale=alt.Scale(domain=list(names), range=list(COLOURS)[: len(names)]), title=""),
        tooltip=["host:N", "resource:N", alt.Tooltip("load:Q", format=".1%")],
    )
    marks = (
        base.mark_bar().encode(xOffset=alt.XOffset("resource:N", sort=list(names)))
        if few
        else base.mark_line(interpolate="step-after", strokeWidth=1.5)
    )
    full = alt.Chart(alt.Data(values=[{"y": 1}])).mark_rule(color="#c92a3a", strokeDash=[4, 3]).encode(y="y:Q")
    title = f"{packing.solver}: minimum yield {packing.min_yield:.3f}, bound {min_yield_bound(instance, packing):.3f}"
    if not packing.placed:
        title = f"{packing.solver}: {there.sum():,} of {instance.tasks:,} tasks placed"
    return (marks + full).properties(width=760, height=280, title=title)
