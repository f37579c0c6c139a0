"""The compiled engine of the queue: one event loop, whose parts are absent where a run does not ask for them."""
