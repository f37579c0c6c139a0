"""The numbers that backfillings have in compiled engines; to know them loads no kernel."""

BLOCKING, WALK, EASY, ASKED = 0, 1, 2, 3
"""Backfillings: none; netbatch and skip; easy with one head; any other, which somebody outside is asked to serve."""
