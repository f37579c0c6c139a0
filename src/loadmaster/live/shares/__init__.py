"""Commands on machines of this box under CPU shares: what decides how much of the CPU each of them has."""
