"""The document of `tune --json`."""

import math
from collections.abc import Sequence
from typing import Any

from loadmaster.report.document import document, left_out
from loadmaster.report.tune_claims import gain_claimed, rule_words, tune_answer
from loadmaster.tuning.bench import PortableRule
from loadmaster.tuning.figures import Figures
from loadmaster.tuning.full_log_run import GROUPS
from loadmaster.tuning.regressions import regressions
from loadmaster.tuning.rule_file import file_name, winner_lines
from loadmaster.tuning.tune import Tuning

SHOWN = ("mean_wait_s", "mean_bounded_slowdown", "p95_wait_s", "longest_wait_s")
"""Metrics of each rule on the held-out weeks."""


def tune_document(tuning: Tuning, notes: Sequence[str], command: str) -> dict[str, Any]:
    """All results of a search."""
    holdout, case = tuning.unseen, tuning.case
    content = {
        "answer": tune_answer(tuning),
        "targets": list(tuning.plan.targets),
        "longest_wait_limit": tuning.plan.limit,
        "training_weeks": tuning.weeks.trained_on,
        "held_out_weeks": tuning.weeks.kept_for_the_end,
        "claimed": gain_claimed(tuning),
        "resample": None if holdout is None else holdout.how,
        "samples": None if holdout is None else holdout.logs,
        "winner": _winner(tuning),
        "rule_to_beat": None if holdout is None else _named(holdout.rival),
        "gains": _gains(tuning),
        "held_out": _held_out(tuning),
        "ablation": _ablation(tuning),
        "losers": _regressions(tuning),
        "front": list(tuning.selection.front),
        "rejected_work": case.rejected.work,
        "rows": trial_rows(tuning),
    }
    return document(
        "tune",
        content,
        command=command,
        seed=tuning.plan.seed,
        synthetic=case.workload.synthetic,
        notes=notes,
        left_out=[*left_out(case.skipped), *left_out(case.rejected)],
    )


def trial_rows(tuning: Tuning) -> list[dict[str, Any]]:
    """A row for each trial; `times` a figure is its ratio to that of the baseline on the same logs."""
    return [
        {"trial": trial.number, **_figures(tuning, trial.figures), "values": dict(trial.values)}
        for trial in tuning.selection.trials
    ]


def _figures(tuning: Tuning, figures: Figures) -> dict[str, Any]:
    targets = (f"times_{target}" for target in tuning.plan.targets)
    return {
        **{name: math.exp(value) for name, value in zip(targets, figures.values, strict=True)},
        "times_longest_wait": math.exp(figures.longest),
        "kept_limit": figures.keeps(tuning.plan.limit),
    }


def _named(rule: PortableRule) -> dict[str, str]:
    return {"policy": rule.setting.policy, "discipline": rule.setting.discipline}


def _winner(tuning: Tuning) -> dict[str, Any] | None:
    winner, won = tuning.selection.winner, tuning.selection.won
    if winner is None:
        return None
    values = {} if won is None else dict(won.values)
    lines = list(winner_lines(tuning.selection, tuning.plan))
    return {
        **_named(winner.rule),
        "file": file_name(tuning.selection),
        "trial": winner.number,
        "values": values,
        "slurm_conf": lines,
    }


def _gains(tuning: Tuning) -> list[dict[str, Any]]:
    rows = []
    for gain in () if tuning.unseen is None else tuning.unseen.gains:
        for target, difference in zip(tuning.plan.targets, gain.differences, strict=True):
            mean, low, high = difference.change
            ends = {"chaos_low": low, "chaos_high": high} if difference.how == "chaos" else {}
            sure = {} if ends else {"difference_low": low, "difference_high": high}
            empty = dict.fromkeys(("difference_low", "difference_high", "chaos_low", "chaos_high"))
            rows.append({**_named(gain.against), "target": target, "difference": mean, **empty, **sure, **ends})
    return rows


def _held_out(tuning: Tuning) -> list[dict[str, Any]]:
    holdout = tuning.unseen
    if holdout is None:
        return []
    return [
        {**_named(rule), **{name: whole.values[name] for name in SHOWN}, "unstarted": int(whole.values["unstarted"])}
        for rule, whole in zip(holdout.rules, holdout.whole, strict=True)
    ]


def _ablation(tuning: Tuning) -> list[dict[str, Any]]:
    rows = []
    for each in () if tuning.unseen is None else tuning.unseen.ablations:
        mean, low, high = each.worse.change
        rows.append(
            {
                "without": each.knob.name,
                "difference": mean,
                "difference_low": low,
                "difference_high": high,
                "times_longest_wait": each.longest,
            }
        )
    return rows


def _regressions(tuning: Tuning) -> list[dict[str, Any]]:
    holdout, winner = tuning.unseen, tuning.selection.winner
    if holdout is None or winner is None:
        return []
    best = holdout.rival
    return [
        {
            "by": each.by,
            "name": each.name,
            "jobs": each.jobs,
            "mean_wait_s": each.wait_s,
            "mean_wait_before_s": each.before_s,
            "against": rule_words(tuning, best),
        }
        for by in GROUPS
        for each in regressions(holdout.of(winner.rule), holdout.of(best), by)[0]
    ]
