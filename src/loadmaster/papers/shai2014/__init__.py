"""Shai: heuristics for resource matching in Intel's compute farm (thesis, 2014), re-run."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from loadmaster.papers import StudyOptions
from loadmaster.papers.claim import Claim, Reproduction
from loadmaster.papers.shai2014 import figures
from loadmaster.papers.shai2014.bucket_claims import bucket_claims, shape_table
from loadmaster.papers.shai2014.buckets import Matches, logged_buckets, synthetic_buckets
from loadmaster.papers.shai2014.choice_claims import choice_claims
from loadmaster.papers.shai2014.demand_figures import demand_charts, logged_requests, synthetic_requests
from loadmaster.papers.shai2014.example_figures import example_charts
from loadmaster.papers.shai2014.examples import example_claims
from loadmaster.papers.shai2014.load_claims import load_claims
from loadmaster.papers.shai2014.load_tables import readings_table, richer_table
from loadmaster.papers.shai2014.loads import (
    METRICS,
    OPEN,
    RESERVED,
    Curves,
    LoadedStream,
    ReservationReading,
    run_streams,
    synthetic_streams,
)
from loadmaster.papers.shai2014.published import TABLE_2_1, TITLE
from loadmaster.papers.shai2014.real_logs import netbatch_stream, wagap_stream
from loadmaster.papers.shai2014.setup import READINGS, SHAPES, StudySetup
from loadmaster.papers.shai2014.table_2_1 import counts, generator_claims, log_claims, missing_claims, pool_of
from loadmaster.report.page import Block, Heading, Text
from loadmaster.report.progress import bar
from loadmaster.results.on_dask import pool_on
from loadmaster.results.store import Store
from loadmaster.results.study import CellMaker
from loadmaster.traces import Trace, read_trace

__all__ = ["TITLE", "StudySetup", "reproduce"]


@dataclass(frozen=True)
class Given:
    """The user's own NetBatch log."""

    pool: str
    path: Path
    jobs: int
    users: int
    trace: Trace


def reproduce(options: StudyOptions) -> Reproduction:
    """Table 2.1, the bucket experiment and the load experiment; finished parts lie in `options.out`."""
    return reproduce_with(StudySetup.quick(options.seed) if options.quick else StudySetup(options.seed), options)


def reproduce_with(setup: StudySetup, options: StudyOptions) -> Reproduction:
    """As `reproduce`, of any size."""
    records = options.out / "shai2014-records"
    records.mkdir(parents=True, exist_ok=True)
    given = _given(options.trace) if options.trace else None
    total = 4 * setup.bucket_streams + (len(SHAPES) if given else 0)
    with bar("buckets", total, "streams", options.watch) as progress:
        made = synthetic_buckets(setup, records, progress, options.on)
        own = logged_buckets(given.pool, given.trace.workload, progress) if given else {}
    loads = _loads(setup, options, given, records)
    shown = [
        *_table_2_1(setup, given),
        *example_claims(),
        *bucket_claims(made, "synthetic"),
        *(bucket_claims(own, f"of {given.path.name}") if given else []),
        *load_claims(loads.pools, loads.logs),
        *choice_claims(loads.pools, loads.logs),
        *load_claims(loads.open_pools, loads.open_logs),
    ]
    blocks = [*_illustrations(setup, given), *_blocks(setup, made, own, loads)]
    return Reproduction("shai2014", TITLE, shown, blocks, _notes(setup))


def _given(path: Path) -> Given:
    jobs, users = counts(path)
    return Given(pool_of(path, jobs), path, jobs, users, read_trace(path))


def _table_2_1(setup: StudySetup, given: Given | None) -> list[Claim]:
    if given is None:
        return [*missing_claims(list(TABLE_2_1)), *generator_claims(setup.seed)]
    claims = log_claims(given.pool, given.path, given.jobs, given.users, given.trace)
    missing = [pool for pool in TABLE_2_1 if pool != given.pool]
    return [*claims, *missing_claims(missing), *generator_claims(setup.seed)]


@dataclass(frozen=True)
class Loads:
    """Results of the load experiment under both readings of the cycle, and with more memory at the highest load."""

    pools: dict[str, Curves]
    logs: dict[str, Curves]
    open_pools: dict[str, Curves]
    open_logs: dict[str, Curves]
    richer: dict[str, Curves]


