"""The progress line of a bag: commands done, machines, money, and the expected time and cost."""

from typing import TYPE_CHECKING, Any

from loadmaster.report.terminal_display import OnTerminal

if TYPE_CHECKING:
    from rich.console import Console

    from loadmaster.sizing import BagSnapshot, Sizer

PLAIN_S = 60.0
"""How often a line is written where stderr is no terminal."""


class BagProgress(OnTerminal):
    """A line on stderr, rewritten in a terminal; a plain line now and then elsewhere."""

    def __init__(self, console: "Console", tasks: int) -> None:
        from rich.text import Text

        super().__init__(console, Text("starting"))
        self._tasks = tasks
        self._ahead = ""
        self._looked = -1e9
        self._said = 0.0
        self._compiles = False

    def say(self, text: str) -> None:
        """A sentence that stays."""
        self._console.print(text, highlight=False, markup=False)

    def compiling(self) -> None:
        """Say once that the planner is being compiled, which takes half a minute in which nothing else happens."""
        if not self._compiles:
            self._compiles = True
            self.say("compiling the planner, first time only")

    def show(self, snapshot: "BagSnapshot", sizer: "Sizer", spent: float, done: int) -> None:
        """Called after every decision, and every second."""
        from rich.text import Text

        if not self._console.is_terminal:
            if snapshot.now_s - self._said >= PLAIN_S:
                self._said = snapshot.now_s
                self.say(self.line(snapshot, sizer, spent, done))
            return
        self.rewrite(Text(self.line(snapshot, sizer, spent, done)))

    def line(self, snapshot: "BagSnapshot", sizer: "Sizer", spent: float, done: int) -> str:
        """The state in one line; the outlook is renewed every two seconds."""
        from loadmaster.model.units import show_seconds

        if snapshot.now_s - self._looked >= 2.0:
            earlier = spent - snapshot.spent - sum(snapshot.types[h.type].cost(h.age_s) for h in snapshot.hosts)
            self._looked, self._ahead = snapshot.now_s, outlook_words(snapshot, sizer, max(0.0, earlier))
        up = sum(host.ready for host in snapshot.hosts)
        coming = len(snapshot.hosts) - up
        machines = f"{up} machines" + (f" and {coming} starting" if coming else "")
        return (
            f"{done} of {self._tasks} done, {len(snapshot.running)} running on {machines}, "
            f"{show_seconds(snapshot.now_s)}, spent {spent:.4g}{self._ahead}"
        )


def outlook_words(snapshot: "BagSnapshot", sizer: Any, earlier: float = 0.0) -> str:
    """How the bag is expected to end, in words; a planner that only forecasts stands in for other sizers.

    `earlier` is the money of earlier sessions.
    """
    from loadmaster.model.units import show_seconds
    from loadmaster.sizing import Planner
    from loadmaster.sizing.planning import outlook

    if len(snapshot.finished_s) == 0:
        return ""
    ahead = outlook(snapshot, sizer if isinstance(sizer, Planner) else Planner())
    return f"; expected: {show_seconds(ahead.span_s)}, {earlier + ahead.cost:.4g} in all"
