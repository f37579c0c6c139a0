"""The only door to Numba for policies: the same function that plain Python runs, compiled."""
