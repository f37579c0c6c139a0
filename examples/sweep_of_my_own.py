"""A researcher's first afternoon: a sweep, a policy and an order of one's own, and pictures of them."""

import loadmaster as lm

log = lm.generate.netbatch(jobs=400, hosts=8, load=0.95, seed=1)  # or lm.read("your.swf")


def least_cores_left(demand, free, capacity):
    """A placement policy: the host with the fewest cores left over; lower is better."""
    return free[0] - demand[0]


def area_first(job, now):
    """An order: the job that takes least of the cluster goes first."""
    return job.cores * job.expected_s


sweep = lm.compare(
    log,
    policies=["first-fit", "mix-fit", least_cores_left],
    disciplines=["easy", (area_first, "easy")],
    loads=[2.0, 4.0],  # of so short a log; a month of one is loaded at 0.9
)
print(sweep.answer)
print(sweep.frame.select("policy", "discipline", "load", "mean_wait_s"))
sweep.report("sweep.html")
sweep.plot().save("sweep.png")

run = lm.simulate(log, policy=least_cores_left, discipline=(area_first, "easy"), load=4.0)
run.gantt().save("gantt.png")
run.save("run")
print(lm.open("run"))
