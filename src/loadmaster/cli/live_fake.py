"""`loadmaster live fake`: the loop on an engine in memory, with a clock of its own and any trouble one asks for."""

from pathlib import Path
from typing import Annotated

import typer

from loadmaster.cli import live_options as v
from loadmaster.cli import options as o


def fake(
    context: typer.Context,
    trace: o.OptionalTrace = None,
    hosts: o.Hosts = None,
    policy: v.Policy = "mix-fit",
    discipline: v.Discipline = "easy",
    interval: v.Interval = "30s",
    shadow: v.Shadow = False,
    dry_run: v.DryRun = False,
    for_: v.For = "",
    max_starts: v.MaxStarts = None,
    on_exit: v.OnExit = "release",
    others: v.Others = "keep",
    trouble: Annotated[
        str, typer.Option(metavar="WHAT=P,...", help="What goes wrong how often, such as gone=0.01,dead=0.001.")
    ] = "",
    launch: Annotated[str, typer.Option(metavar="TIME", help="From being released to running.")] = "0s",
    seed: o.Seed = 0,
    spread: o.SpreadOption = "auto",
    format: o.Format = "auto",
    swf_memory: o.SwfMemoryOption = "per-processor",
    memory_unit: o.MemoryUnit = None,
    columns: o.Columns = None,
    limit: o.Limit = None,
    strict: o.Strict = False,
    metrics: v.MetricsPort = None,
    out: v.Out = Path("live"),
    as_json: o.AsJson = False,
) -> None:
    """Run a log live on a cluster in memory: a day takes seconds, and whatever goes wrong can be asked for.

    Without --for it goes on until every job is over.
    """
    from loadmaster.cli.idle import refuse_reading
    from loadmaster.cli.load import load, noting, remarks
    from loadmaster.live.clocks import FakeClock
    from loadmaster.live.fake import FakeEngine
    from loadmaster.live.trouble import Rates
    from loadmaster.model.units import parse_seconds
    from loadmaster.runs import Setting

    refuse_reading(context, trace)
    reading = o.read_options(format, swf_memory, memory_unit, columns, limit, strict, hosts)
    how = v.conduct(interval, shadow, dry_run, for_, max_starts, on_exit, others)
    rates, launch_s = Rates.of(trouble), parse_seconds(launch)
    case = noting(load(trace, hosts, reading, spread), policy)
    work = case.workload
    setting = Setting(policy, discipline, interval_s=how.interval_s, seed=seed)
    clock = FakeClock(float(work.submit_s[0]))
    engine = FakeEngine(work, case.cluster, clock, rates=rates, seed=seed, launch_s=launch_s)
    v.drive(
        engine, clock, setting, how, out, as_json=as_json, synthetic=work.synthetic, notes=tuple(remarks(case)),
        jobs=work.jobs, done=engine.is_done, metrics=metrics,
    )  # fmt: skip
