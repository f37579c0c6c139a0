"""A live run in one sentence, and in figures."""

from typing import Any

import numpy as np

from loadmaster.model.units import show_seconds, signed
from loadmaster.report.comparison import listed, percent
from loadmaster.runs.live_timeline import Course


def live_figures(course: Course) -> dict[str, Any]:
    """The figures of a live run, as JSON takes them; null where there is nothing to take a figure of."""
    wait_s = np.array([each.wait_s for each in course.began])
    some = wait_s.size > 0
    last = course.sessions[-1]
    return {
        "engine": last.engine,
        "mode": last.mode,
        "sessions": len(course.sessions),
        "ended": last.ended or None,
        "lasted_s": course.last_s - course.counted[0].at_s,
        "cycles": len(course.counted),
        "jobs": course.jobs,
        "began": len(course.began),
        "by_others": course.by_others if course.acts else None,
        "ended_unseen": course.unseen,
        "waiting": len(course.waiting_s),
        "longest_waiting_s": max(course.waiting_s, default=None),
        "mean_wait_s": float(wait_s.mean()) if some else None,
        "median_wait_s": float(np.median(wait_s)) if some else None,
        "p95_wait_s": float(np.quantile(wait_s, 0.95)) if some else None,
        "longest_wait_s": float(wait_s.max()) if some else None,
        "refusals": dict(course.refusals),
        "skipped": len(course.skipped),
        "left_out_jobs": dict(course.left_out),
        "agreement": dict(course.agreement) or None,
        "so_far": course.so_far[-1].plain() if course.so_far else None,
        "stranded_by_host": [each._asdict() for each in course.stranded],
        "followed": _followed(course),
    }


def live_answer(course: Course) -> str:
    """How long it ran, what began and how it waited, what was refused; of a shadow, how far the site agreed."""
    figures = live_figures(course)
    lasted = show_seconds(figures["lasted_s"])
    text = f"In {lasted} {_of(figures['began'], figures['jobs'])} began"
    if figures["mean_wait_s"] is not None:
        mean, most = show_seconds(figures["mean_wait_s"]), show_seconds(figures["p95_wait_s"])
        one = figures["began"] == 1
        text += f", after {mean} of waiting" + ("" if one else f" on average; one in twenty waited over {most}")
    else:
        text += "" if figures["jobs"] else ": none came"
    parts = [text, *_troubles(course), *_agreement(course), *_so_far(course)]
    parts += [course.unended] if course.unended else []
    return ". ".join(parts) + "."


def _troubles(course: Course) -> list[str]:
    found = []
    if course.acts:
        kinds = [f"{count:,} {kind}" for kind, count in course.refusals.most_common()]
        refused = sum(course.refusals.values())
        found.append(
            f"The engine refused {_many(refused, 'time')} ({listed(kinds)})" if refused else "Nothing was refused"
        )
    if course.refused_jobs:
        names = ", ".join(course.refused_jobs[:3]) + (", ..." if len(course.refused_jobs) > 3 else "")
        those = _many(len(course.refused_jobs), "job")
        found.append(f"{those} had not started for that by the end ({names})")
    if course.waiting_s:
        longest = show_seconds(max(course.waiting_s))
        found.append(f"{_many(len(course.waiting_s), 'job')} still waited, the longest for {longest}")
    return found


def _agreement(course: Course) -> list[str]:
    agreed = course.agreement
    if not agreed:
        return []
    if agreed["same_job"] is None:
        return ["It asked nothing of the engine, and the site started nothing that had been seen to wait"]
    same, hosts = percent(agreed["same_job"]), percent(agreed["same_hosts"])
    return [
        f"It asked nothing of the engine: of the site's {agreed['site_starts']:,} starts it would have made {same} in "
        f"the same cycle, {hosts} on the same hosts"
    ]


def _so_far(course: Course) -> list[str]:
    """The last of the waits so far; a gain only where it is larger than the model's error (rules H6 and H7)."""
    if not course.so_far or not course.so_far[-1].jobs:
        return []
    found = course.so_far[-1]
    site, own = show_seconds(found.site_wait_s), show_seconds(found.own_wait_s)
    text = f"{_many(found.jobs, 'job')} had waited {site} at the site on average, and {own} in a queue under this rule"
    if not found.site_wait_s:
        return [text]
    if found.gain is None or found.error is None:
        return [f"{text}; how far that can be believed is not known"]
    if not found.tells:
        return [f"{text}, which tells nothing: the model of the site is wrong by {signed(found.error)}"]
    return [f"{text} ({signed(found.gain)}; the model of the site is wrong by {signed(found.error)})"]


def _followed(course: Course) -> list[dict[str, Any]]:
    """By member of a meta-rule: how often it was followed, and was worth most where members differed."""
    members = list(dict.fromkeys(name for each in course.choices for name in (each.member, *each.best)))
    return [
        {
            "member": member,
            "followed": sum(each.member == member for each in course.choices),
            "best": sum(each.differed and member in each.best for each in course.choices),
            "differed": sum(each.differed for each in course.choices),
        }
        for member in members
    ]


def _of(part: int, whole: int) -> str:
    if part == whole == 1:
        return "the one job"
    return f"{part:,} of {_many(whole, 'job')}" if part != whole else f"all {_many(whole, 'job')}"


def _many(number: int, what: str) -> str:
    return f"{number:,} {what}" + ("s" if number != 1 else "")
