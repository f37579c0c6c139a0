"""The page of one simulated run: the answer on top, then the table, the charts, and how to make it again."""

from dataclasses import replace

from loadmaster.measure.group_waits import Groups
from loadmaster.measure.recorded_hosts import recorded_groups
from loadmaster.report.amounts_chart import amounts_chart
from loadmaster.report.answer import answer
from loadmaster.report.compare_page import report_blocks
from loadmaster.report.comparison import Comparison
from loadmaster.report.hosts_charts import cards_chart, hosts_chart, stranded_block
from loadmaster.report.meta_rule_chart import followed_chart, is_twin
from loadmaster.report.page import Block, Chart, Heading, Page
from loadmaster.report.terminal import title
from loadmaster.runs import Outcome
from loadmaster.runs.record import Record

_LOOKS = "Cycles by the member that was followed; it changes at looks only, once an hour if nothing else is said."


def run_answer(record: Record, outcome: Outcome) -> str:
    """The run in one sentence."""
    return answer(_comparison_of_one(record, outcome))


def run_page(
    record: Record,
    outcome: Outcome,
    command: str = "",
    metrics: tuple[str, ...] = (),
    by: tuple[str, ...] = (),
) -> Page:
    """The page of a run.

    Args:
        record: of the run.
        outcome: the results of the run.
        command: that makes the page.
        metrics: the columns of its table beside the mean wait; the usual ones where there are none.
        by: the groupings that it is broken down by.
    """
    alone, run = (
        replace(_comparison_of_one(record, outcome), metrics=metrics, by=by, recorded_groups=_recorded_groups(record)),
        (record.workload, record.case.cluster, record.schedule),
    )
    hosts: list[Block] = [Heading("The hosts over time"), Chart(*hosts_chart(*run))]
    if len(record.case.cluster.resources) > 1:
        hosts += [Heading("What was stranded on the hosts"), stranded_block(*run)]
    for heading, chart in (("GPUs over time", cards_chart(*run)), ("Licences and power", amounts_chart(*run))):
        hosts += [Heading(heading), Chart(*chart)] if chart else []
    if is_twin(outcome) and record.schedule.cycles.choices is not None:
        hosts += [Heading("The rule that the twin followed, over time"), Chart(followed_chart(record.schedule), _LOOKS)]
    blocks = report_blocks(alone, hosts, {"page": command} if command else {})
    return Page(answer(alone), blocks, title(alone), "loadmaster simulate")


def _recorded_groups(record: Record) -> tuple[Groups, ...]:
    """What really happened to groups of jobs, where the run has their own arrivals."""
    case = record.case
    return recorded_groups(case.workload, case.cluster, case.launch_s) if record.setting.beta == 1.0 else ()


def _comparison_of_one(record: Record, outcome: Outcome) -> Comparison:
    command = str(record.about.get("command", ""))
    return Comparison(record.case, [outcome], outcome.setting.policy, record.case.notes, command, record.case.notes)
