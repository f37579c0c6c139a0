"""Virtual machines that run on several hosts: the CPU that each may use, and which of them move."""
