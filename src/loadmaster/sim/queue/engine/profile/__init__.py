"""Reservations of conservative backfilling, a part of the compiled engine: a free profile of each host."""
