"""How often the intervals of `compare --samples` hold the truth, on made logs whose truth is known (rules R7 to R12).

    python tools/interval_coverage.py [--logs 60] [--samples 40] [--short 2000] [--weeks] [--only PART]

Two kinds of logs of twelve weeks at a load of .8: `mmc`, Poisson arrivals and exponential runtimes on 16 cores, users
drawn evenly; and `bursty`, users with heavy-tailed activity who send many like jobs at once, on 8 hosts of 4 cores.
Two questions of each: shortest first against first come first served, whose true log-ratio is the mean over all logs
made; and two rules equal in law, random placement under two seeds drawn anew for each log, that must not be told apart.
What it prints stands
in docs/explanation/how-sure.md.
"""

import argparse
import math
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from loadmaster.measure import metrics
from loadmaster.measure.best_rule import verdict_of_samples
from loadmaster.measure.paired_comparison import by_spread, log_ratio, over_resamples, over_seeds
from loadmaster.measure.resample import WEEK_S, Sample, users, weeks
from loadmaster.measure.sequential_test import judge_at_look, samples_at
from loadmaster.model import Cluster, Workload
from loadmaster.place import POLICIES
from loadmaster.scheduling import discipline_named
from loadmaster.sim.queue import simulate

LOAD = 0.8
Rule = tuple[str, str, int]
"""Policy, discipline, seed."""
QUESTIONS = ("different", "equal")

POOL = Cluster.uniform(16, cores=1), Cluster.uniform(8, cores=4)


def rules_of(question: str, number: int) -> tuple[Rule, Rule]:
    """Two rules to compare on log number `number`; equal ones have seeds of this log, the same on all its samples."""
    if question == "different":
        return ("first-fit", "fcfs+skip", 0), ("first-fit", "sjf+skip", 0)
    return ("random", "netbatch", 2 * number + 1), ("random", "netbatch", 2 * number + 2)


Maker = Callable[[np.random.Generator, int], tuple[Workload, Cluster]]


def mmc(rng: np.random.Generator, span_weeks: int, many_cores: bool = False) -> tuple[Workload, Cluster]:
    """M/M/16, mean runtime 6 h; with many cores jobs ask 1, 2 or 4 on hosts of 4, so that placement matters."""
    cluster = POOL[int(many_cores)]
    cores_a_job = 7 / 3 if many_cores else 1.0
    rate = LOAD * cluster.total[0] / (6 * 3600.0 * cores_a_job)
    jobs = rng.poisson(rate * span_weeks * WEEK_S)
    submit_s = np.sort(rng.random(jobs)) * span_weeks * WEEK_S
    runtime_s = rng.exponential(6 * 3600.0, jobs)
    cores = rng.choice([1, 2, 4], jobs) if many_cores else np.ones(jobs)
    return _log(submit_s, runtime_s, cores, rng.integers(0, 40, jobs), span_weeks), cluster


def bursty(rng: np.random.Generator, span_weeks: int, many_cores: bool = False) -> tuple[Workload, Cluster]:
    """Forty users: sessions as heavy-tailed as Pareto 1.5, of up to two hundred like jobs within an hour."""
    cluster = POOL[int(many_cores)]
    columns: list[tuple[np.ndarray, ...]] = []
    for user in range(40):
        typical_s = 3600.0 * (3 if many_cores else 6) * rng.lognormal(0, 1)
        for _ in range(1 + rng.poisson(span_weeks * min(rng.pareto(1.5), 6.0) / 2)):
            jobs = min(1 + int(4 * rng.pareto(1.5)), 200)
            at = rng.random() * span_weeks * WEEK_S + np.sort(rng.random(jobs)) * 3600.0
            cores = np.full(jobs, rng.choice([1, 2, 4]) if many_cores else 1)
            columns.append((at, typical_s * rng.lognormal(0, 0.6, jobs), cores, np.full(jobs, user)))
    submit_s, runtime_s, cores, who = (np.concatenate(column) for column in zip(*columns, strict=True))
    order = np.argsort(submit_s, kind="stable")
    log = _log(submit_s[order], runtime_s[order], cores[order], who[order], span_weeks)
    return log, cluster


def _log(submit_s: np.ndarray, runtime_s: np.ndarray, cores: np.ndarray, who: np.ndarray, span_weeks: int) -> Workload:
    """Whole weeks: the last arrival stands just behind the last of them."""
    submit_s = np.concatenate((submit_s, [span_weeks * WEEK_S + 3600.0]))
    submit_s = np.maximum.accumulate(submit_s - submit_s[0])
    last = (np.append(column, value) for column, value in ((runtime_s, 60.0), (cores, 1), (who, 0)))
    runtimes, widths, people = last
    return Workload.of(submit_s=submit_s, runtime_s=np.maximum(runtimes, 1.0), cores=widths, user=people)


def ratio_on(log: Workload, cluster: Cluster, rules: Sequence[Rule]) -> float:
    """The log-ratio of mean waits of the second rule against the first, at the load of all."""
    scaled = log.scaled(log.offered_load(cluster) / LOAD)
    waits = []
    for policy, discipline, seed in rules:
        schedule = simulate(scaled, cluster, POLICIES[policy], discipline_named(discipline), interval_s=0.0, seed=seed)
        waits.append(metrics(scaled, cluster, schedule).mean_wait_s)
    return float(log_ratio(np.array(waits[1:]), np.array(waits[:1]))[0])


