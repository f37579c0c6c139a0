"""Real machines: bags of shell commands on Dask, driven by the same decisions as the simulator."""
