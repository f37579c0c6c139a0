"""Parallel jobs on virtual machines that share their hosts."""
