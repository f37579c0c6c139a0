"""The page of a search: the rule, its gain on unseen weeks, the reasons, the groups that lose, and the trials."""

import math
from collections.abc import Sequence

from loadmaster.measure.metric import METRICS
from loadmaster.report.columns import short, unit_for
from loadmaster.report.confidence import difference_text
from loadmaster.report.page import Block, Chart, Facts, Heading, Page, Table, Text
from loadmaster.report.theme import unchecked
from loadmaster.report.tune_charts import trials_chart, weeks_chart
from loadmaster.report.tune_claims import (
    gain_claimed,
    gain_sentences,
    rule_table,
    rule_words,
    tune_answer,
    winner_words,
)
from loadmaster.system.build import shown_version
from loadmaster.system.counted import counted
from loadmaster.tuning.full_log_run import GROUPS
from loadmaster.tuning.regressions import regressions
from loadmaster.tuning.rule_file import FRONT, usage, winner_lines
from loadmaster.tuning.search import Finalist
from loadmaster.tuning.tune import Tuning

_TITLES = {"size": "size (cores of the job)", "user": "user", "hour": "hour of arrival", "week": "week of arrival"}


def tune_page(tuning: Tuning, notes: Sequence[str], command: str) -> Page:
    """The page of a search."""
    with unchecked():
        blocks = [
            *[Text(note, "warning" if "synthetic" in note or "not kept" in note else "note") for note in notes],
            *[Text(sentence) for sentence in gain_sentences(tuning)],
            *_winner_blocks(tuning),
            *_holdout_blocks(tuning),
            *_why(tuning),
            *_loses(tuning),
            *_trials(tuning),
            Heading("How this was made"),
            Facts(_facts(tuning, command)),
        ]
    source = tuning.case.workload.source or "a log"
    return Page(tune_answer(tuning), blocks, subtitle=source, label="loadmaster tune")


def _winner_blocks(tuning: Tuning) -> list[Block]:
    selection = tuning.selection
    if selection.winner is None:
        return []
    lines = [Text(line) for line in winner_lines(selection, tuning.plan)]
    if lines:
        sure = "" if gain_claimed(tuning) else " of the best candidate, of which no gain is claimed"
        lines.insert(0, Text(f"The lines of slurm.conf{sure}:"))
    return [Heading("What it is"), _terms(tuning), *lines, Text(f"To use it: {usage(selection)}"), *_finals(tuning)]


def _terms(tuning: Tuning) -> Block:
    """The winner term by term, or its name."""
    won = tuning.selection.won
    if won is None:
        return Text(f"A built-in rule: {winner_words(tuning)}. No candidate was lower in the finals.")
    rows = [list(line) for line in tuning.selection.space.described(won.values)]
    caption, what = "Terms of no weight are left out.", "what it weighs"
    if "slurm" in tuning.plan.parts:
        caption, what = "Parameters that stay as they are at the site are left out.", "what it is"
    return Table(["term", "value", what], rows, caption=caption, prose=True)


def _finals(tuning: Tuning) -> list[Block]:
    """Why it is this one: candidates and built-in rules on the logs that decided."""
    rows = [
        [_contestant(tuning, each), *(f"{math.exp(value):.2f}" for value in _figures_of(each))]
        for each in tuning.selection.finalists
    ]
    heads = ["rule", "on the logs of the trials", "on the final logs", "longest wait there"]
    caption = (
        "Those that kept the limit in the finals too, on logs of the training weeks that no trial had seen; multiples "
        f"of {tuning.plan.baseline_name}'s {METRICS[tuning.plan.targets[0]].heading}. "
        "The lowest in all targets there wins."
    )
    return [Heading("The finals"), Table(heads, rows, caption)]


def _contestant(tuning: Tuning, finalist: Finalist) -> str:
    if finalist.number is None:
        return rule_words(tuning, finalist.rule)
    return f"candidate {finalist.number + 1}"


def _figures_of(finalist: Finalist) -> tuple[float, float, float]:
    return finalist.tried.values[0], finalist.judged.values[0], finalist.judged.longest


def _holdout_blocks(tuning: Tuning) -> list[Block]:
    heads, rows = rule_table(tuning)
    if not rows:
        return []
    caption = (
        "One run each, on the held-out weeks as they are; the intervals above are over logs drawn from them. The rule "
        f"to beat has the lowest {METRICS[tuning.plan.targets[0]].heading} here of the built-in rules within the limit."
    )
    assert tuning.unseen is not None
    best = rule_words(tuning, tuning.unseen.rival)
    tones = {(r, len(heads) - 1): "bad" for r, row in enumerate(rows) if "over" in row[-1]}
    marked = [[row[0] + (" (the rule to beat)" if row[0] == best else ""), *row[1:]] for row in rows]
    return [
        Heading("On weeks that the search never saw"),
        Table(heads, marked, caption, tones=tones),
        Chart(weeks_chart(tuning), "Mean wait of the jobs that arrived in each held-out week."),
    ]


