"""Options that the engines of `live` share, and how a run is to behave by them."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from loadmaster.verbs.common_options import Seed
from loadmaster.verbs.option import Option, Options
from loadmaster.verbs.rules import Discipline, Rule
from loadmaster.verbs.unused_options import refuse_unused

if TYPE_CHECKING:
    from loadmaster.live.queue.metrics import ServedAt
    from loadmaster.live.queue.settings import LiveSettings
    from loadmaster.runs import Setting

SHORTEST_TOKEN = 16
CONDUCT = "How it behaves"


@dataclass(frozen=True, kw_only=True)
class LiveOptions(Options):
    """What every engine takes."""

    interval: Annotated[str | float, Option("Time between two cycles.", metavar="TIME", panel=CONDUCT, typed=str)] = (
        "30s"
    )
    for_: Annotated[
        str | float, Option("End after so long.", metavar="TIME", panel=CONDUCT, flags=("--for",), typed=str)
    ] = ""
    out: Annotated[
        "str | Path",
        Option("Where the record goes; an earlier one goes on.", metavar="DIR", flags=("-o", "--out"), typed=Path),
    ] = "live"

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
        Rule, Option("Placement policy; also file.py:function and max-jobs.", metavar="POLICY", typed=str)
    ] = "mix-fit"
    discipline: Annotated[
        Discipline, Option("Queue discipline, such as multifactor+easy.", metavar="DISCIPLINE", typed=str)
    ] = "easy"
    twin_members: Annotated[
        str | Sequence[Discipline], Option("Disciplines that twin chooses from.", metavar="A,B,...", typed=str)
    ] = ""
    shadow: Annotated[bool, Option("Decide and write down; ask nothing of the engine.", panel=CONDUCT)] = False
    dry_run: Annotated[bool, Option("As --shadow, and print what would have been asked.", panel=CONDUCT)] = False
    max_starts: Annotated[
        int | None, Option("Start no more than N jobs in all.", metavar="N", panel=CONDUCT, least=0)
    ] = None
    seed: Seed = 0
    metrics: Annotated[int | None, Option("Serve /metrics while it runs.", metavar="PORT", least=0, most=65535)] = None
    metrics_host: Annotated[str, Option("At an address that others reach, by token.", metavar="NAME")] = "127.0.0.1"
    metrics_token: Annotated[
        "str | Path | None",
        Option("A file with a token: each request must carry that token.", metavar="FILE", typed=Path | None),
    ] = None

    def served_at(self) -> "ServedAt":
        """Where `/metrics` is served.

        Raises:
            InputError: the file has no token that can be given in a header, or an option changes nothing.
        """
        from loadmaster.live.queue.metrics import ServedAt
        from loadmaster.model import InputError

        if self.metrics is None:
            refuse_unused(
                self, ("metrics_host", "metrics_token"), "it is for --metrics", "--metrics PORT, or leave it out"
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
            raise InputError("--shadow --dry-run", "both ask nothing of the engine", fix="give one of them")
        if self.shadow or self.dry_run:
            refuse_unused(self, ("on_exit", "others"), "nothing is asked of the engine")
        mode: Literal["live", "dry-run", "shadow"] = "shadow" if self.shadow else "dry-run" if self.dry_run else "live"
        return LiveSettings(interval_s, mode, for_s, self.max_starts, on_exit, others)

    def setting(self, how: "LiveSettings") -> "Setting":
        """The rule that decides.

        Raises:
            InputError: it cannot be written down, as whoever reads the record again must be able to read it.
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
            refuse_unused(self, ("twin_members",), "it is for twin", "--discipline twin, or leave it out")
        return Setting(policy, discipline, interval_s=how.interval_s, seed=self.seed)


OnExit = Annotated[
    Literal["release", "hold"],
    Option("At the end, give what waits to the engine's own scheduler, or not.", panel=CONDUCT),
]
Others = Annotated[
    Literal["keep", "release"], Option("What becomes of jobs that the model has no words for.", panel=CONDUCT)
]
