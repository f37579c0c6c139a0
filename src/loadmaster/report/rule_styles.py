"""Styles of rules in charts: colour by policy, dash and mark by discipline and machines."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from loadmaster.report.comparison import Comparison
from loadmaster.report.theme import colours, turn_of
from loadmaster.runs import Outcome, Setting

DASHES = ([1, 0], [7, 3], [2, 3], [12, 3, 2, 3], [16, 5], [5, 2, 1, 2, 1, 2], [1, 6], [9, 2, 4, 2])
SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "triangle-right")
SEVERAL = (
    "#20609f", "#c2620a", "#138a5e", "#c92a3a", "#7a4fc4", "#1d9aa8", "#c2479b", "#8a6d1d", "#6fa8dc", "#f0ad4e",
    "#77c29f", "#7a828e",
)  # fmt: skip
"""Where colours do not tell policies apart, rules take these in turn."""


@dataclass(frozen=True)
class RuleStyle:
    """How one rule is drawn; no other rule of its comparison has the same colour and the same style.

    Attributes:
        colour: of its lines, bars and marks.
        style: number of its dash and mark; 0 is a whole line and a circle.
    """

    colour: str
    style: int

    @property
    def dash(self) -> list[int]:
        """Lengths of strokes and gaps."""
        return DASHES[self.style % len(DASHES)]

    @property
    def shape(self) -> str:
        """Of its marks."""
        return SHAPES[self.style % len(SHAPES)]


def rule_styles(comparison: Comparison) -> dict[str, RuleStyle]:
    """The look of every rule, by its name.

    Several policies: each has its colour, as in every report, and each discipline on each set of machines its dash. One
    policy, also where all others coincide with it, or more disciplines than there are dashes: colours in turn, and the
    next dash when they are through.
    """
    shown = [outcome.setting for outcome in comparison.outcomes]
    rules = list({comparison.rule_name(each): each for each in (*shown, *comparison.settings)}.items())
    policies = list(comparison.policies)
    kinds = list(dict.fromkeys((each.discipline, each.hosts) for _, each in rules))
    turns = [turn_of(policies, policy) for policy in policies]
    if len({each.policy for each in shown}) == 1 or len(kinds) * (1 + max(turns)) > len(DASHES):
        return {name: RuleStyle(SEVERAL[k % len(SEVERAL)], k // len(SEVERAL)) for k, (name, _) in enumerate(rules)}
    colour = dict(zip(policies, colours(policies), strict=True))

    def style(setting: Setting) -> int:
        return kinds.index((setting.discipline, setting.hosts)) + len(kinds) * turn_of(policies, setting.policy)

    return {name: RuleStyle(colour[each.policy], style(each)) for name, each in rules}


class Drawn:
    """The rules of one chart, in the order given, and the channels that tell them apart."""

    def __init__(self, comparison: Comparison, outcomes: Sequence[Outcome]) -> None:
        styles = rule_styles(comparison)
        self.names = list(dict.fromkeys(comparison.rule_name(outcome.setting) for outcome in outcomes))
        self.looks = [styles[name] for name in self.names]
        self._policies = len({outcome.setting.policy for outcome in outcomes})

    @property
    def plain(self) -> bool:
        """Colours alone tell these rules apart."""
        return all(look.style == 0 for look in self.looks)

    def colour(self, legend: Any = None) -> Any:
        """The colour channel for the column `rule`."""
        import altair as alt

        return alt.Color("rule:N", scale=self._scale([look.colour for look in self.looks]), legend=legend)

    def dash(self, legend: Any = None) -> dict[str, Any]:
        """The channel of dashes; none where colours are enough."""
        import altair as alt

        if self.plain:
            return {}
        scale = self._scale([look.dash for look in self.looks])
        return {"strokeDash": alt.StrokeDash("rule:N", scale=scale, legend=legend)}

    def row(self, comparison: Comparison, outcome: Outcome) -> dict[str, str]:
        """Of the data of a chart with marks: the rule of a run, and its mark."""
        name = comparison.rule_name(outcome.setting)
        return {"rule": name} if self.plain else {"rule": name, "mark": self.looks[self.names.index(name)].shape}

    def shape(self) -> dict[str, Any]:
        """The channel of the shapes of marks, which the data name: a legend shows lines. None where colours are enough.

        Rows are those of `row`.
        """
        import altair as alt

        return {} if self.plain else {"shape": alt.Shape("mark:N", scale=None, legend=None)}

    def legend(self, **where: Any) -> Any:
        """A legend of lines; long names take fewer columns."""
        import altair as alt

        if "columns" in where:
            room = max(1, min(where["columns"], 170 // (max(map(len, self.names)) + 8)))
            where["columns"] = self._policies if not self.plain and 1 < self._policies <= room else room
        return alt.Legend(title=None, symbolType="stroke", symbolStrokeWidth=3, symbolSize=500, labelLimit=360, **where)

    def told_apart(self, chart: Any) -> Any:
        """`chart`, which has a choice of these rules, as a page's script finds it."""
        appearance = [[name, look.colour, look.dash] for name, look in zip(self.names, self.looks, strict=True)]
        return chart.properties(usermeta={"rules": appearance})

    def _scale(self, values: list[Any]) -> Any:
        import altair as alt

        return alt.Scale(domain=self.names, range=values)
