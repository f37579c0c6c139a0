"""Moves under constraints: one valid move after another towards a goal, within a budget."""
