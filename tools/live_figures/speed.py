"""Observing, deciding and acting on a thousand waiting jobs and fifty real hosts, timed each for itself."""

import statistics
import time
from pathlib import Path

import real_slurm
import site_of_jobs as site

from loadmaster.live.queue.ledger import Ledger
from loadmaster.live.queue.listing import listing_of
from loadmaster.live.slurm.engine import SlurmEngine
from loadmaster.live.slurm.hook import Heartbeat, heartbeat_path
from loadmaster.model.actions import Start
from loadmaster.place import POLICIES
from loadmaster.scheduling import MaxJobs, Scheduler, discipline_named

REPEATS = 7
STARTS = 40
RULES = {
    "first-fit": ("first-fit", "netbatch"), "mix-fit": ("mix-fit", "netbatch"), "mix-fit+easy": ("mix-fit", "easy"),
    "max-jobs": ("max-jobs", "netbatch"), "max-jobs+easy": ("max-jobs", "easy"),
}  # fmt: skip


def measure(folder: Path, jobs: int, hosts: int, seed: int = 1) -> dict[str, object]:
    """Medians and the least of several, in seconds, with the load of the machine beside them."""
    load = site.load()
    with real_slurm.held_slurm(["CPUs=8 RealMemory=16000"] * hosts, "MaxJobCount=20000\n") as slurm:
        state = slurm.folder / "lm"
        state.mkdir(exist_ok=True)
        Heartbeat(heartbeat_path("lm", state)).beat()
        for k, job in enumerate(site.made_jobs(jobs, 1.0, seed, 1.0, 2.0)):
            job.submit(slurm)
            if k % 100 == 0:
                Heartbeat(heartbeat_path("lm", state)).beat()
        engine = SlurmEngine(slurm.conf, folder=state)
        try:
            observe_s = [_timed(engine.observe)[0] for _ in range(REPEATS)]
            seen = engine.observe()
            decide_s = {name: _decided(seen, *rule) for name, rule in RULES.items()}
            names = seen.cluster.names if seen.cluster is not None else ()
            starts = [Start(seen.ids[k], (names[k % len(names)],)) for k in range(STARTS)]
            act_s = [_timed(lambda start=start: _accepted(engine, start))[0] for start in starts]
        finally:
            engine.close()
    return {
        "waiting": len(seen.ids),
        "hosts": len(names),
        "observe_s": _said(observe_s),
        "decide_s": decide_s,
        "act_s_a_job": _said(act_s),
        "load_before": load,
        "load_after": site.load(),
    }


def _accepted(engine: SlurmEngine, start: Start) -> None:
    refusal = engine.act(start)
    assert refusal is None, refusal


def _decided(seen: object, policy: str, discipline: str) -> dict[str, float]:
    rule = Scheduler(MaxJobs() if policy == "max-jobs" else POLICIES[policy], discipline_named(discipline))
    ledger = Ledger(rule.discipline.order, 0.0, 0)
    ledger.see(listing_of(seen), listing_of(seen)["at_s"])  # type: ignore[arg-type]
    snapshot = ledger.snapshot()
    rule.decide(snapshot)  # compiled now
    return _said([_timed(lambda: rule.decide(snapshot))[0] for _ in range(REPEATS)])


def _timed(work):  # type: ignore[no-untyped-def]
    began_s = time.perf_counter()
    found = work()
    return time.perf_counter() - began_s, found


def _said(times: list[float]) -> dict[str, float]:
    return {"median": round(statistics.median(times), 4), "least": round(min(times), 4)}
