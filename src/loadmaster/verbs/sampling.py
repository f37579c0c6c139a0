"""Options that ask how sure a comparison is, and the judgements that follow from them."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from typing import TYPE_CHECKING, Annotated, Literal

from loadmaster.verbs.common_options import Seed
from loadmaster.verbs.option import Option, Options
from loadmaster.verbs.unused_options import refuse_unused

if TYPE_CHECKING:
    from loadmaster.results.store import Store
    from loadmaster.results.study import CellMaker
    from loadmaster.results.watch import Watch
    from loadmaster.runs import Case, Outcome
    from loadmaster.runs.judgement import Judgement, Sampled
    from loadmaster.runs.machines import MachineSet
    from loadmaster.runs.samples import Drawing, SampleRun

SURE = "How sure"
FEWEST = 5
"""Fewer samples say nothing."""
MOST_SAMPLES = 100_000
"""More would not narrow an interval visibly, and never end."""


Resample = Annotated[
    Literal["", "users", "weeks", "shake", "seeds"],
    Option(
        "How sampled logs are drawn: from users or weeks of the log, with shaken arrivals, or with other seeds.",
        metavar="users|weeks|shake|seeds",
        panel=SURE,
    ),
]


@dataclass(frozen=True, kw_only=True)
class SamplingOptions(Options):
    """How many other logs like this one every rule runs on."""

    samples: Annotated[
        int,
        Option(
            "Run every rule on N sampled logs, and show how sure the answer is.",
            metavar="N",
            panel=SURE,
            least=0,
            most=MOST_SAMPLES,
        ),
    ] = 0
    resample: Resample = ""
    until_sure: Annotated[
        str | float,
        Option(
            "Add samples until the best rule is sure, for at most this time.", metavar="TIME", panel=SURE, typed=str
        ),
    ] = ""
    seed: Seed = 0

    @property
    def asks(self) -> bool:
        """Whether samples are to be drawn."""
        return bool(self.samples or self.until_sure)

    def drawing(self, case: "Case") -> "Drawing | None":
        """How to draw samples of `case`; None where none are requested.

        Raises:
            InputError: options that contradict each other, or a way that this log does not allow.
        """
        from loadmaster.model import InputError
        from loadmaster.runs.samples import drawing_for

        if not self.asks:
            refuse_unused(self, ["resample"], "no samples are drawn", "add --samples 100, or leave it out")
            return None
        if self.samples and self.until_sure:
            raise InputError(self.until_sure, "--samples and --until-sure both say how many", fix="give one of them")
        if not self.until_sure and self.samples < FEWEST:
            raise InputError(self.samples, f"--samples takes a whole number of at least {FEWEST}")
        chosen = drawing_for(case, self.resample, self.seed)
        if self.until_sure and chosen.how != "seeds":
            rule = f"more samples by {chosen.how} add no information, so no number of them makes it sure"
            raise InputError("--until-sure", rule, fix="--samples 100")
        return chosen

    def judgements(
        self,
        machines: "Sequence[MachineSet]",
        drawing: "Drawing | None",
        outcomes: "Sequence[Outcome]",
        baseline: str,
        store: "Store | None",
        pool: "CellMaker",
        watch: "Watch | None",
    ) -> "tuple[Judgement, ...]":
        """What samples say of every load; none where none are drawn."""
        import time

        from loadmaster.model.units import parse_seconds
        from loadmaster.runs.judgement import judgement
        from loadmaster.runs.machines import sample_machines

        if drawing is None:
            return ()
        loads = [list(same) for _, same in groupby(outcomes, key=lambda outcome: outcome.setting.beta)]
        until_s = time.monotonic() + (parse_seconds(str(self.until_sure)) if self.until_sure else 0.0)
        results = []
        for number, same in enumerate(loads):
            run = partial(sample_machines, machines, drawing=drawing, store=store, watch=watch)
            budget_s = (until_s - time.monotonic()) / (len(loads) - number)
            sampled = self._sampled(run, pool, same, drawing, budget_s)
            results.append(judgement(machines[0].case, same, baseline, sampled))
        return tuple(results)

    def _sampled(self, run, pool, same, drawing, budget_s) -> "Sampled":  # type: ignore[no-untyped-def]
        from loadmaster.results.counted_cells import CountedCells
        from loadmaster.runs.judgement import Sampled
        from loadmaster.runs.race import race

        settings = [outcome.setting for outcome in same]
        if not self.until_sure:
            runs = run(settings=settings, numbers=range(self.samples), pool=pool)
            return Sampled(drawing, tuple(map(tuple, runs)))
        counted = CountedCells(pool)

        def draw(rules: "Sequence[int]", numbers: "Sequence[int]") -> "tuple[list[list[SampleRun]], int]":
            before = counted.made
            runs = run(settings=[settings[k] for k in rules], numbers=numbers, pool=counted)
            return runs, counted.made - before

        return race(draw, len(settings), drawing, budget_s)
