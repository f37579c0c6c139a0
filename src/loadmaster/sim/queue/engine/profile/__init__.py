"""Conservative backfilling as a part of the compiled engine: a free profile of each host, with reservations."""
