"""The parts of the plain engine, `loadmaster.sim.queue.reference`: the specification of the compiled one."""
