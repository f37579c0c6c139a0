"""The queue of a cluster, driven live by the scheduler that simulations run."""
