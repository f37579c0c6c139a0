"""The groups of jobs that gain and that lose under a rule, in words, compared with before (rule R16)."""

from collections.abc import Sequence

import numpy as np

from loadmaster.model.units import show_alike
from loadmaster.report.breakdown import RuleGroups
from loadmaster.report.columns import short
from loadmaster.report.comparison import CLOSE


def change_sentences(rules: Sequence[RuleGroups], by: str) -> list[str]:
    """For every comparable rule but the first: how many groups gain and pay, the largest of each, and the cost."""
    before, *others = [each for each in rules if each.comparable] or [rules[0]]
    return [_change(before, after, by) for after in others]


def _change(before: RuleGroups, after: RuleGroups, by: str) -> str:
    """Groups are compared where jobs of them started under both."""
    old, new = before.by(by), after.by(by)
    was_s = dict(zip(old.names, old.mean_wait_s.tolist(), strict=True))
    ran = dict(zip(old.names, (old.jobs > 0).tolist(), strict=True))
    both = np.array([bool(ran.get(name)) and jobs > 0 for name, jobs in zip(new.names, new.jobs, strict=True)])
    was = np.array([was_s.get(name, 0.0) for name in new.names])
    more_s = np.where(both, new.jobs * (new.mean_wait_s - was), 0.0)
    pays = both & (new.mean_wait_s > (1.0 + CLOSE) * was)
    gains = both & (new.mean_wait_s < (1.0 - CLOSE) * was)
    if not (pays.any() or gains.any()):
        return f"{after.name}: no group waits over 1 % longer or shorter."
    parts = []
    for those, words, sign in ((gains, "gain", -1.0), (pays, "pay", 1.0)):
        if those.any():
            most = int(np.argmax(np.where(those, sign * more_s, -np.inf)))
            now, then = show_alike(float(new.mean_wait_s[most]), float(was[most]))
            verb = words if those.sum() > 1 else f"{words}s"
            parts.append(
                f"{those.sum():,} of {both.sum():,} groups {verb}, most of all {by} {new.names[most]} "
                f"({now} on average, not {then})"
            )
        else:
            parts.append(f"none {words}s")
    cost = f" The cost: {short(float(more_s[pays].sum()) / 3600)} hours of waiting more" if pays.any() else ""
    gain = f"the gain: {short(-float(more_s[gains].sum()) / 3600)} hours less" if gains.any() else ""
    sums = f"{cost}; {gain}." if cost and gain else f" {(cost or gain).strip().capitalize()}." if cost or gain else ""
    return f"{after.name}: {'; '.join(parts)}.{sums}"
