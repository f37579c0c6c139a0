"""From where a live run stands the simulator goes on as the run itself does, where jobs last as is supposed."""

import numpy as np
import pytest
from fake_runs import drive, made_jobs, ruled

from loadmaster.live.queue.forecast import ForecastSimulation
from loadmaster.live.queue.record import ledger_after, lines_of


def stood_at(folder, scheduler, part):
    """The ledger after a part of the record's lines."""
    lines = lines_of(folder)
    kept = lines[: max(2, int(part * len(lines)))]
    return ledger_after(kept, scheduler.discipline.order, lines[0]["origin_s"], lines[0]["seed"]).ledger


@pytest.mark.parametrize("discipline", ["fcfs", "easy", "fair-share", "sjf+easy", "multifactor+easy", "conservative"])
@pytest.mark.parametrize("seed", [1, 2])
def test_who_waits_starts_as_in_the_run_where_nobody_comes_later(tmp_path, discipline, seed):
    """All jobs come at once, so nothing is unknown but how long they last; that is told."""
    work = made_jobs(40, seed, every_s=0.0)
    scheduler = ruled(discipline=discipline)
    run = drive(tmp_path, work, scheduler=scheduler, for_s=3000.0)
    ledger = stood_at(tmp_path, scheduler, 0.3)
    lasts_s = {name: float(work.runtime_s[int(name)]) for name in ledger.rows}
    waiting = [name for name in ledger.rows if name not in ledger.runs and name in run.starts]
    assert waiting
    last = max(waiting, key=lambda name: run.starts[name][0])
    onward = ForecastSimulation(ledger, scheduler, 5.0, lasts_s)
    onward.starts(last)
    told = {name: onward.starts(name) for name in waiting}
    assert told == {name: run.starts[name][0] for name in waiting}


def test_a_job_that_never_fits_never_starts(tmp_path):
    work = made_jobs(40, 1, every_s=0.0)
    scheduler = ruled()
    drive(tmp_path, work, scheduler=scheduler, for_s=20.0)
    ledger = stood_at(tmp_path, scheduler, 1.0)
    waiting = next(name for name in ledger.rows if name not in ledger.runs)
    ledger.rows[waiting]["demand"] = [1e6, 1.0]
    assert ForecastSimulation(ledger, scheduler, 5.0, dict.fromkeys(ledger.rows, 50.0)).starts(waiting) == np.inf