def of_one_log(
    make: Maker, question: str, logs: int, samples: int, draws: Sequence[Callable[..., Sample]]
) -> dict[str, float]:
    """Parts of logs whose interval holds the truth (of equal rules: does not hold 0), by the way it is made."""
    span = 12
    own, drawn = [], []
    for number in range(logs):
        rules = rules_of(question, number)
        log, cluster = make(np.random.default_rng((1, number)), span)
        own.append(ratio_on(log, cluster, rules))
        rngs = [np.random.default_rng((2, number, k)) for k in range(samples)]
        drawn.append([[ratio_on(draw(log, rng).workload, cluster, rules) for rng in rngs] for draw in draws])
    truth = 0.0 if question == "equal" else float(np.mean(own))
    table = np.array(drawn)
    ways = {
        "percentile of users": partial(over_resamples, weeks=span),
        "spread of users": partial(by_spread, weeks=span),
        "t over users (wrong)": over_seeds,
    }
    found = {name: [judge(row) for row in table[:, 0]] for name, judge in ways.items()}
    if len(draws) > 1:
        found["percentile of weeks"] = [over_resamples(row, span) for row in table[:, 1]]
    held = {name: float(np.mean([d.low <= truth <= d.high for d in each])) for name, each in found.items()}
    if question == "equal":
        called = [
            verdict_of_samples(
                np.exp(np.vstack((np.zeros(samples), row))), (0, 1), partial(over_resamples, weeks=span)
            ).kind
            for row in table[:, 0]
        ]
        return {name: 1 - part for name, part in held.items()} | {"verdict `best`": called.count("best") / logs}
    return held | {"truth": truth, "sd of logs": float(np.std(own, ddof=1))}


def of_seeds(make: Maker, question: str, logs: int) -> np.ndarray:
    """float64[logs]: log-ratios of independent logs of one week."""
    made = (make(np.random.default_rng((3, number)), 1) for number in range(logs))
    return np.array([ratio_on(*each, rules_of(question, number)) for number, each in enumerate(made)])


def races(ratios: np.ndarray, many: int = 1000) -> float:
    """The part of races between equal rules, each over its own draw from the pool of logs, that name a best."""
    wrong, rng = 0, np.random.default_rng(4)
    looks = int(math.log2(ratios.size / samples_at(1)))
    for _ in range(many):
        row = rng.choice(ratios, samples_at(looks), replace=False)
        row = row * rng.choice([-1.0, 1.0])
        table = np.exp(np.vstack((np.zeros(row.size), row)))
        for look in range(1, looks + 1):
            stop = judge_at_look(table[:, : samples_at(look)], (0, 1), look).stop
            if stop:
                wrong += stop == "best"
                break
    return wrong / many


def erlang_c() -> None:
    """The golden of the queue: M/M/16 at .8, mean 6 h, waits .5717 h."""
    waits = []
    for number in range(6):
        log, cluster = mmc(np.random.default_rng((5, number)), 150)
        schedule = simulate(log, cluster, POLICIES["first-fit"], discipline_named("fcfs"), interval_s=0.0)
        waits.append(metrics(log, cluster, schedule).mean_wait_s / 3600)
    half = 2.571 * np.std(waits, ddof=1) / math.sqrt(6)
    print(f"M/M/16 at .8: {np.mean(waits):.4f} h +- {half:.4f}; Erlang C: 0.5717 h", flush=True)


def main() -> None:
    """Print a line a figure."""
    parser = argparse.ArgumentParser(description=__doc__)
    for name, value in (("logs", 60), ("samples", 40), ("short", 2000)):
        parser.add_argument(f"--{name}", type=int, default=value)
    parser.add_argument("--weeks", action="store_true", help="also samples by week, which cover too little")
    parser.add_argument("--only", default="", help="one part, such as 'bursty, equal'")
    asked = parser.parse_args()
    draws = (users, weeks) if asked.weeks else (users,)
    if not asked.only:
        erlang_c()
    for make in (mmc, bursty):
        for question in QUESTIONS:
            if asked.only not in f"{make.__name__}, {question}":
                continue
            wide = partial(make, many_cores=question == "equal")
            ratios = of_seeds(wide, question, asked.short)
            truth = 0.0 if question == "equal" else float(ratios.mean())
            found = [over_seeds(group) for group in ratios.reshape(-1, 10)]
            held = np.mean([each.low <= truth <= each.high for each in found])
            print(f"{make.__name__}, {question}: seeds, {len(found)} times 10 logs: {held:.3f} hold it", flush=True)
            if question == "equal":
                print(f"{make.__name__}: 1,000 races between equal rules: {races(ratios):.3f} name a best", flush=True)
            for name, part in of_one_log(wide, question, asked.logs, asked.samples, draws).items():
                print(f"{make.__name__}, {question}: {name}: {part:.3f}", flush=True)


if __name__ == "__main__":
    main()
