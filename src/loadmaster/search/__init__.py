"""A bound on all schedules of a queue, and the best schedule found with all arrivals and runtimes known."""
