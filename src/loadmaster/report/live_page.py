"""The page of a live run: the answer on top, then the table, the charts, and how it was made."""

from collections.abc import Mapping, Sequence
from typing import Any

from loadmaster.model.units import MEMORY, show_bytes, show_seconds, signed
from loadmaster.report.columns import short, unit_for
from loadmaster.report.comparison import percent
from loadmaster.report.live_answer import live_answer, live_figures
from loadmaster.report.live_charts import (
    agreement_chart,
    choices_chart,
    hosts_chart,
    queue_over_time,
    refusals_chart,
    so_far_chart,
    spans_of,
    waits_over_time,
)
from loadmaster.report.page import Block, Chart, Facts, Heading, Page, Table, Text
from loadmaster.report.theme import themed
from loadmaster.runs.live_timeline import KINDS, LiveTimeline
from loadmaster.system.build import shown_version
from loadmaster.system.counted import counted

MOST_ROWS = 20
"""Rows of a table of hosts or of refusals."""


def live_page(timeline: LiveTimeline, command: str = "", by_group: Sequence[Block] = ()) -> Page:
    """The page of a live run.

    Args:
        timeline: of the run.
        command: that makes the page.
        by_group: what stands below its table.
    """
    figures = live_figures(timeline)
    blocks: list[Block] = [Text(text, "warning") for text in _warnings(timeline)]
    blocks += [
        _table(figures),
        *by_group,
        *_over_time(timeline),
        *_hosts(timeline),
        *_agreement(timeline),
        *_so_far(timeline),
        *_refusals(timeline),
    ]
    blocks += [*_choices(timeline, figures), *_made(timeline, command)]
    last = timeline.sessions[-1]
    subtitle = f"{last.setting.get('policy', '')} under {last.setting.get('discipline', '')} on {last.engine}, "
    subtitle += (
        f"{last.mode}, {counted(len(timeline.hosts), 'host')}, a cycle every {show_seconds(last.conduct['interval_s'])}"
    )
    return Page(live_answer(timeline), blocks, subtitle=subtitle, label=f"loadmaster live {last.engine}")


def _warnings(timeline: LiveTimeline) -> list[str]:
    texts = []
    last = timeline.sessions[-1]
    if timeline.unended:
        texts.append(f"{timeline.unended}.")
    elif last.ended not in ("done", "stopped"):
        texts.append(f"The last session did not end normally: {last.ended}.")
    if timeline.skipped:
        whys = list(dict.fromkeys(why for _, why in timeline.skipped))
        texts.append(f"In {len(timeline.skipped):,} cycles no decision was taken: {'; '.join(whys[:3])}.")
    return texts


def _table(figures: dict[str, Any]) -> Table:
    waits = [figures[f"{name}_wait_s"] for name in ("mean", "median", "p95", "longest")]
    unit, size = unit_for([wait for wait in waits if wait is not None] or [0.0])
    cells = {
        "jobs": f"{figures['jobs']:,}",
        "began": f"{figures['began']:,}",
        "wait now": f"{figures['waiting']:,}",
        **{
            f"{name} wait {unit}": "none" if wait is None else short(wait / size)
            for name, wait in zip(("mean", "median", "p95", "longest"), waits, strict=True)
        },
        "refusals": f"{sum(figures['refusals'].values()):,}",
        "cycles skipped": f"{figures['skipped']:,}",
    }
    if figures["by_others"] is not None:
        cells["begun by others"] = f"{figures['by_others']:,}"
    name = f"{figures['engine']}, {figures['mode']}"
    return Table(["run", *cells], [[name, *cells.values()]], caption=_caption(figures))


def _caption(figures: dict[str, Any]) -> str:
    text = "A wait is from a job's arrival to its start, by the engine's times or by the first observation."
    if figures["ended_unseen"]:
        text += f" {counted(figures['ended_unseen'], 'job')} came and ended between two observations and are not in it."
    return text


def _over_time(timeline: LiveTimeline) -> list[Block]:
    spans = spans_of(timeline)
    blocks: list[Block] = [
        Heading("The queue over time"),
        Chart(
            themed(queue_over_time(timeline, spans)),
            "Jobs that could begin and those that ran, as each cycle found them.",
        ),
    ]
    if timeline.began:
        unit, size = unit_for([sum(each.wait_s for each in timeline.began) / len(timeline.began)])
        chart = themed(waits_over_time(timeline, spans, unit, size))
        caption = "A point for each job, where it began; the line is the mean. Few points are left out, never a peak."
        blocks += [Heading("How long jobs waited"), Chart(chart, caption)]
    return blocks


def _hosts(timeline: LiveTimeline) -> list[Block]:
    chart = hosts_chart(timeline)
    if chart is None:
        return []
    counts = {kind: sum(host.kind == kind for host in timeline.hosts) for kind in KINDS}
    shown = ", ".join(f"{count:,} {kind}" for kind, count in counts.items() if count)
    asks = " and ".join(
        show_bytes(amount) if name == MEMORY else f"{amount:g} {name if amount != 1 else name.removesuffix('s')}"
        for name, amount in zip(timeline.resources, timeline.typical, strict=True)
        if amount
    )
    since = show_seconds(timeline.hosts_at_s)
    caption = (
        f"Each point is a host or several alike, as last seen while a job waited, {since} after {timeline.since}. In "
        "the shaded corners what is free is stranded: there is enough of it for a typical job, which requests "
        f"{asks} (medians), and too little of the other. Hosts: {shown}."
    )
    return [Heading("The hosts: free cores against free memory"), Chart(themed(chart), caption)]


