"""Dask as an engine: machines are its workers, jobs are attempts to run shell commands on them."""
