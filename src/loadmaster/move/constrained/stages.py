"""Moves towards a goal that are drawn up without a budget, and the best part of them that a budget pays for.

A larger budget pays for each stage that a smaller one pays for, so it never reaches less (rule B8).
"""

from collections.abc import Iterable
from typing import NamedTuple

from loadmaster.move.change import within
from loadmaster.move.constrained.valid_moves import ValidMove, ValidMoves


class MoveStage(NamedTuple):
    """How far the first `moves` moves lead: what they cost, and how much of the goal they reach; more is better."""

    moves: int
    spent: float
    reached: float


class MoveSequence(NamedTuple):
    """Moves in order, and the stages on their way."""

    moves: tuple[ValidMove, ...]
    stages: tuple[MoveStage, ...]


class StageNotes:
    """Notes the stages of moves as they are made."""

    def __init__(self, state: ValidMoves) -> None:
        self._state = state
        self._stages = [MoveStage(0, 0.0, 0.0)]

    def note(self, reached: float) -> None:
        """The moves so far reach so much of the goal."""
        self._stages.append(MoveStage(len(self._state.moves), self._state.spent, reached))

    @property
    def reached(self) -> float:
        """Of the last stage."""
        return self._stages[-1].reached

    def sequence(self) -> MoveSequence:
        """All moves up to the last stage."""
        return MoveSequence(tuple(self._state.moves[: self._stages[-1].moves]), tuple(self._stages))


def best_moves(sequences: Iterable[MoveSequence], budget: float) -> tuple[ValidMove, ...]:
    """The moves of the stage that reaches most within `budget`, the cheapest of equals."""
    best: tuple[float, float] = (float("-inf"), 0.0)
    moves: tuple[ValidMove, ...] = ()
    for sequence in sequences:
        for stage in sequence.stages:
            if within(stage.spent, budget) and (stage.reached, -stage.spent) > best:
                best, moves = (stage.reached, -stage.spent), sequence.moves[: stage.moves]
    return moves
