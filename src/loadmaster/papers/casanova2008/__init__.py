"""Casanova et al.: Resource allocation using virtual clusters (2008), re-run."""

from loadmaster.papers import StudyOptions
from loadmaster.papers.casanova2008 import caps, claims, large_claims
from loadmaster.papers.casanova2008.cap_accuracy import SETS
from loadmaster.papers.casanova2008.figures import charts
from loadmaster.papers.casanova2008.gang import fractions_beat_slices
from loadmaster.papers.casanova2008.outcome import outcome_of
from loadmaster.papers.casanova2008.study import QUICK, Size, cells, run
from loadmaster.papers.claim import Reproduction
from loadmaster.report.progress import bar

TITLE = "Casanova et al. 2008: resource allocation using virtual clusters"


def reproduce(options: StudyOptions) -> Reproduction:
    """Table 1, Figures 2 to 22 and the claims of the text; a specification once finished is not run again."""
    size = QUICK if options.quick else Size()
    wanted = cells(size, options.seed)
    with bar("specifications", len(wanted), "specifications", options.watch) as advance:
        frame = run(wanted, options.out / "casanova2008-records", advance, options.on)
    outcomes = {part: outcome_of(frame, part) for part in ("small", "large", "parallel", "large-lp")}
    shown = [
        *claims.tables(outcomes),
        *claims.small(outcomes["small"]),
        *large_claims.large(outcomes["large"]),
        *large_claims.sampled(outcomes["large-lp"], outcomes["large"]),
        *large_claims.parallel(outcomes["parallel"]),
        *claims.other(),
        *(fractions_beat_slices(options.seed, parallel=parallel) for parallel in (False, True)),
    ]
    figures = charts(outcomes)
    if options.live:
        with bar("caps", len(SETS), "sets of programs", options.watch) as advance:
            found = caps.measured(options.quick, lambda *_: advance(1))
        shown += caps.claims(found)
        figures.append(caps.chart(found))
    else:
        shown.append(caps.without())
    return Reproduction("casanova2008", TITLE, shown, figures, _notes(size, options.quick))


def _notes(size: Size, quick: bool) -> list[str]:
    sample = "; ".join(f"{count} a specification with {tasks} tasks" for tasks, count in size.large_lp if count)
    few = ["A quick run has few instances: where their interval is wider than the band, the number is reported only."]
    return [
        *(few if quick else []),
        "All instances are synthetic: demands normal with mean 0.5, drawn again outside [0.01, 1]; memory then scaled "
        "so that the slack is exact. A memory demand may exceed a host; such an instance is infeasible.",
        "The optimum comes from our branch and bound, which proves every small instance; it agrees with HiGHS on the "
        "paper's program and with a dynamic programme in the tests.",
        "MCB: bisection to 0.001, first probe at half the bound; the yield is that of the mapping found.",
        "RRND and RRNZ on 64 hosts need a linear program of seconds each: " + (sample or "not run") + ".",
        "Run times are CPU seconds of the thread that ran, so that they bear a busy machine.",
        "The paper averages each algorithm over the instances it solved and the bound over all. That mixes different "
        "sets, so numbers over the same instances stand beside, in brackets.",
    ]
