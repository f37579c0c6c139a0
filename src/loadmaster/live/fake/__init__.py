"""A cluster in memory as a live engine, with a simulated clock and the faults that real engines have."""
