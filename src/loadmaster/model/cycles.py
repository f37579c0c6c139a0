"""What happened in each scheduling cycle of a run, and which member a meta-rule followed there."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from loadmaster.model.arrays import Bools, Floats, Ints, Longs
from loadmaster.model.snapshot import Alternative


@dataclass(frozen=True, eq=False)
class Choices:
    """The member that a meta-rule followed in C cycles, and the values of its M members in N cycles where they differ.

    Attributes:
        members: their names, in the order of the bits of `Cycles.winners`.
        chosen: int32[C], the number of the member that was followed; -1 where no job could start.
        cycle: int64[N], the numbers of the cycles in which the values differed.
        value: float64[N, M], the value of each there, the higher the better; NaN if it was not computed.
    """

    members: tuple[str, ...]
    chosen: Ints
    cycle: Longs
    value: Floats


@dataclass(frozen=True, eq=False)
class Cycles:
    """One row for each scheduling cycle in which anything could change.

    Attributes:
        time_s: float64[C].
        queue_length: int64[C], jobs waiting when the cycle began.
        started: int64[C], jobs started in the cycle.
        winners: int64[C], bit m is set if member m of a meta-rule won or tied; 0 without a meta-rule.
        choices: the members that the meta-rule followed; None without one.
    """

    time_s: Floats
    queue_length: Longs
    started: Longs
    winners: Longs
    choices: Choices | None = None


@dataclass
class CycleLog:
    """Cycles written down one after another.

    Attributes:
        rows: time_s, queue_length, started, winners, chosen of each.
        options: what the members would have done, where they were not worth the same.
    """

    rows: list[tuple[float, int, int, int, int]] = field(default_factory=list)
    options: dict[int, tuple[Alternative, ...]] = field(default_factory=dict)
    members: tuple[str, ...] = ()

    def add(
        self,
        time_s: float,
        queue_length: int,
        started: int,
        winners: int,
        chosen: int,
        options: tuple[Alternative, ...],
    ) -> None:
        """A cycle is over; `winners`, `chosen` and `options` as in `Decision`."""
        if options:
            if len({option.value for option in options} - {None}) > 1:
                self.options[len(self.rows)] = options
            self.members = self.members or tuple(option.member for option in options)
        self.rows.append((time_s, queue_length, started, winners, chosen))

    def cycles(self) -> Cycles:
        """All of them."""
        time_s, *columns = list(zip(*self.rows, strict=True)) or [(), (), (), (), ()]
        queue_length, started, winners, chosen = (np.array(column, np.int64) for column in columns)
        choices = None
        if self.members:
            value = np.array([[_number(each.value) for each in row] for row in self.options.values()], float)
            value = value.reshape(-1, len(self.members))
            choices = Choices(self.members, chosen.astype(np.int32), np.array(list(self.options), np.int64), value)
        return Cycles(np.array(time_s, float), queue_length, started, winners, choices)


def differing(value: Floats) -> Bools:
    """bool[C]: the rows of `value` float64[C, M] in which some members are worth more than others, NaN aside."""
    if value.shape[1] == 0:
        return np.zeros(len(value), np.bool_)
    return np.asarray(np.fmin.reduce(value, axis=1) < np.fmax.reduce(value, axis=1))


def first_of(winners: Sequence[int] | Longs) -> Ints:
    """int32[C]: the lowest bit of each that is set, -1 of 0: the member that is followed if the first of a tie wins.

    Example:
        >>> first_of([0b110, 0, 0b1]).tolist()
        [1, -1, 0]
    """
    lowest = np.asarray(winners, np.int64)
    lowest = lowest & -lowest
    return np.where(lowest > 0, np.log2(np.maximum(lowest, 1)), -1).astype(np.int32)


def followed_of(winners: Sequence[int] | Longs) -> Ints:
    """int32[C]: the bit of each that is set in the one before too where it was followed, else the lowest: of a twin.

    Example:
        >>> followed_of([0b110, 0b110, 0b101, 0b110]).tolist()
        [1, 1, 0, 1]
    """
    first, followed = first_of(winners).tolist(), [-1]
    for bits, lowest in zip(np.asarray(winners, np.int64).tolist(), first, strict=True):
        before = followed[-1]
        followed.append(before if before >= 0 and bits >> before & 1 else lowest)
    return np.array(followed[1:], np.int32)


def _number(value: float | None) -> float:
    return np.nan if value is None else value
