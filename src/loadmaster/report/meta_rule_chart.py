"""Charts of a meta-rule's choices: policies under max-jobs, disciplines from look to look under the twin."""

from typing import Any

import numpy as np

from loadmaster.model import Schedule
from loadmaster.report.load_charts import member_bars, member_chart
from loadmaster.report.page import Block, Chart, Heading
from loadmaster.report.theme import colours, rows, themed, tooltip
from loadmaster.report.time_charts import unit_of
from loadmaster.runs import Outcome

TWIN = "twin"
_SPANS, _WIDTH = 120, 860
_TIED = (
    "Part of the cycles in which each member started as many jobs as the best. Members tie often, so the bars together "
    "come to more than 100 %; most cycles leave no choice at all."
)
_FOLLOWED = (
    "Part of the cycles in which each member was followed. In the cycle of a look those that are worth as much count "
    "too, so the bars may come to a little more than 100 %."
)


def members_blocks(outcomes: list[Outcome], where: str) -> list[Block]:
    """What was chosen by the first run of each kind that chooses; nothing where none does."""
    choosing = [outcome for outcome in outcomes if outcome.members]
    twin = next((each for each in choosing if is_twin(each)), None)
    other = next((each for each in choosing if not is_twin(each)), None)
    blocks: list[Block] = []
    if other is not None:
        blocks += [Heading(f"What max-jobs chose{where}"), Chart(themed(member_chart(other)), _TIED)]
    if twin is not None:
        blocks += [Heading(f"The rule that the twin followed{where}"), Chart(themed(_parts(twin)), _FOLLOWED)]
    return blocks


def is_twin(outcome: Outcome) -> bool:
    """Whether the discipline of the run is a twin."""
    return outcome.setting.queue.partition("(")[0].strip() == TWIN


def _parts(outcome: Outcome) -> Any:
    ordered = sorted(outcome.members, key=lambda share: -share.chosen)
    values = [{"member": s.member, "alone": s.alone, "part": s.chosen} for s in ordered]
    return member_bars(values, f"all {outcome.metrics.cycles:,} cycles")


def followed_chart(schedule: Schedule) -> Any:
    """Cycles over spans of time, by the member that was followed.

    Args:
        schedule: of a run under a meta-rule.
    """
    import altair as alt

    cycles, choices = schedule.cycles, schedule.cycles.choices
    assert choices is not None
    unit, size = unit_of(float(cycles.time_s[-1]))
    edges = np.linspace(0.0, max(float(cycles.time_s[-1]), 1.0), _SPANS + 1)
    span = np.clip(np.searchsorted(edges, cycles.time_s, side="right") - 1, 0, _SPANS - 1)
    counts = np.zeros((_SPANS, len(choices.members)), np.int64)
    on = choices.chosen >= 0
    np.add.at(counts, (span[on], choices.chosen[on]), 1)
    at = (edges / size).tolist()
    values = [
        {"t": at[k], "to": at[k + 1], "kind": choices.members[m], "number": int(counts[k, m]), "o": m}
        for k, m in np.argwhere(counts).tolist()
    ]
    shown = [name for m, name in enumerate(choices.members) if counts[:, m].any()]
    legend = alt.Legend(title=None, orient="top", symbolType="square", columns=4, labelLimit=260)
    return themed(
        alt.Chart(rows(values), width=_WIDTH, height=150)
        .mark_bar(binSpacing=1)
        .encode(
            x=alt.X("t:Q", title=f"{unit} since the first arrival", axis=alt.Axis(grid=False)).bin("binned"),
            x2="to:Q",
            y=alt.Y("number:Q", title="cycles", stack="normalize", axis=alt.Axis(format="%", tickCount=4)),
            color=alt.Color("kind:N", scale=alt.Scale(domain=shown, range=colours(shown)), legend=legend),
            order=alt.Order("o:Q"),
            tooltip=tooltip("kind", t=".4~g", number=","),
        )
    )
