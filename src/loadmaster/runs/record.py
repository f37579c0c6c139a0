"""A run on disk: where and when each job ran, each cycle, and all that is needed to repeat it exactly.

A record is a folder and needs nothing outside it:

run.json         setting, version, inputs with their hashes, data's names, result
jobs.parquet     a row a job: job, id, submit_s, start_s, end_s, wait_s, runtime_s, estimate_s, tasks, project, user,
                 ended_as (a code of `loadmaster.model.constraints.STATUSES`, -1: as logged; if the run stopped one),
                 expected_s (what the scheduler counted on at speed 1, if that is not the estimate),
                 demand_<resource> (of one task), host (of its first task, -1 if it never started), cards (the GPUs of
                 that host that this task took, as "0 3", where jobs request parts of a GPU), and every column of
                 `loadmaster.model.Constraints` that the log has: names as text, dependencies in Slurm's notation;
                 ran_on (the hosts on which it really ran, where the log names them);
                 called (what a live engine calls it, where that is no number);
                 begun_on, begun_start_s, begun_expected_end_s, begun_end_s (the hosts and the times of jobs that ran as
                 the run began, if some did)
tasks.parquet    a row for each task: job, host, cards as above; only if a job has several
segments.parquet a row for each task of a run that was cut short before the last run of its job: job, segment, start_s,
                 end_s, lost (its work), host; only if there is one
cycles.parquet   a row a cycle: time_s, queue_length, started, winners (bit m set: member m won or tied); of a meta-rule
                 chosen (the name of the member that was followed)
choices.parquet  of a meta-rule, a row a cycle in which its members were not worth the same: cycle (its row), time_s,
                 value_<member> (what that member was held to be worth, empty where it was not worked out)
hosts.parquet    a row for each host: host, name, speed, capacity_<resource>, busy_<resource> (part in use), tasks
"""

import platform
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from loadmaster import __version__
from loadmaster.measure import waits
from loadmaster.measure.usage import host_use
from loadmaster.model import Cluster, InputError, Named, Schedule, Workload
from loadmaster.runs.case import Case
from loadmaster.runs.record_constraints import (
    constraint_columns,
    constraints_in,
    names_of,
    rules_as_json,
    rules_from_json,
)
from loadmaster.runs.record_files import ABOUT, read_files, write_files
from loadmaster.runs.record_tables import (
    begins_of,
    begun_columns,
    card_bits,
    card_words,
    cycles_in,
    cycles_tables,
    segments_in,
    segments_table,
    starting_in,
)
from loadmaster.runs.setting import Setting, discipline_of
from loadmaster.scheduling.estimate_model import EstimateModel
from loadmaster.scheduling.resolved_constraints import binds
from loadmaster.system.build import commit
from loadmaster.traces import Skipped

LIVE = "a live run"
"""The source of jobs that were seen, not simulated."""


@dataclass(frozen=True, eq=False)
class Record:
    """A run as it is on disk.

    Attributes:
        case: jobs (as the log has them, before scaling) and hosts.
        setting: how it was run.
        schedule: when and where every task ran.
        workload: the jobs as they were simulated, arrivals scaled by `setting.beta`.
        sources: text of the user's policy files.
        about: the whole of run.json.
        called: the names of jobs in the engine of a live run, if they are no numbers; else empty.
    """

    case: Case
    setting: Setting
    workload: Workload
    schedule: Schedule
    sources: Mapping[str, str] = field(default_factory=dict)
    about: Mapping[str, Any] = field(default_factory=dict)
    called: tuple[str, ...] = ()

    @property
    def live_notes(self) -> tuple[str, ...]:
        """Notes on a live run: that it goes on, that jobs still ran."""
        return self.case.notes if self.workload.source == LIVE else ()

    def name_of(self, job: int) -> int | str:
        """The name of job number `job` for its user: the engine's name, `12_3` of an array's task, else its number."""
        bound = self.workload.constraints
        if self.called:
            return self.called[job]
        if bound is not None and bound.array is not None and bound.array_task is not None and bound.array[job] >= 0:
            return f"{bound.array[job]}_{bound.array_task[job]}"
        return self.workload.id_of(job)

    @property
    def estimate_model(self) -> EstimateModel:
        """The estimates of the discipline, as far as it used them."""
        discipline, bound = discipline_of(self.setting, self.sources), binds(self.workload, self.case.cluster)
        return self.setting.estimate_model.under(discipline, self.workload, bound=bound)


