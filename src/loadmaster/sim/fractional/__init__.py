"""Jobs that start at once with a part of the CPU they request."""
