"""Commands on machines of this computer under CPU shares: the decision on the CPU of each."""