def write_record(
    folder: Path, record: Record, *, command: str = "", inputs: tuple[Path, ...] = (), result: Mapping[str, Any] = {}
) -> None:
    """Write `record` into `folder`, which is made if need be; run.json last, so a folder with it is whole.

    Raises:
        InputError: the folder cannot be written.
    """
    case, schedule = record.case, record.schedule
    about = {
        "program": "loadmaster",
        "version": __version__,
        "commit": commit(),
        "python": platform.python_version(),
        "command": command,
        "setting": record.setting.plain(),
        "source": case.workload.source,
        "synthetic": case.workload.synthetic,
        "resources": list(case.workload.resources),
        "names": names_of(case.workload.constraints),
        "rules": rules_as_json(case.cluster.rules),
        "case": case.digest,
        "schedule": schedule_digest(schedule),
        "never": dict(schedule.never),
        "refused": schedule.refused,
        "members": [] if schedule.cycles.choices is None else list(schedule.cycles.choices.members),
        "inputs": [file_identity(path) for path in inputs],
        "sources": dict(record.sources),
        "result": dict(result),
        "notes": list(case.notes),
        "rejected": _plain(case.rejected),
        "skipped": _plain(case.skipped),
        "allowed": case.allowed,
        "begins": begins_of(case.workload.starting),
        "epoch_s": record.workload.epoch_s,
        "log_epoch_s": case.workload.epoch_s,
    }
    write_files(folder, about, tables_of(record))


def read_record(folder: Path) -> Record:
    """The run in `folder`.

    Raises:
        InputError: there is no whole record, or one of another format.
    """
    try:
        about, tables = read_files(folder)
        return _record(about, tables)
    except FileNotFoundError as error:
        if (folder / ABOUT).is_file():
            raise InputError(folder, f"this run record is damaged: there is no {Path(error.filename).name}") from error
        raise InputError(folder, "no run record here", fix="make one with loadmaster simulate -o DIR") from error
    except NotADirectoryError:
        raise InputError(folder, "this is a file", fix="name the folder that loadmaster simulate has written") from None
    except (OSError, ValueError, KeyError, TypeError, AttributeError, pl.exceptions.PolarsError) as error:
        raise InputError(folder, f"this run record is damaged: {type(error).__name__}: {error}") from error


def schedule_digest(schedule: Schedule) -> str:
    """A name for starts, hosts, cards and cycles: equal for schedules that are the same to the bit."""
    digest = sha256()
    cycles = schedule.cycles
    columns = schedule.start_s, schedule.host, cycles.time_s, cycles.queue_length, cycles.started, cycles.winners
    for column in columns if schedule.cards is None else (*columns, schedule.cards):
        digest.update(np.ascontiguousarray(column).data)
    return digest.hexdigest()


def file_identity(path: Path) -> dict[str, Any]:
    """Absolute path, size and SHA-256 of a file."""
    with path.open("rb") as file:
        digest = sha256()
        while block := file.read(1 << 20):
            digest.update(block)
    return {"path": str(path.resolve()), "bytes": path.stat().st_size, "sha256": digest.hexdigest()}


def tables_of(record: Record) -> dict[str, pl.DataFrame]:
    """The tables of `record` by the names of their files, as this module describes them."""
    workload, schedule, cluster = record.workload, record.schedule, record.case.cluster
    first_task = workload.first_task[:-1]
    submit_s, bound = record.case.workload.submit_s, record.case.workload.constraints
    ran_on = record.case.workload.recorded_hosts
    same_clock = submit_s is workload.submit_s
    jobs = {
        "job": np.arange(workload.jobs),
        "id": workload.job_id,
        "submit_s": workload.submit_s,
        "log_submit_s": None if same_clock else submit_s,
        "start_s": schedule.start_s,
        "end_s": schedule.ends_s(workload),
        "wait_s": waits(workload, schedule),
        "runtime_s": workload.runtime_s,
        "estimate_s": workload.estimate_s,
        "tasks": workload.tasks,
        "project": workload.project,
        "user": workload.user,
        **{f"demand_{name}": workload.demand[:, r] for r, name in enumerate(workload.resources)},
        "host": schedule.host[first_task],
        "cards": None if schedule.cards is None else card_words(schedule.cards[first_task]),
        **constraint_columns(workload.constraints),
        "ran_on": None if ran_on is None else pl.Series(ran_on.words(), dtype=pl.String),
        "ended_as": schedule.status,
        **begun_columns(workload),
        "expected_s": schedule.expected_s,
        "start_up_s": schedule.start_up_s,
        "log_eligible_s": None if same_clock or bound is None else bound.eligible_s,
        "called": list(record.called) or None,
    }
    use = host_use(workload, cluster, schedule)
    hosts = {
        "host": np.arange(cluster.hosts),
        "name": list(cluster.names) or None,
        "speed": cluster.speed,
        **{f"capacity_{name}": cluster.capacity[:, r] for r, name in enumerate(cluster.resources)},
        **{f"busy_{name}": use.busy[:, r] for r, name in enumerate(cluster.resources)},
        "tasks": use.tasks,
    }
    tables = {"jobs.parquet": _table(jobs), "hosts.parquet": _table(hosts), **cycles_tables(schedule.cycles)}
    if schedule.segments is not None:
        tables["segments.parquet"] = segments_table(schedule.segments)
    if workload.tasks is not None:
        job = np.repeat(np.arange(workload.jobs), workload.tasks)
        cards = None if schedule.cards is None else card_words(schedule.cards)
        tables["tasks.parquet"] = _table({"job": job, "host": schedule.host, "cards": cards})
    return tables


