"""Runs a run again: a recorded one, to see that it is the same to the bit; one of a comparison, for its jobs."""

from dataclasses import dataclass, replace
from pathlib import Path

import polars as pl

from loadmaster import __version__
from loadmaster.model import InputError
from loadmaster.runs.case import Case
from loadmaster.runs.outcome import Outcome, run_fully
from loadmaster.runs.record import Record, file_identity, schedule_digest, tables_of
from loadmaster.runs.setting import sources_of
from loadmaster.runs.trust import check_trust
from loadmaster.sim.queue import Progress


@dataclass(frozen=True, eq=False)
class Rerun:
    """A run done again.

    Attributes:
        outcome: what was measured on it now.
        same: starts, hosts and cycles equal those of the record to the bit.
        differing_jobs: jobs with another start or another host; -1 if only the cycles differ.
        notes: differences in the circumstances, one sentence each.
    """

    outcome: Outcome
    same: bool
    differing_jobs: int
    notes: tuple[str, ...]


def rerun(record: Record, progress: Progress | None = None, *, trust: bool = False) -> Rerun:
    """Simulate the jobs of `record` once more, from its own columns.

    Args:
        record: the run.
        progress: told of its progress.
        trust: run the Python of a policy file that the record carries.

    Raises:
        InputError: the columns are not those that were simulated then, or the record carries Python and is not trusted.
    """
    check_trust(record, trust)
    if record.case.digest != record.about["case"]:
        raise InputError(record.case.digest, "the jobs or hosts of this record were changed after the run")
    _, schedule, outcome = run_fully(record.case, record.setting, record.sources, progress=progress)
    same = schedule_digest(schedule) == record.about["schedule"]
    before, now = record.schedule, schedule
    jobs = (before.start_s != now.start_s) & ~(~before.started & ~now.started)
    first_task = record.workload.first_task[:-1]
    jobs |= before.host[first_task] != now.host[first_task]
    return Rerun(outcome, same, int(jobs.sum()) if jobs.any() else (0 if same else -1), circumstances(record))


def jobs_of(case: Case, outcome: Outcome) -> pl.DataFrame:
    """A row for each job of a run of which only `outcome` was kept; it is made once more.

    Args:
        case: the jobs and hosts of the run.
        outcome: the results of the run.

    Raises:
        InputError: a rule of the run keeps state, or a metric of the run comes out otherwise now.
    """
    setting = replace(outcome.setting, metrics=())  # of no use here; one that is no file's could not be found again
    if setting.in_process:
        rule = "this rule keeps state, so its run cannot be made once more"
        raise InputError(", ".join(setting.in_process), rule, fix="lm.simulate(...).frame has the jobs of one run")
    sources = sources_of(setting)
    workload, schedule, now = run_fully(case, setting, sources)
    before = outcome.values
    if [name for name, value in now.values.items() if name in before and repr(value) != repr(before[name])]:
        rule = "this run comes out otherwise now: a file of its rules was changed"
        raise InputError(f"{setting.policy}, {setting.discipline}", rule, fix="compare once more")
    table = tables_of(Record(case, setting, workload, schedule, sources))["jobs.parquet"]
    names = {"policy": setting.policy, "discipline": setting.discipline, "load": outcome.load, "hosts": setting.hosts}
    return table.select(*(pl.lit(value).alias(name) for name, value in names.items() if value != ""), pl.all())


def circumstances(record: Record) -> tuple[str, ...]:
    """How the world differs from the one in which the run was made."""
    notes = []
    if record.about["version"] != __version__:
        notes.append(f"The record was made by version {record.about['version']}, this is {__version__}.")
    for recorded in record.about["inputs"]:
        path = Path(recorded["path"])
        if not path.is_file():
            notes.append(f"{path.name} is no longer at {path.parent}; the record's own copy of its jobs was used.")
        elif file_identity(path)["sha256"] != recorded["sha256"]:
            notes.append(f"{path.name} was changed since; the record's own copy of its jobs was used.")
    return tuple(notes)
