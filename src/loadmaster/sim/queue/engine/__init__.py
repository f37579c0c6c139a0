"""The queue's compiled engine: one loop over events, and the structures that make it quick, a file each.

`loop_kernel` goes from moment to moment; `queue_kernel` finds jobs that might start, `hosts_kernel` their hosts,
`shadow_kernel` what the head of the queue is promised. `run` lays out the arrays and names the result.
"""

from loadmaster.sim.queue.engine.run import replay, serves

__all__ = ["replay", "serves"]
