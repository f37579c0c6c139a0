"""An agent learns an order for the queue, and is judged on weeks that it has not seen.

It learns the weights of a linear rank over what any order may know of a job, by an evolution strategy (Rechenberg 1973;
Salimans et al. 2017): try the weights with noise added, on the same weeks, and go where the wait falls. What it has
learned is written as a rule, `learned_rule.py:rank`, that every command takes.

    python learned_order.py [LOG HOSTS [ROUNDS]]
"""

import sys
import time
from pathlib import Path

import numpy as np

import loadmaster as lm

WEEK_S = 7 * 86400.0
ROUNDS = int(sys.argv[3]) if len(sys.argv) > 3 else 200
PAIRS, EPISODE_JOBS, NOISE, STEP = 8, 1500, 0.3, 0.3
RULE = '''"""An order that an agent has learned."""

from math import log1p


def rank(job, now):
    """Lower goes first."""
    wait_s = now - job.eligible_s
    size = log1p(job.cores)
    length = log1p(job.expected_s)
    return {0:.4f} * length + {1:.4f} * size + {2:.4f} * log1p(wait_s) + {3:.4f} * wait_s / (job.expected_s + 600.0)
'''


def weeks_of_a_cluster(weeks, seed):
    """Jobs by day and by night, of users who request too much time: a log of 128 cores, loaded at 0.9."""
    draw = np.random.default_rng(seed)
    jobs = 900 * weeks
    moments = np.sort(draw.uniform(0.0, weeks * WEEK_S, 4 * jobs))
    by_day = 0.25 + 0.75 * (np.sin(2 * np.pi * moments / 86400.0) > 0)
    submit_s = np.sort(draw.choice(moments, jobs, replace=False, p=by_day / by_day.sum()))
    runtime_s = np.minimum(draw.lognormal(7.2, 1.7, jobs), 2 * 86400.0)
    cores = 2.0 ** draw.choice(7, jobs, p=[0.3, 0.15, 0.15, 0.15, 0.12, 0.08, 0.05])
    runtime_s *= 0.9 * 128 * weeks * WEEK_S / (runtime_s * cores).sum()
    estimate_s = runtime_s * draw.choice([1.0, 1.5, 3.0, 10.0], jobs)
    user = draw.integers(0, 40, jobs).astype(np.int32)
    return lm.Workload.of(submit_s=submit_s, runtime_s=runtime_s, estimate_s=estimate_s, cores=cores, user=user)


def mean_wait_s(env, weights, seed):
    """The mean wait of one episode in which the lowest ranked job that can start does."""
    seen, window = env.reset(seed), env.options.window
    jobs, startable = seen.jobs, seen.startable[:window]
    while not env.is_done:
        rows = startable.nonzero()[0]
        row = rows[0]
        if len(rows) > 1:
            wait_s, expected_s, size = jobs[rows, 0], jobs[rows, 1], np.log1p(jobs[rows, 2] * jobs[rows, 3])
            features = np.log1p(expected_s), size, np.log1p(wait_s), wait_s / (expected_s + 600.0)
            row = rows[(weights @ np.array(features)).argmin()]
        env.step(row)
    return env.metric("mean_wait_s")


if len(sys.argv) > 2:
    log, hosts = lm.read(sys.argv[1]).workload, lm.hosts(sys.argv[2])
else:
    log, hosts = weeks_of_a_cluster(16, seed=1), lm.Cluster.uniform(1, cores=128)
half = log.jobs // 2
learning, held_out = log.take(slice(0, half)), log.take(slice(half, log.jobs))
env = lm.Environment(learning, hosts, promises=True, window=128, episode_jobs=EPISODE_JOBS, spread="any")

draw, weights, began_s = np.random.default_rng(0), np.zeros(4), time.perf_counter()
for number in range(ROUNDS):
    seed, noise = int(draw.integers(2**31)), draw.standard_normal((PAIRS, 4))
    waits_s = np.array([[mean_wait_s(env, weights + sign * NOISE * each, seed) for sign in (1, -1)] for each in noise])
    gain = (waits_s[:, 1] - waits_s[:, 0]) / waits_s.std()
    weights += STEP * (1 - number / ROUNDS) * gain @ noise / PAIRS
    if number % 20 == 19 or number == ROUNDS - 1:
        print(f"round {number + 1}: mean wait {waits_s.mean():.0f} s, weights {weights.round(2).tolist()}")
print(f"{2 * ROUNDS * PAIRS} episodes in {time.perf_counter() - began_s:.0f} s")
Path("learned_rule.py").write_text(RULE.format(*weights))

judged = lm.compare(
    held_out,
    hosts,
    spread="any",
    policies="first-fit",
    disciplines=["easy", "sjf+easy", "wfp3+easy", "learned_rule.py:rank+easy"],
    samples=50,
    resample="weeks",
)
print(judged.answer)
print(judged.frame.select("discipline", "mean_wait_s", "mean_bounded_slowdown", "p95_wait_s"))
run = lm.simulate(
    held_out, hosts, spread="any", policy="first-fit", discipline="learned_rule.py:rank+easy", out="learned_run"
)
named = "id" if "id" in run.frame.columns else "job"
late = run.frame.sort("wait_s")[named][-1]
print(lm.explain("learned_run", late, trust=True).answer)
