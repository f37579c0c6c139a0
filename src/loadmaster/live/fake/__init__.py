"""A cluster in memory as a live engine, with a clock of its own and the faults that real engines have."""
