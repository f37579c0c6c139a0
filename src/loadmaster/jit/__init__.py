"""Numba: decorators of kernels, caches of machine code, linking and layouts of arguments."""
