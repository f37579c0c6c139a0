"""Amir et al.: An opportunity cost approach for job assignment in a scalable computing cluster (2000), re-run."""

from dataclasses import replace

from loadmaster.papers import StudyOptions
from loadmaster.papers.amir2000 import claims, on_groups
from loadmaster.papers.amir2000.figures import charts
from loadmaster.papers.amir2000.robustness import cluster_table, method_table, needs_table, spread, switch_table
from loadmaster.papers.amir2000.study import MethodSlowdowns, Setup, run_study
from loadmaster.papers.claim import Reproduction
from loadmaster.report.page import Block, Heading, Text
from loadmaster.report.progress import bar

TITLE = "Amir et al. 2000: an opportunity cost approach for job assignment"


def reproduce(options: StudyOptions) -> Reproduction:
    """Tables 1 to 3 and Figures 1 to 4, then the same under other guesses at what the paper leaves open."""
    main = Setup(executions=150 if options.quick else 3000, seed=options.seed)
    others = replace(main, executions=50 if options.quick else 500)
    wide = replace(main, methods=(*main.methods, "d-pvm", "assign-u", "assign-u-r", "greedy"))
    wide = replace(wide, executions=50 if options.quick else 1000)
    records = options.out / "amir2000-records"

    def study(setup: Setup) -> MethodSlowdowns:
        with bar(f"{setup.cluster}, {setup.cpu_load}", setup.executions, "executions", options.watch) as progress:
            return run_study(setup, records, options.on, progress)

    outcome, many = study(main), study(wide)
    by_cluster, by_switch = cluster_table(others, study), switch_table(others, study)
    shown = [
        *claims.table_1(outcome),
        *claims.orderings(main, outcome),
        *claims.ratios(main, outcome),
        *claims.unknown_needs(wide, many),
        *claims.errata(),
    ]
    if options.live:
        with bar("two control groups", 2 * on_groups.STREAMS, "runs", options.watch) as advance:
            shown += on_groups.claims(on_groups.measured(options.seed, progress=advance))
    else:
        shown.append(on_groups.without())
    blocks: list[Block] = [
        *charts(main, outcome),
        Heading("Enhanced Mosix against Mosix, over clusters and readings of the load"),
        Text(spread(by_cluster, by_switch), "warning"),
        by_cluster,
        Heading("What the paper leaves open, one choice at a time"),
        by_switch,
        Heading("All methods"),
        method_table(wide, many),
        Heading("Unknown needs"),
        Text("Memory is believed to be the mean of the jobs seen so far; what runs is seen as it is."),
        needs_table(others, study),
    ]
    return Reproduction("amir2000", TITLE, shown, blocks, _notes(main))


def _notes(setup: Setup) -> list[str]:
    return [
        "Slowdowns and their ratios are report only: the machines, the thrashing factor and Mosix itself are not "
        "published, so theirs cannot be expected to come out; which rule is better than which can.",
        "All streams are synthetic: Pareto lengths and memories as in section 5 of the paper.",
        f"Mosix is a reconstruction: {setup.mosix!r}; initial placement round robin. Enhanced Mosix has the same "
        "period and contacts.",
        f"{setup!r}",
        "Intervals are 95 % bootstrap intervals over executions. Slowdowns have heavy tails: compare medians too.",
    ]
