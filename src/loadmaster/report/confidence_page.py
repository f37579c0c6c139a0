"""The part of a comparison's page on confidence: the chart of the intervals and their table."""

from loadmaster.measure.metric import METRICS, shown_as
from loadmaster.model.units import percent
from loadmaster.report.comparison import Comparison, load_words
from loadmaster.report.confidence import difference_text, samples_words
from loadmaster.report.interval_chart import interval_chart
from loadmaster.report.page import Block, Chart, Heading, Table
from loadmaster.report.theme import themed
from loadmaster.runs.judgement import Judged, Judgement


def sure_blocks(comparison: Comparison) -> list[Block]:
    """A picture and a table for every load, the highest first; nothing without samples."""
    blocks: list[Block] = []
    for judgement in sorted(comparison.judgements, key=lambda each: -each.load):
        several = len(comparison.judgements) > 1
        blocks.append(Heading("How sure this is" + (f", at {load_words(judgement.load)}" if several else "")))
        blocks.append(Chart(themed(interval_chart(comparison, judgement)), _caption(judgement)))
        blocks.append(_table(comparison, judgement))
        blocks += _of_metrics(comparison, judgement)
    return blocks


def _of_metrics(comparison: Comparison, judgement: Judgement) -> list[Block]:
    """A column a metric: how far each rule is from the baseline, with its interval."""
    shown = (name for name, metric in METRICS.items() if metric.shown in ("usual", "interval"))
    others = (name for name in shown if name != "mean_wait_s")  # the table above has its difference
    chosen = comparison.metrics or (*others, *judgement.rows[0].setting.metrics)
    names = [name for name in chosen if any(name in row.differences for row in judgement.rows)]
    rows = [row for row in judgement.rows if row.differences]
    if not names or not rows:
        return []
    heads = ["rule", *(shown_as(name).heading for name in names)]
    cells = [
        [
            comparison.rule_name(row.setting),
            *(difference_text(row.differences[name]) if name in row.differences else "-" for name in names),
        ]
        for row in rows
    ]
    base = comparison.rule_name(judgement.baseline)
    return [Table(heads, cells, caption=f"Each metric against that of {base}, over the same samples; below 0 is less.")]


def _caption(judgement: Judgement) -> str:
    how = {
        "percentile": "Whiskers hold the middle 95 % of the samples. A longer log makes them shorter; more samples "
        "do not.",
        "spread": "Whiskers are 95 % intervals, from the spread of few samples. A longer log makes them shorter.",
        "mean": "Whiskers are 95 % intervals of the mean over independent logs. More logs make them shorter.",
        "chaos": "Whiskers are not an interval: they show how far chance moves the difference, not how logs differ.",
    }
    kinds = {row.difference.how for row in judgement.rows if row.difference is not None}
    text = f"The dot is the mean over {samples_words(judgement)}, paired: all rules saw the same. "
    if (all_ran := _all_ran(judgement)) < judgement.sampled.samples:
        text += (
            f"A rule that was surely worse was stopped early, after {all_ran:,} samples or more. A dot and its "
            "whisker are over the samples on which the rule and the baseline ran. "
        )
    return text + " ".join(how[kind] for kind in sorted(kinds))


def _table(comparison: Comparison, judgement: Judgement) -> Table:
    best = [k for k, row in enumerate(judgement.rows) if row.setting in judgement.best]
    weeks = any(row.weeks is not None for row in judgement.rows)
    all_ran = _all_ran(judgement)
    which = f"the first {all_ran:,} samples" if all_ran < judgement.sampled.samples else "the samples"
    caption = (
        f"Lowest in: the part of {which} in which the rule waits least. Rank: the position of this log's own mean "
        "wait among those of the samples; 1 is the lowest."
    )
    more = " Weeks needed: length of such a log that would show a rule to be worse than the leader." if weeks else ""
    if judgement.kind != "none" and len(judgement.rows) > 2:
        more += " Verdicts are against the leader and adjusted for the number of rules; differences are neither."
    heads = ["rule", "difference", "lowest in", "rank of this log", "weeks needed", "verdict"]
    return Table(
        [head for head in heads if weeks or not head.startswith("weeks")],
        [_cells(comparison, judgement, row, weeks) for row in judgement.rows],
        best=frozenset((k, 1) for k in best),
        caption=caption + more,
    )


def _all_ran(judgement: Judgement) -> int:
    """On so many samples all rules ran: a race leaves out rules that are surely worse."""
    return min(row.samples for row in judgement.rows)


def _cells(comparison: Comparison, judgement: Judgement, row: Judged, weeks: bool) -> list[str]:
    words = {"best": "best", "tied": "may be the best", "none": ""}[judgement.kind]
    apart = "-" if row.difference is None else difference_text(row.difference)
    return [
        comparison.rule_name(row.setting),
        "baseline" if row.setting == judgement.baseline else apart,
        percent(row.lowest_in),
        f"{row.rank} of {row.samples + 1}",
        *(["" if row.weeks is None else f"{row.weeks:,.0f}"] if weeks else []),
        words if row.setting in judgement.best else "",
    ]
