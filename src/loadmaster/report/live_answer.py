"""A live run in one sentence, and in figures."""

from typing import Any

import numpy as np

from loadmaster.model.units import show_seconds, signed
from loadmaster.report.comparison import listed, percent
from loadmaster.runs.live_timeline import LiveTimeline
from loadmaster.system.counted import counted


def live_figures(timeline: LiveTimeline) -> dict[str, Any]:
    """The figures of a live run, as JSON takes them; null where there is nothing to take a figure of."""
    wait_s = np.array([each.wait_s for each in timeline.began])
    some = wait_s.size > 0
    last = timeline.sessions[-1]
    return {
        "engine": last.engine,
        "mode": last.mode,
        "sessions": len(timeline.sessions),
        "ended": last.ended or None,
        "lasted_s": timeline.last_s - timeline.counted[0].at_s,
        "cycles": len(timeline.counted),
        "jobs": timeline.jobs,
        "began": len(timeline.began),
        "by_others": timeline.by_others if timeline.acts else None,
        "ended_unseen": timeline.unseen,
        "waiting": len(timeline.waiting_s),
        "longest_waiting_s": max(timeline.waiting_s, default=None),
        "mean_wait_s": float(wait_s.mean()) if some else None,
        "median_wait_s": float(np.median(wait_s)) if some else None,
        "p95_wait_s": float(np.quantile(wait_s, 0.95)) if some else None,
        "longest_wait_s": float(wait_s.max()) if some else None,
        "refusals": dict(timeline.refusals),
        "skipped": len(timeline.skipped),
        "left_out_jobs": dict(timeline.left_out),
        "agreement": dict(timeline.agreement) or None,
        "so_far": timeline.so_far[-1].plain() if timeline.so_far else None,
        "stranded_by_host": [each._asdict() for each in timeline.stranded],
        "followed": _members_followed(timeline),
    }


def live_answer(timeline: LiveTimeline) -> str:
    """How long it ran, what began and how it waited, what was refused; of a shadow, how far the site agreed."""
    figures = live_figures(timeline)
    lasted = show_seconds(figures["lasted_s"])
    text = f"In {lasted} {_of(figures['began'], figures['jobs'])} began"
    if figures["mean_wait_s"] is not None:
        mean, most = show_seconds(figures["mean_wait_s"]), show_seconds(figures["p95_wait_s"])
        one = figures["began"] == 1
        text += f", after {mean} of waiting" + ("" if one else f" on average; one in twenty waited over {most}")
    else:
        text += "" if figures["jobs"] else ": none came"
    parts = [text, *_troubles(timeline), *_agreement(timeline), *_so_far(timeline)]
    parts += [timeline.unended] if timeline.unended else []
    return ". ".join(parts) + "."


def _troubles(timeline: LiveTimeline) -> list[str]:
    troubles = []
    if timeline.acts:
        kinds = [f"{count:,} {kind}" for kind, count in timeline.refusals.most_common()]
        refused = sum(timeline.refusals.values())
        troubles.append(
            f"The engine refused {counted(refused, 'time')} ({listed(kinds)})" if refused else "Nothing was refused"
        )
    if timeline.refused_jobs:
        names = ", ".join(timeline.refused_jobs[:3]) + (", ..." if len(timeline.refused_jobs) > 3 else "")
        those = counted(len(timeline.refused_jobs), "job")
        troubles.append(f"{those} had not started for that by the end ({names})")
    if timeline.waiting_s:
        longest = show_seconds(max(timeline.waiting_s))
        troubles.append(f"{counted(len(timeline.waiting_s), 'job')} still waited, the longest for {longest}")
    return troubles


def _agreement(timeline: LiveTimeline) -> list[str]:
    agreed = timeline.agreement
    if not agreed:
        return []
    if agreed["same_job"] is None:
        return ["It sent no action to the engine, and the site started no job that had been seen to wait"]
    same, hosts = percent(agreed["same_job"]), percent(agreed["same_hosts"])
    return [
        f"It sent no action to the engine: of the site's {counted(agreed['site_starts'], 'start')} it would "
        f"have made {same} in "
        f"the same cycle, {hosts} on the same hosts"
    ]


def _so_far(timeline: LiveTimeline) -> list[str]:
    """The last of the waits so far; a gain only where it is larger than the model's error (rules H6 and H7)."""
    if not timeline.so_far or not timeline.so_far[-1].jobs:
        return []
    waits = timeline.so_far[-1]
    site, own = show_seconds(waits.site_wait_s), show_seconds(waits.own_wait_s)
    text = (
        f"{counted(waits.jobs, 'job')} had waited {site} at the site on average, and {own} in a queue under this rule"
    )
    if not waits.site_wait_s:
        return [text]
    if waits.gain is None or waits.error is None:
        return [f"{text}; the error of this comparison is not known"]
    if not waits.tells:
        return [f"{text}. That is no gain, since the model of the site is wrong by {signed(waits.error)}"]
    return [f"{text} ({signed(waits.gain)}; the model of the site is wrong by {signed(waits.error)})"]


def _members_followed(timeline: LiveTimeline) -> list[dict[str, Any]]:
    """By member of a meta-rule: how often it was followed, and was worth most where members differed."""
    members = list(dict.fromkeys(name for each in timeline.choices for name in (each.member, *each.best)))
    return [
        {
            "member": member,
            "followed": sum(each.member == member for each in timeline.choices),
            "best": sum(each.differed and member in each.best for each in timeline.choices),
            "differed": sum(each.differed for each in timeline.choices),
        }
        for member in members
    ]


def _of(part: int, whole: int) -> str:
    if part == whole == 1:
        return "the one job"
    return f"{part:,} of {counted(whole, 'job')}" if part != whole else f"all {counted(whole, 'job')}"