def _agreement(timeline: LiveTimeline) -> list[Block]:
    agreed = timeline.agreement
    if not agreed or not agreed["site_starts"]:
        return []
    rows = [
        ["the site", f"{agreed['site_starts']:,}", short(agreed["site_cores"])],
        ["this rule", f"{agreed['our_starts']:,}", short(agreed["our_cores"])],
    ]
    same, hosts = percent(agreed["same_job"]), percent(agreed["same_hosts"])
    blocks: list[Block] = [
        Heading("Agreement with the site"),
        Chart(
            themed(agreement_chart(timeline, spans_of(timeline))),
            f"{same} of the site's starts were this rule's in the same cycle, {hosts} on the same hosts. A job that "
            "the rule would have started in another cycle counts as the site's alone.",
        ),
        Table(
            ["scheduler", "starts", "cores started"],
            rows,
            caption="A job counts for this rule once, where it would first have started it.",
        ),
    ]
    return blocks + _stranded(timeline)


def _so_far(timeline: LiveTimeline) -> list[Block]:
    """Mean waits in three worlds (rule X16)."""
    if not timeline.so_far or not timeline.so_far[-1].jobs:
        return []
    last = timeline.so_far[-1]
    unit, size = unit_for([last.site_wait_s, last.own_wait_s])
    rows = [["recorded: what happened at the site", short(last.site_wait_s / size), ""]]
    if last.model_wait_s is not None:
        error = "none waited" if last.error is None else f"{signed(last.error)}: the model's error"
        rows.append(["site: a queue by the site's own rule", short(last.model_wait_s / size), error])
    gain = "" if last.gain is None else signed(last.gain) + ("" if last.tells else ", no more than the model's error")
    rows.append(["candidate: a queue by this rule", short(last.own_wait_s / size), gain])
    caption = (
        f"Means over the same {counted(last.jobs, 'job')}, as of {show_seconds(last.at_s)} after "
        f"{timeline.since}; what still "
        f"waits counts with its wait so far. {last.open:,} of them wait or run at the site or in the candidate's queue."
    )
    blocks: list[Block] = [Heading("What the same jobs waited so far")]
    if len(timeline.so_far) > 1:
        chart = themed(so_far_chart(timeline, spans_of(timeline), unit, size))
        blocks.append(Chart(chart, "Mean waits so far, at each time when they were computed."))
    return [*blocks, Table(["whose queue", f"mean wait {unit}", "against the recorded"], rows, caption=caption)]


def _stranded(timeline: LiveTimeline) -> list[Block]:
    differ = [each for each in timeline.stranded if each.site or each.ours]
    most = sorted(differ, key=lambda each: -abs(each.site - each.ours))[:MOST_ROWS]
    if not most:
        return []
    rows = [[each.host, each.resource, percent(each.site), percent(each.ours)] for each in most]
    caption = (
        "The part of each that no typical job could use, averaged over time; where the site and the rule differ most."
    )
    return [
        Heading("What each left stranded"),
        Table(["host", "resource", "by the site", "by this rule"], rows, caption=caption),
    ]


def _refusals(timeline: LiveTimeline) -> list[Block]:
    if not timeline.refused:
        return []
    rows = [[text or "no word", kind, f"{count:,}"] for (kind, text), count in timeline.texts.most_common(MOST_ROWS)]
    return [
        Heading("What the engine refused"),
        Chart(
            themed(refusals_chart(timeline, spans_of(timeline))), "Actions that were requested and not done, by kind."
        ),
        Table(["the engine's words", "kind", "times"], rows, prose=True),
    ]


def _choices(timeline: LiveTimeline, figures: dict[str, Any]) -> list[Block]:
    if not timeline.choices:
        return []
    differed = figures["followed"][0]["differed"]
    rows = [[each["member"], f"{each['followed']:,}", f"{each['best']:,}"] for each in figures["followed"]]
    return [
        Heading("The rule that the meta-rule followed"),
        Chart(
            themed(choices_chart(timeline, spans_of(timeline))),
            "Decisions in which a job was started, by the member that was followed.",
        ),
        Table(
            ["member", "followed", f"best of the {differed:,} in which members differed"],
            rows,
            caption="On a tie a meta-rule follows the first member, and a twin stays with its member.",
        ),
    ]


def _made(timeline: LiveTimeline, command: str) -> list[Block]:
    last, conduct = timeline.sessions[-1], timeline.sessions[-1].conduct
    rows = [[each.command, each.mode, show_seconds(each.at_s), each.ended or "not said"] for each in timeline.sessions]
    facts = {
        "engine": last.engine,
        **{name: _words(last.setting.get(name)) for name in _SETTING},
        **{name.replace("_", " "): _words(conduct.get(name)) for name in _CONDUCT},
        **_config(last.config),
        "left out at the end": "; ".join(f"{count:,}: {why}" for why, count in timeline.left_out.items()),
        "page": command,
        "version": shown_version(),
    }
    return [
        Heading("How this was made"),
        Facts({name: value for name, value in facts.items() if value}),
        Table(["session", "mode", "began after", "ended"], rows, prose=True),
    ]


def _config(config: Mapping[str, Any]) -> dict[str, str]:
    if not config:
        return {}
    options = ", ".join(f"{name} {_words(value)}" for name, value in config["options"].items())
    return {f"options of {config['file']}": options, "overridden on the command line": _words(config["overridden"])}


def _words(value: Any) -> str:
    return "" if value is None else ", ".join(map(str, value)) if isinstance(value, list) else str(value)


_SETTING = ("policy", "members", "discipline", "site", "shares", "reservations", "lookahead", "estimates", "seed")
_CONDUCT = ("mode", "max_starts", "on_exit", "others", "fallback")
