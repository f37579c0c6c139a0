"""Delgado 2011 (poster): efficiency assessment of parallel workloads on virtualized resources, re-run."""

from itertools import product

from loadmaster.papers import Options
from loadmaster.papers.claim import Reproduction
from loadmaster.papers.delgado2011 import claims, figures
from loadmaster.papers.delgado2011.streams import Stream, ctc, grid, synthetic
from loadmaster.papers.delgado2011.study import PLATFORMS, Case, Row, run_cases
from loadmaster.report.page import Block, Heading
from loadmaster.report.progress import bar
from loadmaster.share.equilibrium import MOST_ROUNDS

TITLE = "Delgado 2011: parallel jobs on shared virtual machines"


def reproduce(options: Options) -> Reproduction:
    """64 machines of 4 VMs, equal and unequal shares, every choice of VMs, real logs where they are given."""
    jobs, seeds = (1000, 3) if options.quick else (10_000, 10)
    loads = (0.3, 0.7) if options.quick else (0.3, 0.5, 0.7, 0.9)
    real = [ctc(options.traces, jobs), grid(options.traces, jobs)]
    parallel = Stream("Lublin-like, 24 % serial", synthetic(jobs, 0.244, options.seed))
    serial_seeds = [
        Stream(f"80 % serial, seed {options.seed + k}", synthetic(1500, 0.8, options.seed + k)) for k in range(seeds)
    ]
    parallel_seeds = [
        Stream(f"24 % serial, seed {options.seed + k}", synthetic(1500, 0.244, options.seed + k)) for k in range(seeds)
    ]
    streams = {s.name: s for s in (*real, parallel, *serial_seeds, *parallel_seeds)}
    main = [s.name for s in (*real, parallel)]
    serials, parallels = [s.name for s in serial_seeds], [s.name for s in parallel_seeds]
    wide, bags, lublin = main
    cases = _cases(main, serials, parallels, loads)
    with bar("runs", len(cases), "runs") as progress:
        rows = run_cases(cases, streams, options.out / "delgado2011-records", progress)
    shown = [
        *claims.underused(rows, [wide, lublin], 0.3),
        *claims.serial_jobs(rows, serials, 0.3),
        claims.ripple(rows, serials, parallels, 0.7),
        *claims.heterogeneous_is_harder(rows, main, 0.7),
        claims.incremental_ranking(rows, lublin, 0.3),
    ]
    blocks: list[Block] = [
        figures.platform_bars(rows, f"Grid-like ({bags}): heterogeneous and homogeneous VMs", bags, 0.7),
        figures.load_bars(rows, "Algorithms, homogeneous VMs", lublin, "homogeneous", loads),
        figures.load_bars(rows, "Algorithms, heterogeneous VMs", lublin, "heterogeneous", loads),
        figures.platform_bars(rows, wide, wide, 0.7),
        Heading("Ripple and elasticity"),
        figures.effects(rows, wide, loads),
        figures.effects(rows, lublin, loads),
        Heading("All runs"),
        figures.all_runs(rows),
    ]
    return Reproduction("delgado2011", TITLE, shown, blocks, _notes(jobs, main, rows))


def _cases(main: list[str], serials: list[str], parallels: list[str], loads: tuple[float, ...]) -> list[Case]:
    cases = [Case(*key) for key in product(main, PLATFORMS, loads, claims.CHOICES)]
    cases += [Case(*key) for key in product(serials, PLATFORMS, (0.3,), claims.CHOICES)]
    cases += [Case(s, "heterogeneous", 0.7, "pc-g") for s in (*serials, *parallels)]
    cases += [Case(main[2], "homogeneous", 0.3, "pc-g", ranking="static")]
    for stream, platform, load in product((main[0], main[2]), PLATFORMS, loads):
        cases += [
            Case(stream, platform, load, "pcfc-sg", coupled=False),
            Case(stream, platform, load, "pcfc-sg", redistribute=False),
            Case(stream, platform, load, "pcfc-sg", capped=0.5),
        ]
    return list(dict.fromkeys(cases))


def _notes(jobs: int, main: list[str], rows: dict[Case, Row]) -> list[str]:
    unsettled = sum(row.unsettled > 0 for row in rows.values())
    return [
        f"Streams of {jobs} jobs: {', '.join(main)}; streams named by their part of serial jobs are synthetic.",
        "The Grid'5000 trace of the poster cannot be had; a grid's serial jobs stand in for it.",
        "EC, PC and the backfill are reconstructions: the poster names them without formulas. VMs have minimum 0 and "
        "maximum 1; EASY takes the work at speed 1 for the runtime.",
        f"Runs with events after which {MOST_ROUNDS:,} rounds had not settled the speeds: {unsettled} of {len(rows)}.",
        "Logs: Parallel Workloads Archive (CTC: Dan Dwyer and Steve Hotovy; LCG: e-Science group at Imperial College).",
    ]
