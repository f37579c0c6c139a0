"""When a waiting job starts: samples of what may come, from the present queue and a log of the past."""
