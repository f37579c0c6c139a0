"""The next candidates, suggested by Optuna from earlier trials and a seed alone (rule U9).

Nothing is remembered between two questions, so a search that was stopped asks on as if it had not been.
"""

import math
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

from loadmaster.model.errors import MissingExtra
from loadmaster.tuning.figures import Figures
from loadmaster.tuning.knobs import Knob, Value, Values

BATCH = 4
"""Candidates requested at a time, whatever the number of cores, or another machine would find another rule."""


_BEGUN = 2 * BATCH
"""Before so many trials are known nothing is estimated: what the literature does not give is drawn evenly."""

_GOOD = 0.25
"""The part of the trials that keep the limit whose like is looked for (Optuna's own: a tenth of all, too few here)."""


class TriedRule(NamedTuple):
    """A candidate that was tried.

    Attributes:
        number: from 0.
        values: of the knobs.
        figures: its results on the logs of the trials.
    """

    number: int
    values: Values
    figures: Figures


def optuna() -> Any:
    """The library, told to print nothing.

    Raises:
        MissingExtra: it is not installed.
    """
    try:
        import optuna as library
    except ModuleNotFoundError as error:
        raise MissingExtra("loadmaster tune", "tune") from error
    library.logging.set_verbosity(library.logging.ERROR)
    return library


def ask(
    knobs: Sequence[Knob], history: Sequence[TriedRule], excess: Sequence[float], count: int, seed: int
) -> list[dict[str, Value]]:
    """`count` candidates that promise most: the middle of the best, then what Optuna proposes.

    Optuna's are of tree-structured Parzen estimators (Bergstra et al. 2011).

    Args:
        knobs: what is searched.
        history: every trial so far.
        excess: how far each of them is over the limit on the longest wait; 0 or less keeps it.
        count: of candidates.
        seed: of the whole search; the draws depend on it and on the number of trials so far.
    """
    library, space = optuna(), distributions(knobs)
    own_seed = int(np.random.SeedSequence((seed, len(history))).generate_state(1)[0])
    best = _best_quarter(history, excess)
    goals = ["minimize"] * (len(history[0].figures.values) if history else 1)
    with quiet():
        sampler = library.samplers.TPESampler(
            seed=own_seed,
            multivariate=True,
            constant_liar=True,
            n_startup_trials=_BEGUN,
            gamma=lambda _: max(len(best), 1),
        )
        study = library.create_study(directions=goals, sampler=sampler)
        study.add_trials([frozen(trial, over, space) for trial, over in zip(history, excess, strict=True)])
        proposed = [_plain(study.ask(space).params, knobs) for _ in range(count)]
    between = [trial_average(knobs, best)] if len(best) > 1 else []
    return [*between, *proposed][:count]


def _best_quarter(history: Sequence[TriedRule], excess: Sequence[float]) -> list[Values]:
    """The best quarter of the trials that keep the limit, the best first."""
    keeping = [trial for trial, over in zip(history, excess, strict=True) if over <= 0]
    ranked = sorted(keeping, key=lambda trial: trial.figures.value)
    return [trial.values for trial in ranked[: math.ceil(_GOOD * len(ranked))]]


def frozen(trial: TriedRule, excess: float, space: dict[str, Any]) -> Any:
    """The trial as Optuna keeps it."""
    return optuna().trial.create_trial(
        params=dict(trial.values),
        distributions=space,
        values=list(trial.figures.values),
        user_attrs={"number": trial.number, "longest": trial.figures.longest},
        system_attrs={"constraints": [excess]},
    )


def distributions(knobs: Sequence[Knob]) -> dict[str, Any]:
    """The ranges of the knobs in Optuna's terms."""
    kinds = optuna().distributions
    by_knob: dict[str, Any] = {}
    for knob in knobs:
        if knob.words:
            by_knob[knob.name] = kinds.CategoricalDistribution(list(knob.words))
        elif not knob.step:
            by_knob[knob.name] = kinds.IntDistribution(int(knob.low), int(knob.high), log=True)
        elif knob.step == int(knob.step):
            by_knob[knob.name] = kinds.IntDistribution(int(knob.low), int(knob.high), step=int(knob.step))
        else:
            by_knob[knob.name] = kinds.FloatDistribution(knob.low, knob.high, step=knob.step)
    return by_knob


@contextmanager
def quiet() -> Iterator[None]:
    """Without Optuna's warnings that a part of it may change: its version stands in our lock."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def _plain(params: dict[str, Any], knobs: Sequence[Knob]) -> dict[str, Value]:
    """Without the last digits that steps of a hundredth leave, so that a written constant is the one that was tried."""
    return {
        knob.name: round(value, 6) + 0.0 if isinstance(value := params[knob.name], float) else value for knob in knobs
    }


def trial_average(knobs: Sequence[Knob], best: Sequence[Values]) -> dict[str, Value]:
    """The candidate between the `best`, as evolution strategies recombine them (Hansen and Ostermeier 2001).

    Numbers are averaged, those whose logarithm is searched evenly in their logarithm; of words the most frequent is
    taken, of as frequent ones that of the better candidate.

    Example:
        >>> hours = Knob("order.patience-h", "", 1.0, 64.0)
        >>> fill = Knob("backfilling.fill", "", words=("order", "shortest"))
        >>> both = [{hours.name: 4, fill.name: "shortest"}, {hours.name: 16, fill.name: "order"}]
        >>> trial_average([hours, fill], both)
        {'order.patience-h': 8, 'backfilling.fill': 'shortest'}
    """
    return {knob.name: _between(knob, [values[knob.name] for values in best]) for knob in knobs}


def _between(knob: Knob, values: Sequence[Value]) -> Value:
    if knob.words:
        return Counter(values).most_common(1)[0][0]
    numbers = [float(value) for value in values]
    if not knob.step:
        return round(math.exp(sum(map(math.log, numbers)) / len(numbers)))
    steps = round((sum(numbers) / len(numbers) - knob.low) / knob.step)
    value = round(knob.low + steps * knob.step, 6) + 0.0
    return int(value) if isinstance(values[0], int) else value
