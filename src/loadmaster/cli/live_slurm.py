"""`loadmaster live slurm`: looks at a Slurm, tries it, runs beside it, runs it; and lets go of it."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Literal

import typer

from loadmaster.cli import live_options as v
from loadmaster.cli import options as o

SAFETY = "Before and after"
WORK = ("doctor", "probe", "print_", "watchdog", "uninstall")


def slurm(
    policy: v.Policy = "mix-fit",
    discipline: v.Discipline = "easy",
    interval: v.Interval = "30s",
    shadow: v.Shadow = False,
    dry_run: v.DryRun = False,
    for_: v.For = "",
    max_starts: v.MaxStarts = None,
    on_exit: v.OnExit = "release",
    others: v.Others = "keep",
    partition: Annotated[
        str, typer.Option(metavar="A,B,...", help="Only jobs of these partitions.", rich_help_panel=v.CONDUCT)
    ] = "",
    conf: Annotated[
        Path | None, typer.Option(metavar="FILE", help="The slurm.conf; else SLURM_CONF or the machine's own.")
    ] = None,
    site_accounts: Annotated[
        Path | None,
        typer.Option("--site-accounts", metavar="FILE", help="What sacctmgr prints: limits, shares, QOS."),
    ] = None,
    state: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Where lease and heartbeat are; Slurm's controller reads the latter."),
    ] = None,
    doctor: Annotated[
        bool,
        typer.Option("--doctor", help="Only look: rights, hook, latency, what is left out.", rich_help_panel=SAFETY),
    ] = False,
    probe: Annotated[
        str, typer.Option(metavar="HOST", help="Run one job of a second of our own on HOST.", rich_help_panel=SAFETY)
    ] = "",
    print_: Annotated[
        Literal["hook", "units"] | None,
        typer.Option("--print", help="Print job_submit.lua, or unit files of systemd.", rich_help_panel=SAFETY),
    ] = None,
    fail_open: Annotated[
        str,
        typer.Option(metavar="TIME", help="Without a heartbeat for so long nothing is held.", rich_help_panel=SAFETY),
    ] = "10min",
    watchdog: Annotated[
        bool,
        typer.Option("--watchdog", help="Release all that is held if there is no heartbeat.", rich_help_panel=SAFETY),
    ] = False,
    uninstall: Annotated[
        bool, typer.Option("--uninstall", help="Release all that is held, and end.", rich_help_panel=SAFETY)
    ] = False,
    seed: o.Seed = 0,
    metrics: v.MetricsPort = None,
    out: v.Out = Path("live"),
    as_json: o.AsJson = False,
) -> None:
    """Place the jobs of a running Slurm; start with --doctor, then --shadow.

    Examples: live slurm --doctor; live slurm --shadow --for 1h -o beside; live slurm --policy mix-fit --max-starts 5.
    """
    from loadmaster.cli.run_options import split
    from loadmaster.live.clocks import RealClock
    from loadmaster.live.slurm.engine import SlurmEngine
    from loadmaster.live.slurm.hook import FAIL_OPEN_S
    from loadmaster.model import InputError
    from loadmaster.model.units import parse_seconds
    from loadmaster.runs import Setting

    asked = [name for name, given in zip(WORK, (doctor, probe, print_, watchdog, uninstall), strict=True) if given]
    if len(asked) > 1:
        words = " ".join(f"--{name.strip('_')}" for name in asked)
        raise InputError(words, "each of these stands alone", fix="give one of them")
    patience_s = parse_seconds(fail_open)
    if patience_s < 10.0:
        raise InputError(fail_open, "--fail-open is 10 s or more", fix=f"such as {FAIL_OPEN_S:.0f}s")
    names = split(partition)
    if asked:
        _look(asked[0], conf, state, names, probe, print_, patience_s, as_json)
        return
    how = v.conduct(interval, shadow, dry_run, for_, max_starts, on_exit, others)
    setting = Setting(policy, discipline, interval_s=how.interval_s, seed=seed)
    engine = SlurmEngine(conf, site_accounts, looks_on=not how.acts, folder=state, partitions=names)
    v.drive(engine, RealClock(), setting, how, out, as_json=as_json, notes=engine.notes, metrics=metrics)


def _look(
    what: str, conf: Path | None, state: Path | None, partitions: Sequence[str], host: str,
    text: Literal["hook", "units"] | None, patience_s: float, as_json: bool,
) -> None:  # fmt: skip
    """What is asked beside running."""
    from loadmaster.cli.live_findings import show
    from loadmaster.live.finding import Finding
    from loadmaster.live.slurm.doctor import examine
    from loadmaster.live.slurm.engine import SlurmEngine
    from loadmaster.live.slurm.hook import Heartbeat, heartbeat_path
    from loadmaster.live.slurm.probe import probe
    from loadmaster.live.slurm.release import release_all

    engine = SlurmEngine(conf, looks_on=True, folder=state, partitions=partitions)
    beat = Heartbeat(heartbeat_path(engine.cluster, state))
    if text is not None:
        print(_printed(engine, text, beat.path, patience_s, partitions), end="")
        return
    if what == "doctor":
        found = examine(engine)
    elif what == "probe":
        found = probe(engine.commands, host, partitions[0] if partitions else "")
    elif what == "watchdog" and (age_s := beat.age_s()) <= patience_s:
        found = [Finding("ok", f"a sign of life {age_s:.0f} s ago: nothing is released")]
    else:
        if what == "uninstall":
            beat.stop()
        released = release_all(engine.commands)
        found = [Finding("ok", f"{len(released.done):,} jobs released to Slurm's own scheduler")]
        found += [Finding("bad", f"job {job} stays held: {why}") for job, why in released.failed]
        if what == "uninstall":
            found.append(Finding("note", "job_submit.lua and JobSubmitPlugins=lua are yours to take out of Slurm"))
    show(what, found, as_json)


def _printed(engine, text, heartbeat, patience_s, partitions) -> str:  # type: ignore[no-untyped-def]
    import os
    import sys

    from loadmaster.live.slurm.hook import hook_text
    from loadmaster.live.slurm.units import unit_files

    if text == "hook":
        return hook_text(heartbeat.absolute(), patience_s, os.geteuid(), partitions, engine.default_partition)
    files = unit_files(Path(sys.argv[0]).absolute(), f"--state {heartbeat.parent.absolute()}", patience_s)
    return "\n".join(f"# {name}\n{content}" for name, content in files.items())
