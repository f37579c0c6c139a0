"""`live slurm`: checks a Slurm, tests it, runs beside it or runs it, and releases its held jobs."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from loadmaster.system.counted import counted
from loadmaster.verbs.live_drive import LiveRun, Screen, drive, quiet
from loadmaster.verbs.live_options import CONDUCT, OnExit, Others, QueueOptions
from loadmaster.verbs.live_result import Lived, Looked
from loadmaster.verbs.option import Option
from loadmaster.verbs.unused_options import refuse_all_but, refuse_unused

if TYPE_CHECKING:
    from loadmaster.live.slurm.engine import SlurmEngine

SAFETY = "Before and after"
EVERYWHERE = ("conf", "state", "config")
WORK = {
    "doctor": ("partition", "as_json"), "probe": ("partition", "as_json"), "print_": ("partition", "fail_open"),
    "watchdog": ("fail_open", "as_json"), "uninstall": ("as_json",),
}  # fmt: skip
"""What is requested beside a run, and the options that each of them looks at beside those `EVERYWHERE`."""
NOT_OF_A_RUN = {*WORK, "conf", "state", "fail_open", "as_json"}


@dataclass(frozen=True, kw_only=True)
class SlurmOptions(QueueOptions):
    """All that a run on Slurm can be told."""

    on_exit: OnExit = "release"
    others: Others = "release"
    partition: Annotated[
        str | Sequence[str],
        Option("Schedule jobs of these partitions only.", metavar="A,B,...", panel=CONDUCT, typed=str),
    ] = ""
    conf: Annotated[
        "str | Path | None",
        Option("The slurm.conf; else SLURM_CONF or the machine's own.", metavar="FILE", typed=Path | None),
    ] = None
    site_accounts: Annotated[
        "str | Path | None",
        Option("What sacctmgr prints: limits, shares, QOS.", metavar="FILE", typed=Path | None),
    ] = None
    state: Annotated[
        "str | Path | None",
        Option(
            "Folder of lease and heartbeat; Slurm's controller reads the heartbeat.", metavar="DIR", typed=Path | None
        ),
    ] = None
    doctor: Annotated[
        bool, Option("Only check: rights, hook, latency, jobs left out.", panel=SAFETY, in_file=False)
    ] = False
    probe: Annotated[
        str, Option("Run a test job of one second on HOST.", metavar="HOST", panel=SAFETY, in_file=False)
    ] = ""
    print_: Annotated[
        Literal["hook", "units", "config", "dashboard", "alerts"] | None,
        Option(
            "Print job_submit.lua, unit files of systemd, or what the option prints for other engines.",
            flags=("--print",),
            panel=SAFETY,
            in_file=False,
        ),
    ] = None  # type: ignore[assignment]
    fail_open: Annotated[
        str | float,
        Option("Hold no job if the heartbeat is older than this.", metavar="TIME", panel=SAFETY, typed=str),
    ] = "10min"
    watchdog: Annotated[
        bool, Option("Release all that is held if there is no heartbeat.", panel=SAFETY, in_file=False)
    ] = False
    uninstall: Annotated[bool, Option("Release all that is held, and end.", panel=SAFETY, in_file=False)] = False

    def patience(self) -> float:
        """Seconds without a heartbeat after which nothing is held.

        Raises:
            InputError: it is no time, or too short.
        """
        from loadmaster.live.slurm.hook import FAIL_OPEN_S
        from loadmaster.model import InputError
        from loadmaster.model.units import parse_seconds

        patience_s = parse_seconds(str(self.fail_open))
        if patience_s < 10.0:
            raise InputError(self.fail_open, "--fail-open is 10 s or more", fix=f"such as {FAIL_OPEN_S:.0f}s")
        return patience_s

    def check_run(self) -> None:
        """As for every queue, and see that --fail-open is a time that is long enough."""
        super().check_run()
        self.patience()

    @property
    def asked(self) -> str:
        """What is requested beside a run; empty for a run.

        Raises:
            InputError: several things.
        """
        from loadmaster.model import InputError

        works = [name for name in WORK if getattr(self, name)]
        if len(works) > 1:
            words = " ".join(f"--{name.strip('_')}" for name in works)
            raise InputError(words, "only one of these options can be given", fix="give one of them")
        return works[0] if works else ""


def slurm_with(options: SlurmOptions, screen: Screen = quiet, command: str = "") -> Lived | Looked:
    """Place the jobs of a running Slurm, or look at it.

    Raises:
        InputError: no Slurm here, an option changes nothing, or another loadmaster has the lease.
    """
    from loadmaster.live.queue.decider import LiveExtras
    from loadmaster.live.session.clocks import RealClock
    from loadmaster.live.slurm.engine import SlurmEngine
    from loadmaster.live.slurm.reasons import Reasons
    from loadmaster.runs.site_case import own_rule
    from loadmaster.verbs.run_options import split

    work = options.asked
    if text := options.printed():
        return Looked("print", text=text)
    patience_s = options.patience()
    names, conf, state = split(options.partition), _path(options.conf), _path(options.state)
    if work:
        stands = f"--{work.strip('_')} stands alone"
        if options.print_ == "units":  # all else is what the service is to be started with
            options.live_settings(options.on_exit, options.others)
        else:
            refuse_all_but(options, (work, *WORK[work], *EVERYWHERE), stands)
        engine = SlurmEngine(conf, looks_on=True, folder=state, partitions=names)
        return _look(options, work, engine, state, names, patience_s)
    refuse_unused(options, {"fail_open"} - {*options.configured}, "it works only with --print and --watchdog")
    how = options.live_settings(options.on_exit, options.others)
    setting = options.setting(how)
    engine = SlurmEngine(
        conf,
        _path(options.site_accounts),
        looks_on=not how.acts,
        folder=state,
        partitions=names,
        leaves_held=how.on_exit == "hold",
    )
    extras = LiveExtras(beside=Reasons() if how.acts else None, ready=True)
    run = LiveRun(
        options.about(command),
        screen,
        extras,
        notes=engine.notes,
        metrics=options.served_at(),
        alert=options.alert_command(),
        site=own_rule(engine.site),
    )
    return drive(engine, RealClock(), setting, how, options.folder, run)


def _path(given: str | Path | None) -> Path | None:
    return None if given is None else Path(given)


def _look(
    options: SlurmOptions,
    what: str,
    engine: "SlurmEngine",
    state: Path | None,
    partitions: Sequence[str],
    patience_s: float,
) -> Looked:
    """What is asked beside running."""
    from math import isfinite

    from loadmaster.live.session.finding import Finding
    from loadmaster.live.slurm.doctor import examine
    from loadmaster.live.slurm.engine import locked
    from loadmaster.live.slurm.hook import Heartbeat, heartbeat_path
    from loadmaster.live.slurm.probe import probe
    from loadmaster.live.slurm.release import release_all

    beat = Heartbeat(heartbeat_path(engine.cluster, state))
    if options.print_ is not None:
        return Looked("print", text=_printed(options, engine, beat.path, patience_s, partitions))
    if what == "doctor":
        return Looked(what, (*options.config_findings(), *examine(engine, beat.path.absolute())))
    if what == "probe":
        return Looked(what, tuple(probe(engine.commands, options.probe, partitions[0] if partitions else "")))
    age_s = beat.age_s()
    if what == "watchdog" and age_s <= patience_s:
        return Looked(what, (Finding("ok", f"the heartbeat is {age_s:.0f} s old: nothing is released"),))
    if what == "uninstall":
        for lock in locked(engine.settings, state):  # a run would go on holding what comes next
            lock.release()
        beat.stop()
    released = release_all(engine.commands, engine.owner)
    findings = [Finding("ok", f"{counted(len(released.done), 'job')} released to Slurm's own scheduler")]
    if what == "watchdog":
        last = f"the last is {age_s:.0f} s old" if isfinite(age_s) else "there is none"
        findings.append(Finding("note", f"no fresh heartbeat in {beat.path}: {last}"))
    findings += [Finding("bad", f"job {job} stays held: {why}") for job, why in released.failed]
    if released.of_others:
        held = counted(len(released.of_others), "job stays", "jobs stay")
        those = f"{held} held by a loadmaster with another --state"
        findings.append(Finding("note", those, "give its --state to release them"))
    if what == "uninstall":
        findings.append(Finding("note", "take job_submit.lua and JobSubmitPlugins=lua out of Slurm by hand"))
    return Looked(what, tuple(findings))


def _printed(options: SlurmOptions, engine: Any, heartbeat: Path, patience_s: float, partitions: Sequence[str]) -> str:
    import os
    import shlex

    from loadmaster.live.slurm.hook import hook_text
    from loadmaster.live.slurm.units import unit_files
    from loadmaster.verbs.run_options import split

    if options.print_ == "hook":
        return hook_text(heartbeat.absolute(), patience_s, os.geteuid(), partitions, engine.default_partition)
    state, conf = heartbeat.parent.absolute(), _path(options.conf)
    where = ["--state", str(state), *([] if conf is None else ["--conf", str(conf.absolute())])]
    words = [] if {"out"} & {*options.given, *options.configured} else ["-o", str(state / "record")]
    for name in options.given:
        value = getattr(options, name)
        if name not in NOT_OF_A_RUN and value not in (None, False, ""):
            text = ",".join(split(value)) if name == "partition" else str(value)
            words += [options.flag(name)] if value is True else [options.flag(name), text]
    run, user = shlex.join(words), _user()
    files = unit_files(_program(), shlex.join(where), run, Path.cwd(), patience_s, user, options.on_alert)
    return "\n".join(f"# {name}\n{content}" for name, content in files.items())


def _user() -> str:
    """The user that runs this, by name where it has one."""
    import os
    import pwd

    try:
        return pwd.getpwuid(os.geteuid()).pw_name
    except KeyError:
        return str(os.geteuid())


def _program() -> str:
    """The command that runs now, or else this package by its Python."""
    import os
    import shlex
    import sys

    me = Path(sys.argv[0])
    if me.name == "loadmaster" and os.access(me, os.X_OK):
        return shlex.quote(str(me.absolute()))
    return shlex.join([sys.executable, "-m", "loadmaster"])
