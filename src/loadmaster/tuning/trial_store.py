"""Trials on disk, as an Optuna study in SQLite: no candidate is tried twice (rule U9)."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from loadmaster.model.errors import InputError
from loadmaster.results.key import key_of
from loadmaster.tuning.figures import Figures
from loadmaster.tuning.knobs import Knob
from loadmaster.tuning.suggestions import TriedRule, distributions, frozen, optuna, quiet

NAME = "trials.sqlite"


class KeptTrials:
    """The trials of one search; another search in the same folder is another study.

    Args:
        folder: where they are kept; None keeps none.
        knobs: what is searched.
        goals: how many targets there are.
        shaped_by: all that the figures depend on, beside the knobs and the source of this package.

    Raises:
        InputError: the file is no such database, or cannot be written.
    """

    def __init__(self, folder: Path | None, knobs: Sequence[Knob], goals: int, **shaped_by: Any) -> None:
        self._space = distributions(knobs) if folder is not None else {}
        self._study = None if folder is None else self._opened(folder, knobs, goals, shaped_by)

    def all(self) -> list[TriedRule]:
        """What is kept, in order, up to the first that is missing."""
        by_number: dict[int, TriedRule] = {}
        for each in self._study.get_trials(deepcopy=False) if self._study is not None else ():
            number = each.user_attrs["number"]
            by_number[number] = TriedRule(
                number, dict(each.params), Figures(tuple(each.values), each.user_attrs["longest"])
            )
        trials: list[TriedRule] = []
        while len(trials) in by_number:
            trials.append(by_number[len(trials)])
        return trials

    def add(self, trial: TriedRule, excess: float) -> None:
        """Keep `trial` at once."""
        if self._study is not None:
            with quiet():
                self._study.add_trial(frozen(trial, excess, self._space))

    def _opened(self, folder: Path, knobs: Sequence[Knob], goals: int, shaped_by: dict[str, Any]) -> Any:
        library = optuna()
        from sqlalchemy.engine import URL

        name = key_of("tune", ["loadmaster.tuning.search"], knobs=list(knobs), **shaped_by)[:16]
        url = URL.create("sqlite", database=str(folder / NAME)).render_as_string()
        try:
            with quiet():
                storage = library.storages.RDBStorage(url)
                return library.create_study(
                    study_name=name, storage=storage, directions=["minimize"] * goals, load_if_exists=True
                )
        except Exception as error:  # Alembic, SQLAlchemy, SQLite and Optuna each have errors of their own
            said = str(error).strip().splitlines() or [type(error).__name__]
            rule = f"trials cannot be kept there: {said[0][:120]}"
            raise InputError(folder / NAME, rule, fix="move it away, or give another folder with -o") from error
