"""The table of `loadmaster share`: one row a method."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.table import Table

    from loadmaster.runs.sharing_row import SharingRow
    from loadmaster.runs.sharing_settings import SharingSettings


def sharing_table(rows: "list[SharingRow]", settings: "SharingSettings") -> "Table":
    """One row a method; the last columns only where a task moved or a job was refused."""
    from loadmaster.model.units import show_seconds
    from loadmaster.report.console import new_table

    table = new_table(title=f"needs {settings.needs}, thrashing x{settings.thrash:g}", padding=(0, 1, 0, 0))
    table.add_column("method", overflow="fold")
    shown = {
        "slowdown": [ratio(row.mean_slowdown) for row in rows],
        "stretch": [ratio(row.mean_stretch) for row in rows],
        "p95": [ratio(row.p95_stretch) for row in rows],
        "max": [ratio(row.max_stretch) for row in rows],
        "wait": [show_seconds(row.mean_wait_s) if row.mean_wait_s >= 0 else "-" for row in rows],
        "yield": [f"{row.mean_yield:.2f}" if row.mean_yield >= 0 else "-" for row in rows],
        "moves": [f"{row.migrations:,}" for row in rows],
        "refused": [f"{row.refused:,}" for row in rows],
    }
    shown = {name: cells for name, cells in shown.items() if name not in ("moves", "refused") or set(cells) != {"0"}}
    several = len({row.policy for row in rows if row.policy}) > 1
    for name in shown:
        table.add_column(name, justify="right", no_wrap=True)
    for row, cells in zip(rows, zip(*shown.values(), strict=True), strict=True):
        table.add_row(label(row.method, row.policy if several else ""), *cells)
    return table


def label(method: str, policy: str) -> str:
    """How a row is called where batch queues have several policies."""
    return f"{method} by {policy}" if policy else method


def ratio(value: float) -> str:
    """`value` in three digits or so; a dash where no job ran."""
    if not value >= 0:
        return "-"
    return f"{value:,.2f}" if value < 100 else f"{value:,.0f}"
