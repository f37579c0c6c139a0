"""The middle of the best trials: what chance made of each of them is less in all of them together (rule U9)."""

import math
from collections import Counter
from collections.abc import Sequence

from loadmaster.tuning.knobs import Knob, Value, Values


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


def _between(knob: Knob, found: Sequence[Value]) -> Value:
    if knob.words:
        return Counter(found).most_common(1)[0][0]
    numbers = [float(value) for value in found]
    if not knob.step:
        return round(math.exp(sum(map(math.log, numbers)) / len(numbers)))
    steps = round((sum(numbers) / len(numbers) - knob.low) / knob.step)
    value = round(knob.low + steps * knob.step, 6) + 0.0
    return int(value) if isinstance(found[0], int) else value