def _plain(skipped: Skipped) -> dict[str, Any]:
    return {"counts": skipped.counts, "lines": skipped.lines, "bad": skipped.bad, "work": skipped.work}


def _table(columns: Mapping[str, Any]) -> pl.DataFrame:
    return pl.DataFrame({name: column for name, column in columns.items() if column is not None})


def _record(about: Mapping[str, Any], tables: Mapping[str, pl.DataFrame]) -> Record:
    jobs, hosts = tables["jobs"], tables["hosts"]
    names = tuple(about["resources"])
    columns: dict[str, Any] = {name: jobs[name].to_numpy() if name in jobs else None for name in _WORKLOAD}
    workload = Workload(
        names,
        demand=np.column_stack([jobs[f"demand_{name}"].to_numpy() for name in names]),
        job_id=jobs["id"].to_numpy() if "id" in jobs else None,
        source=about["source"],
        synthetic=about["synthetic"],
        constraints=constraints_in(jobs, about["names"]),
        recorded_hosts=Named.of(jobs["ran_on"]) if "ran_on" in jobs else None,
        starting=starting_in(jobs, about.get("begins")),
        epoch_s=about.get("epoch_s"),
        **columns,
    )
    cluster = Cluster(
        names,
        np.column_stack([hosts[f"capacity_{name}"].to_numpy() for name in names]),
        tuple(hosts["name"]) if "name" in hosts else (),
        hosts["speed"].to_numpy(),
        rules_from_json(about["rules"]),
    )
    of_tasks = tables["tasks"] if workload.tasks is not None else jobs
    schedule = Schedule(
        jobs["start_s"].to_numpy(),
        of_tasks["host"].to_numpy(),
        cycles_in(tables, tuple(about["members"])),
        jobs["end_s"].to_numpy(),
        jobs["ended_as"].to_numpy() if "ended_as" in jobs else None,
        segments_in(tables.get("segments")),
        about["never"],
        jobs["expected_s"].to_numpy() if "expected_s" in jobs else None,
        about["refused"],
        card_bits(of_tasks["cards"]) if "cards" in of_tasks else None,
        jobs["start_up_s"].to_numpy() if "start_up_s" in jobs else None,
    )
    as_logged = workload
    if "log_submit_s" in jobs:
        submit_s = jobs["log_submit_s"].to_numpy()
        bound = workload.constraints
        if bound is not None and "log_eligible_s" in jobs:
            bound = replace(bound, eligible_s=jobs["log_eligible_s"].to_numpy())
        as_logged = replace(workload, submit_s=submit_s, constraints=bound, epoch_s=about.get("log_epoch_s"))
        workload = replace(workload, recorded_hosts=None)  # at another load nothing of it really ran
    left_out = Skipped(**about["rejected"]), Skipped(**about["skipped"])
    case = Case(as_logged, cluster, *left_out, tuple(about["notes"]), allowed=about["allowed"])
    called = tuple(jobs["called"]) if "called" in jobs else ()
    return Record(case, Setting.of(about["setting"]), workload, schedule, about["sources"], about, called)


_WORKLOAD = ("submit_s", "runtime_s", "tasks", "estimate_s", "project", "user")
