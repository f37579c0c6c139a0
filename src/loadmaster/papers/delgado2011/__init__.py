"""Delgado 2011 (poster): efficiency assessment of parallel workloads on virtualized resources, re-run."""

from collections.abc import Sequence
from itertools import product

from loadmaster.papers import StudyOptions
from loadmaster.papers.claim import Reproduction
from loadmaster.papers.delgado2011 import claims, figures
from loadmaster.papers.delgado2011.streams import CREDITS, StreamGroup, ctc, grid, seeds, stretches
from loadmaster.papers.delgado2011.study import PLATFORMS, StudyCase, StudyRow, run_cases
from loadmaster.report.page import Block, Heading
from loadmaster.report.progress import bar
from loadmaster.sharing.equilibrium import MOST_ROUNDS

TITLE = "Delgado 2011: parallel jobs on shared virtual machines"


def reproduce(options: StudyOptions) -> Reproduction:
    """64 machines of 4 VMs, equal and unequal shares, every choice of VMs, real logs where they are given."""
    jobs, parts = (600, 8) if options.quick else (1000, 10)
    loads = (0.3, 0.7) if options.quick else (0.3, 0.5, 0.7, 0.9)
    wide = stretches(ctc(options.traces, parts * jobs), parts)
    bags = stretches(grid(options.traces, parts * jobs), parts)
    lublin = seeds("Lublin-like, 24 % serial", jobs, 0.244, options.seed, parts)
    serials = seeds("80 % serial", jobs, 0.8, options.seed, parts)
    groups = (wide, bags, lublin)
    cases = _cases(groups, serials, loads)
    streams = {stream.name: stream for group in (*groups, serials) for stream in group.streams}
    with bar("runs", len(cases), "runs", options.watch) as progress:
        rows = run_cases(cases, streams, options.out / "delgado2011-records", progress, options.on)
    shown = [
        *(claim for group in (wide, lublin) for claim in claims.underused(rows, group, 0.3)),
        *claims.serial_jobs(rows, serials, 0.3),
        claims.ripple(rows, serials, lublin, 0.7),
        *(claims.heterogeneous_is_harder(rows, group, 0.7) for group in groups),
        claims.incremental_ranking(rows, lublin, 0.3),
    ]
    drawn = {group.name: claims.averages(rows, group) for group in groups}
    blocks: list[Block] = [
        *figures.platform_bars(
            drawn[bags.name], f"Grid-like ({bags.name}): heterogeneous and homogeneous VMs", bags.name, 0.7
        ),
        *figures.load_bars(drawn[lublin.name], "Algorithms, homogeneous VMs", lublin.name, "homogeneous", loads),
        *figures.load_bars(drawn[lublin.name], "Algorithms, heterogeneous VMs", lublin.name, "heterogeneous", loads),
        *figures.platform_bars(drawn[wide.name], wide.name, wide.name, 0.7),
        Heading("Ripple and elasticity"),
        figures.effects(drawn[wide.name], wide.name, loads),
        figures.effects(drawn[lublin.name], lublin.name, loads),
        Heading("All runs"),
        figures.all_runs({case: row for rows in drawn.values() for case, row in rows.items()}),
    ]
    return Reproduction("delgado2011", TITLE, shown, blocks, _notes(jobs, groups, rows))


def _cases(groups: Sequence[StreamGroup], serials: StreamGroup, loads: tuple[float, ...]) -> list[StudyCase]:
    wide, bags, lublin = groups
    main = (*wide.parts, *lublin.parts)
    cases = [StudyCase(*key) for key in product(main, PLATFORMS, loads, claims.CHOICES)]
    cases += [StudyCase(*key) for key in product(bags.parts, PLATFORMS, (0.7,), claims.CHOICES)]
    cases += [StudyCase(*key) for key in product(serials.parts, PLATFORMS, (0.3,), claims.CHOICES)]
    cases += [StudyCase(s, "heterogeneous", 0.7, "pc-g") for s in serials.parts]
    cases += [StudyCase(s, "homogeneous", 0.3, "pc-g", ranking="static") for s in lublin.parts]
    for stream, platform, load in product(main, PLATFORMS, loads):
        cases += [
            StudyCase(stream, platform, load, "pcfc-sg", coupled=False),
            StudyCase(stream, platform, load, "pcfc-sg", redistribute=False),
            StudyCase(stream, platform, load, "pcfc-sg", capped=0.5),
        ]
    return list(dict.fromkeys(cases))


def _notes(jobs: int, groups: Sequence[StreamGroup], rows: dict[StudyCase, StudyRow]) -> list[str]:
    unsettled = sum(row.unsettled > 0 for row in rows.values())
    return [
        f"Streams of {jobs} jobs, {len(groups[0].streams)} of each kind: {', '.join(group.name for group in groups)}; "
        "streams named by their part of serial jobs are synthetic. Stretches of a log stand for streams.",
        "Intervals are 95 %, Student's t over the streams, paired where two choices of VMs are compared. Efficiency "
        "while all machines are in use is pooled: a stream counts by the part of its time in which they are.",
        "The Grid'5000 trace of the poster cannot be had; a grid's serial jobs stand in for it.",
        "EC, PC and the backfill are reconstructions: the poster names them without formulas. VMs have minimum 0 and "
        "maximum 1; EASY takes the work at speed 1 for the runtime.",
        f"Runs with events after which {MOST_ROUNDS:,} rounds had not settled the speeds: {unsettled} of {len(rows)}.",
        *(
            f"The log {group.name}: Parallel Workloads Archive ({CREDITS[group.name]})."
            for group in groups
            if group.name in CREDITS
        ),
    ]