def _loads(setup: StudySetup, options: StudyOptions, given: Given | None, records: Path) -> Loads:
    pools = {pool: synthetic_streams(pool, setup) for pool in TABLE_2_1}
    few, richer = replace(setup, streams=min(setup.richer_streams, setup.streams)), {}
    for pool in TABLE_2_1:
        streams = synthetic_streams(pool, few, setup.richer_gb)
        richer[pool] = [LoadedStream(stream.case, stream.betas[:1]) for stream in streams]
    logs = {}
    if options.traces is not None:
        logs["wagap-2013"] = [wagap_stream(options.traces, setup)]
    if given is not None:
        logs[f"given log of pool {given.pool}"] = [netbatch_stream(given.pool, given.trace, setup)]
    parts = ((pools, RESERVED), (logs, RESERVED), (pools, OPEN), (logs, OPEN), (richer, RESERVED))
    total = sum(
        len(stream.cells(reading)) * stream.case.workload.jobs
        for part, reading in parts
        for streams in part.values()
        for stream in streams
    )
    workers = pool_on(options.on)
    store = Store.in_folder(records)
    try:
        with bar("loads", total, "jobs", options.watch) as progress:
            return Loads(*(_run(part, reading, setup, store, workers, progress) for part, reading in parts))
    finally:
        store.close()


def _run(
    streams: Mapping[str, list[LoadedStream]],
    reading: ReservationReading,
    setup: StudySetup,
    store: Store,
    workers: CellMaker,
    progress: Callable[[int], None],
) -> dict[str, Curves]:
    return {
        name: run_streams(name, found, reading, setup.warm_up_s, store, workers, progress)
        for name, found in streams.items()
    }


def _illustrations(setup: StudySetup, given: Given | None) -> list[Block]:
    """What jobs request, and the worked examples."""
    blocks: list[Block] = [
        Heading("What the jobs request"),
        *demand_charts(synthetic_requests(setup), "synthetic pools"),
    ]
    if given:
        blocks += demand_charts(logged_requests(given.pool, given.trace.workload.demand), f"log {given.path.name}")
    return [*blocks, Heading("The worked examples"), *example_charts()]


def _blocks(
    setup: StudySetup, made: Mapping[str, list[Matches]], own: Mapping[str, list[Matches]], loads: Loads
) -> list[Block]:
    reserved, open_ = {**loads.pools, **loads.logs}, {**loads.open_pools, **loads.open_logs}
    blocks: list[Block] = [Heading("The bucket experiment")]
    for label, found in (("synthetic", made), ("the given log", own)):
        if found:
            blocks += [
                figures.win_chart(found, figure, label, shape)
                for shape in range(len(READINGS))
                for figure in ("Figure 3.5", "Figure 4.4")
            ]
            blocks.append(shape_table(found))
    return [
        *blocks,
        Heading("The load experiment"),
        Text(_pools_text(setup), "note"),
        readings_table((reserved, open_)),
        *(figures.load_chart(reserved, metric) for metric in METRICS),
        figures.relative_chart(reserved),
        figures.choice_chart(reserved),
        Heading("The load experiment without reservations"),
        figures.load_chart(open_, "wait"),
        figures.relative_chart(open_),
        Heading("With more memory"),
        richer_table(loads.pools, loads.richer, setup.richer_gb),
    ]


def _pools_text(setup: StudySetup) -> str:
    return (
        f"Synthetic pools with {setup.scale:g} of the published hosts, 4 GiB a core; {setup.streams} streams a pool of "
        f"{setup.jobs:,} jobs each, runtimes cut at {setup.longest_run_s / 3600:g} h; cycles every 30 s, with "
        f"reservations as in the thesis and without. Jobs of the first {setup.warm_up_s / 3600:g} h are not measured: "
        f"the hosts are empty at first. The smallest of the factors {', '.join(f'{beta:g}' for beta in setup.betas)} "
        f"offers {setup.highest_load:.0%} of the scarcer resource."
    )


def _notes(setup: StudySetup) -> list[str]:
    return [
        "Pools A to D are synthetic: made after published totals; memory of hosts and jobs is assumed.",
        "Intervals are 95 %, Student's t over independent streams, paired where two policies are compared.",
        _pools_text(setup),
        f"{setup!r}",
    ]
