"""The numbers that backfillings have in compiled engines; this module loads no kernel."""

BLOCKING, WALK, EASY, ASKED, PROFILE = 0, 1, 2, 3, 4
"""Backfillings: none; netbatch and skip; easy with one head; any other, which code outside of the engine
serves; conservative, whose reservations are a part of the engine."""
