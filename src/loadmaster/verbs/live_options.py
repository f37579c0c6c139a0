"""Options that the engines of `live` share, and the settings of a run that follow from them."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from loadmaster.verbs.common_options import Seed
from loadmaster.verbs.option import Option, Options
from loadmaster.verbs.rules import Discipline, Rule
from loadmaster.verbs.unused_options import refuse_unused

if TYPE_CHECKING:
    from loadmaster.live.queue.alerts import AlertCommand
    from loadmaster.live.queue.metrics import ServedAt
    from loadmaster.live.queue.settings import LiveSettings
    from loadmaster.live.session.finding import Finding
    from loadmaster.runs import Setting

SHORTEST_TOKEN = 16
CONDUCT = "How it behaves"
TRIES = ("shadow", "dry_run", "print_", "doctor", "probe", "watchdog", "uninstall")
"""Options that request something else than a run that acts."""


@dataclass(frozen=True, kw_only=True)
class LiveOptions(Options):
    """What every engine takes."""

    interval: Annotated[str | float, Option("Time between two cycles.", metavar="TIME", panel=CONDUCT, typed=str)] = (
        "30s"
    )
    for_: Annotated[
        str | float, Option("End after this time.", metavar="TIME", panel=CONDUCT, flags=("--for",), typed=str)
    ] = ""
    out: Annotated[
        "str | Path",
        Option(
            "Folder of the record; an earlier record is continued.", metavar="DIR", flags=("-o", "--out"), typed=Path
        ),
    ] = "live"
    config: Annotated[
        "str | Path | None",
        Option("A TOML file with options; the command line wins.", metavar="FILE", typed=Path | None, in_file=False),
    ] = None
    print_: Annotated[
        Literal["config"] | None,
        Option("Print a file for --config, with the options of this line.", flags=("--print",), in_file=False),
    ] = None
    configured: dict[str, Any] = field(init=False, repr=False, compare=False, default_factory=dict)
    overridden: tuple[str, ...] = field(init=False, repr=False, compare=False, default=())

    def __post_init__(self) -> None:
        """Take the options of the file that the command line does not have.

        They count as given, so that one that changes nothing is refused. They do not beside a typed --shadow or a
        look such as --doctor: these are for trying the file of a run.
        """
        if self.config is not None:
            from loadmaster.verbs.live_config import read_config
            from loadmaster.verbs.pipe_input import pipe_as_file

            object.__setattr__(self, "config", pipe_as_file(self.config))
            for name, value in read_config(type(self), self.config).items():
                if name in self.given:
                    object.__setattr__(self, "overridden", (*self.overridden, name))
                else:
                    object.__setattr__(self, name, value)
                    self.configured[name] = value
            if not any(getattr(self, name) for name in self.given if name in TRIES):
                object.__setattr__(self, "given", (*self.given, *self.configured))
        super().__post_init__()

    def about(self, command: str) -> dict[str, Any]:
        """What a record says of the options: the command, and of a file those that hold and those overridden."""
        if self.config is None:
            return {"command": command}
        from loadmaster.verbs.live_config import key_of, plain_value

        options = {key_of(type(self), name): plain_value(value) for name, value in self.configured.items()}
        overridden = [key_of(type(self), name) for name in self.overridden]
        return {"command": command, "config": {"file": str(self.config), "options": options, "overridden": overridden}}

    def check_run(self) -> None:
        """See that a run could begin with these options, as far as they alone tell.

        Raises:
            InputError: it could not.
        """
        self.times()

    def config_findings(self) -> "list[Finding]":
        """What a doctor says of the file: whether a run with nothing else would begin."""
        from loadmaster.live.session.finding import Finding
        from loadmaster.model import InputError

        if self.config is None:
            return []
        try:
            run = type(self)(config=self.config)
            run.check_run()
        except InputError as error:
            return [Finding("bad", f"{self.config}: a run by this file alone is refused: {error}")]
        named = ", ".join(f"{name} {value}" for name, value in run.about("")["config"]["options"].items())
        return [Finding("ok", f"{self.config}: {len(run.configured)} options ({named})")]

    def printed(self) -> str:
        """What `--print` requests; empty where it requests nothing that all engines have.

        Raises:
            InputError: a value cannot stand in a file of options.
        """
        from loadmaster.verbs.live_config import config_text

        if self.print_ != "config":
            return ""
        return config_text(type(self), {name: getattr(self, name) for name in (*self.given, *self.configured)})

    @property
    def folder(self) -> Path:
        """Where the record goes."""
        return Path(self.out)

    def times(self, what: str = "cycles") -> tuple[float, float]:
        """Seconds between two cycles, and after which it ends.

        Raises:
            InputError: one of them is none.
        """
        from loadmaster.model import InputError
        from loadmaster.model.units import parse_seconds

        interval_s = parse_seconds(str(self.interval))
        if interval_s <= 0:
            fix = "such as --interval 5s"
            raise InputError(self.interval, f"a live scheduler needs a time between its {what}", fix=fix)
        return interval_s, parse_seconds(str(self.for_)) if self.for_ != "" else float("inf")


@dataclass(frozen=True, kw_only=True)
class QueueOptions(LiveOptions):
    """What engines with a queue take."""

    policy: Annotated[
        Rule, Option("Placement policy; also file.py:function and max-jobs.", metavar="POLICY", typed=str, rule=True)
    ] = "mix-fit"
    discipline: Annotated[
        Discipline, Option("Queue discipline, such as multifactor+easy.", metavar="DISCIPLINE", typed=str, rule=True)
    ] = "easy"
    twin_members: Annotated[
        str | Sequence[Discipline],
        Option("Disciplines that twin chooses from.", metavar="A,B,...", typed=str, rule=True),
    ] = ""
    shadow: Annotated[bool, Option("Decide and record; send no action to the engine.", panel=CONDUCT)] = False
    dry_run: Annotated[bool, Option("As --shadow, and print the actions that would be sent.", panel=CONDUCT)] = False
    max_starts: Annotated[
        int | None, Option("Start no more than N jobs in all.", metavar="N", panel=CONDUCT, least=0)
    ] = None
    seed: Seed = 0
    metrics: Annotated[int | None, Option("Serve /metrics while it runs.", metavar="PORT", least=0, most=65535)] = None
    metrics_host: Annotated[str, Option("Serve it at an address that others reach, with a token.", metavar="NAME")] = (
        "127.0.0.1"
    )
    metrics_token: Annotated[
        "str | Path | None",
        Option("A file with a token: each request must carry that token.", metavar="FILE", typed=Path | None),
    ] = None

    log_format: Annotated[
        Literal["text", "json"], Option("Lines on stdout: text, or one JSON object a line.", panel=CONDUCT)
    ] = "text"
    on_alert: Annotated[
        str,
        Option(
            "Run this command, without a shell, when an operator has to act.",
            metavar="COMMAND",
            panel=CONDUCT,
            in_file=False,
        ),
    ] = ""
    alert_every: Annotated[
        str | float,
        Option("Shortest time between two alerts of the same kind.", metavar="TIME", panel=CONDUCT, typed=str),
    ] = "15min"
    print_: Annotated[
        Literal["config", "dashboard", "alerts"] | None,
        Option(
            "Print a file for --config, a dashboard for Grafana, or alerting rules for Prometheus.",
            flags=("--print",),
            in_file=False,
        ),
    ] = None  # type: ignore[assignment]

    def printed(self) -> str:
        """As for every engine; also the dashboard and the alerting rules for the figures of --metrics."""
        from loadmaster.live.queue.monitoring import alerts_text, dashboard_text

        texts = {"dashboard": dashboard_text, "alerts": alerts_text}
        return texts[self.print_]() if self.print_ in texts else super().printed()

    def served_at(self) -> "ServedAt":
        """Where `/metrics` is served.

        Raises:
            InputError: the file has no token that can be given in a header, or an option changes nothing.
        """
        from loadmaster.live.queue.metrics import ServedAt
        from loadmaster.model import InputError

        if self.metrics is None:
            refuse_unused(
                self,
                ("metrics_host", "metrics_token"),
                "it works only with --metrics",
                "--metrics PORT, or leave it out",
            )
        if self.metrics_token is None:
            return ServedAt(self.metrics, self.metrics_host)
        try:
            token = Path(self.metrics_token).read_text(encoding="ascii").strip()
        except (OSError, UnicodeDecodeError) as error:
            why = error.strerror if isinstance(error, OSError) else "it is not plain text"
            raise InputError(self.metrics_token, f"no token can be read there: {why}", fix="see the guide") from None
        if len(token) < SHORTEST_TOKEN or any(sign.isspace() for sign in token):
            rule = f"a token is one word of {SHORTEST_TOKEN} characters or more"
            raise InputError(self.metrics_token, rule, fix="openssl rand -hex 32 makes one")
        return ServedAt(self.metrics, self.metrics_host, token)

    def check_run(self) -> None:
        """As for every engine, and see that the named rules exist; no Python of the user's is run for that."""
        from loadmaster.verbs.live_drive import scheduler_of

        how = self.live_settings(getattr(self, "on_exit", "release"), getattr(self, "others", "keep"))
        scheduler_of(self.setting(how))
        self.served_at()

    def alert_command(self) -> "AlertCommand | None":
        """What is run for an alert; None for nothing.

        Raises:
            InputError: there is no such program, a time is none, or an option changes nothing.
        """
        from loadmaster.live.queue.alerts import AlertCommand
        from loadmaster.model.units import parse_seconds

        if not self.on_alert:
            unused = {"alert_every"} - {*self.configured}  # the command itself may stand in no file
            refuse_unused(self, unused, "it works only with --on-alert", "--on-alert COMMAND, or leave it out")
            return None
        return AlertCommand(self.on_alert, parse_seconds(str(self.alert_every)))

    def live_settings(
        self, on_exit: Literal["release", "hold"] = "release", others: Literal["keep", "release"] = "keep"
    ) -> "LiveSettings":
        """How the run is to behave.

        Raises:
            InputError: a time is none, two options contradict each other, or one changes nothing.
        """
        from loadmaster.live.queue.settings import LiveSettings
        from loadmaster.model import InputError

        interval_s, for_s = self.times()
        if self.shadow and self.dry_run:
            raise InputError("--shadow --dry-run", "both send no action to the engine", fix="give one of them")
        if self.shadow or self.dry_run:
            refuse_unused(self, ("on_exit", "others"), "no action is sent to the engine")
        mode: Literal["live", "dry-run", "shadow"] = "shadow" if self.shadow else "dry-run" if self.dry_run else "live"
        return LiveSettings(interval_s, mode, for_s, self.max_starts, on_exit, others)

    def setting(self, how: "LiveSettings") -> "Setting":
        """The rule that decides.

        Raises:
            InputError: it has no name that the record could hold.
        """
        from loadmaster.model import InputError
        from loadmaster.runs import Setting
        from loadmaster.scheduling.notation import is_whole
        from loadmaster.verbs.rules import name_of
        from loadmaster.verbs.run_options import with_members

        def name(rule: object) -> str:
            fix = "write it into a file and name that: mine.py:function"
            raise InputError(getattr(rule, "__name__", rule), "a live record holds rules by their names", fix=fix)

        policy, named = name_of(self.policy, name), name_of(self.discipline, name)
        (discipline,) = with_members([named], self.twin_members, name)
        if not is_whole(discipline):
            refuse_unused(self, ("twin_members",), "it works only with twin", "--discipline twin, or leave it out")
        return Setting(policy, discipline, interval_s=how.interval_s, seed=self.seed)


OnExit = Annotated[
    Literal["release", "hold"],
    Option("At the end, release waiting jobs to the engine's own scheduler, or hold them.", panel=CONDUCT),
]
Others = Annotated[
    Literal["keep", "release"], Option("What to do with jobs that the model cannot describe.", panel=CONDUCT)
]
