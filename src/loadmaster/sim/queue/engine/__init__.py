"""The compiled engine of the queue: one event loop; a run compiles only the parts that it needs."""
