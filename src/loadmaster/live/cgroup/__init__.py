"""Machines whose CPU is shared out by control groups of the Linux kernel, version 1 or 2."""
