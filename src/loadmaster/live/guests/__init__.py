"""Virtual machines that run on several hosts: what decides how much of the CPU each has, and who moves."""
