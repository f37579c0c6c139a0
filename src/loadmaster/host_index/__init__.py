"""The host index: scores of hosts by demand, and the lowest rated host that may be used."""
