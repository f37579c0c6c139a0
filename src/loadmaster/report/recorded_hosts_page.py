"""What really happened on the hosts, of a log that names them: the blocks of a comparison's page."""

from loadmaster.model.units import percent
from loadmaster.report.comparison import Comparison
from loadmaster.report.gantt import MOST_BARS, gantt_chart
from loadmaster.report.hosts_charts import hosts_chart, stranded_block
from loadmaster.report.page import Block, Chart, Heading

_FEW_BARS = MOST_BARS // 5
"""Bars of a chart that stands on a page among others."""


def recorded_hosts_blocks(comparison: Comparison) -> list[Block]:
    """Use, stranded amounts and, of few jobs, who ran where; empty where the log does not name the hosts."""
    found = comparison.on_hosts
    if found is None:
        return []
    run = found.workload, comparison.case.cluster, found.schedule
    chart, caption = hosts_chart(*run)
    blocks: list[Block] = [Heading("Recorded: the hosts over time"), Chart(chart, caption + _beside(comparison))]
    if len(comparison.case.cluster.resources) > 1:
        blocks += [Heading("Recorded: what was stranded on the hosts"), stranded_block(*run)]
    if (found.schedule.host >= 0).sum() <= _FEW_BARS:
        blocks += [Heading("Recorded: who ran where"), Chart(gantt_chart(*run), _WHO)]
    return blocks


def _beside(comparison: Comparison) -> str:
    """What the reader must know of the record."""
    found = comparison.on_hosts
    assert found is not None
    text = ""
    if found.unknown:
        jobs = "job" if found.unknown == 1 else "jobs"
        text += f" {found.unknown:,} {jobs} of which the hosts are not known are not in it."
    if found.overfull:
        part = percent(found.overfull) if found.overfull >= 0.0005 else "less than 0.1 %"
        text += f" In {part} of the hosts' time more was asked of one than it has."
    return text


_WHO = (
    "A bar for every time in which a task held a host, as the log recorded it; the stronger the colour, the longer its "
    "job had waited."
)