def _why(tuning: Tuning) -> list[Block]:
    holdout = tuning.unseen
    if holdout is None or not holdout.ablations:
        return []
    rows = [[each.knob.term, difference_text(each.worse), f"{each.longest:.2f}"] for each in holdout.ablations]
    meanings = {r: each.knob.meaning for r, each in enumerate(holdout.ablations)}
    heads = ["without", "change", "longest, times"]
    count = min(holdout.logs, 10)
    caption = (
        f"The winner with one term taken out against the winner, over {count} of the same logs: above 0 the term earns "
        "its place. The longest wait is on the log where it grows most."
    )
    return [Heading("Why it wins"), Table(heads, rows, caption, below=meanings)]


def _loses(tuning: Tuning) -> list[Block]:
    holdout, winner = tuning.unseen, tuning.selection.winner
    if holdout is None or winner is None:
        return []
    name = rule_words(tuning, holdout.rival)
    groups = {by: regressions(holdout.of(winner.rule), holdout.of(holdout.rival), by) for by in GROUPS}
    each_s = [wait for some, _ in groups.values() for each in some for wait in (each.wait_s, each.before_s)]
    if not each_s:
        return [
            Heading("Where it loses"),
            Text(f"No class of jobs, user, hour or week waits longer than under {name}."),
        ]
    unit, size = unit_for(each_s)
    rows: list[list[str]] = []
    bands: dict[int, str] = {}
    for by, (some, count) in groups.items():
        if some:
            bands[len(rows)] = f"{_TITLES[by]}: {counted(count, 'waits', 'wait')} longer"
        rows += [[each.name, f"{each.jobs:,}", short(each.wait_s / size), short(each.before_s / size)] for each in some]
    caption = "Most time lost first; mean waits, one run each on the held-out weeks as they are."
    heads = ["group", "jobs", f"under the winner, {unit}", f"under {name}, {unit}"]
    return [Heading("Where it loses"), Table(heads, rows, caption, bands=bands)]


def _trials(tuning: Tuning) -> list[Block]:
    caption = (
        "Each candidate's figure on the training logs, as a multiple of that of "
        f"{tuning.plan.baseline_name} on the same logs. What won is the "
        " best on further logs of the training weeks, not the lowest here: the lowest of many is partly luck."
    )
    return [Heading("The trials"), Chart(trials_chart(tuning), caption), *_front(tuning)]


def _front(tuning: Tuning) -> list[Block]:
    """The candidates that none beats in all targets, where there are several."""
    targets, selection = tuning.plan.targets, tuning.selection
    if len(targets) == 1 or not selection.front:
        return []
    body = []
    for number in selection.front:
        trial = selection.trials[number]
        words = ", ".join(f"{term} {value}" for term, value, _ in selection.space.described(trial.values))
        times = [f"{math.exp(value):.2f}" for value in (*trial.figures.values, trial.figures.longest)]
        body.append([str(number + 1), *times, words])
    files = f" Their files stand in {FRONT}/ beside this page." if selection.space.writes else ""
    caption = (
        "Candidates that keep the limit and that no other beats in one target without losing in another, as multiples "
        f"of {tuning.plan.baseline_name} on the training logs.{files}"
    )
    heads = ["candidate", *(METRICS[target].heading for target in targets), "longest wait", "what it is"]
    return [Heading("The Pareto front"), Table(heads, body, caption)]


def _facts(tuning: Tuning, command: str) -> dict[str, str]:
    plan, weeks, case = tuning.plan, tuning.weeks, tuning.case
    holdout = tuning.unseen
    drawn = "" if holdout is None else f"{holdout.logs} logs, {'shaken' if holdout.how == 'shake' else 'drawn by user'}"
    facts = {
        "command": command,
        "version": shown_version(),
        "log": f"{case.workload.source or 'unnamed'}{' (synthetic)' if case.workload.synthetic else ''}",
        "jobs": f"{weeks.training.workload.jobs:,} searched on, {weeks.held_out.workload.jobs:,} held out",
        "weeks": f"{weeks.trained_on} searched on, then {weeks.kept_for_the_end} held out",
        "searched": ", ".join(plan.parts),
        "not searched": f"{plan.base.policy} under {plan.base.discipline}",
        "for": ", ".join(plan.targets),
        "limit": f"longest wait at most {plan.limit:g} times that of {plan.baseline_name} on three of four "
        "training logs",
        "trials": f"{len(tuning.selection.trials)}, {plan.runs} logs each; finals on {plan.final_runs} others",
        "gain": drawn,
        "seed": str(plan.seed),
        "name of the data": case.digest,
    }
    return {name: value for name, value in facts.items() if value}
