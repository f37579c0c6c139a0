"""The command that `info` advises: the first of a few candidates that passes a short trial on a part of the log."""

import shlex
import time
from collections.abc import Iterator
from dataclasses import replace
from math import ceil, isfinite, log2
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from loadmaster.measure.observed_hosts import ObservedHosts
    from loadmaster.model import Cluster, Workload
    from loadmaster.traces import SpreadChoice, Trace
    from loadmaster.traces.spread import Fitted
    from loadmaster.verbs.info import InfoOptions

MOST_LEFT_OUT = 0.01
"""A comparison is advised only where the jobs that fit no host hold a smaller part of the work."""
FULL, TARGET = 1.0, 0.9
"""Above `FULL` the queue only grows, and the load is scaled to `TARGET`; so it is where rows do not differ."""
SAME = 0.01
SAME_S = 1.0
"""Rows whose mean waits differ by a smaller part, or by less than a second, tell nothing apart."""
FIRST_JOBS, TRIAL_S, LONGEST_S = 2000, 1.0, 15.0
"""A trial starts with so many jobs and doubles them for about `TRIAL_S`; an advised comparison ends in `LONGEST_S`."""
FEW_JOBS = 100
"""A trial on a log of fewer than `FIRST_JOBS` starts with so many: the plain engine serves small logs, job by job."""
LONGEST_TRIAL_S = 4.0
"""A trial whose rows do not differ goes on for about so long: the first jobs of a log may meet an empty system."""
ORDERS = {"policies": "first-fit", "disciplines": "easy,conservative,sjf+easy,wfp3+easy"}
"""The first comparison: of disciplines."""
IN_WINDOW = {"policies": "first-fit", "disciplines": "easy,sjf+easy,wfp3+easy"}
"""The same where runs begin with running jobs: conservative backfilling takes long there."""
PLACES = {"policies": "first-fit,best-fit-cores,best-fit-memory,worse-fit-cores,mix-fit", "disciplines": "easy"}
"""The next: of placement policies, without a meta-rule."""
ONE_RUN = {"policy": "first-fit", "discipline": "easy"}


class LogReading(NamedTuple):
    """A way to read the log and to place its tasks.

    Attributes:
        read: the log, read so, with its machines.
        spread: where the tasks of one job may go.
        options: what must be typed for it, beside what the user typed.
    """

    read: "Trace"
    spread: "SpreadChoice"
    options: dict[str, str]


class ShortTrial(NamedTuple):
    """What a command did on the first jobs of the log.

    Attributes:
        differs: the mean waits of its rows differ.
        jobs: how many jobs finish in `LONGEST_S`; None for all of them.
    """

    differs: bool
    jobs: int | None


def next_command(options: "InfoOptions", read: "Trace", path: str, seen: "ObservedHosts | None" = None) -> str:
    """The command to try after `info`.

    The reading of the log comes first: as given, with `--spread any`, or with another meaning of the memory in doubt.
    A reading that leaves out 1 % of the work or more is not compared: then hosts are taken that hold all jobs. Where no
    machines are known, those that the log shows are taken; where it shows none, `info` with such hosts comes next.
    Disciplines come before placement policies. Each is tried on the first jobs.

    Args:
        options: those of `info`.
        read: the log.
        path: of the log, as the user wrote it.
        seen: what the log shows of its machines; None where these are known, or the log shows nothing.
    """
    if read.cluster is None:
        if further := _option_of_doubt(options, read):
            return _typed("info", path, options, further)
        if seen is None:
            return _typed("info", path, options, {"hosts": hosts_for(read.workload)})
        reading = _on_observed(options, read, seen)
    else:
        reading = _best_reading(options, read)
    if work_left_out(reading) >= MOST_LEFT_OUT:
        reading = _on_hosts(reading.read, hosts_for(reading.read.workload), reading.options)
    for words in _comparisons(options, reading):
        trial = _try("compare", reading, words)
        if trial is not None and trial.differs:
            return _typed("compare", path, options, reading.options | words, trial.jobs)
    trial = _try("simulate", reading, ONE_RUN)
    return _typed("simulate", path, options, reading.options | ONE_RUN, None if trial is None else trial.jobs)


def _on_observed(options: "InfoOptions", read: "Trace", seen: "ObservedHosts") -> LogReading:
    """The log on the hosts that it shows, or that were written into a file."""
    from loadmaster.verbs.hosts_file import short_hosts

    if options.write_hosts is not None:
        return _on_hosts(read, str(options.write_hosts), {})
    return _on_hosts(read, short_hosts(seen, read.workload), {})


def _on_hosts(read: "Trace", hosts: str, further: dict[str, str]) -> LogReading:
    from loadmaster.site.machines import read_machines

    read = replace(read, cluster=read_machines(hosts), machines="given", memory_in_doubt=False)
    return LogReading(
        read, "auto", {name: text for name, text in further.items() if name != "spread"} | {"hosts": hosts}
    )


def work_left_out(reading: LogReading) -> float:
    """The part of the log's work that belongs to jobs that fit no host."""
    return _fitted(reading).rejected.work


def hosts_for(workload: "Workload") -> str:
    """Hosts that hold every job of the log on one host and are about 80 % busy, in the short form of `--hosts`.

    Example:
        >>> from loadmaster.model import Workload
        >>> hosts_for(Workload.of(submit_s=[0, 10], runtime_s=[40, 40], cores=[3, 6]))
        '2x8c'
    """
    from loadmaster.model.units import MEMORY

    units = {"cores": (1.0, "c"), MEMORY: (2.0**30, "g"), "gpus": (1.0, "gpu")}
    amounts, hosts = "", 1
    for name, column in zip(workload.resources, (workload.demand * workload.task_count[:, None]).T, strict=True):
        if name not in units or not column.max(initial=0.0):
            continue
        unit, letters = units[name]
        size = 2 ** max(0, ceil(log2(column.max() / unit)))
        amounts += f"{size}{letters}"
        work = float(workload.runtime_s @ column) / unit
        hosts = max(hosts, ceil(work / (0.8 * size * max(workload.span_s, float(workload.runtime_s.max())))))
    return f"{hosts}x{amounts or '16c'}"


def _fitted(reading: LogReading) -> "Fitted":
    """The jobs that fit, and those that do not."""
    from loadmaster.traces import fit_by

    read = reading.read
    assert read.cluster is not None
    return fit_by(reading.spread, read.workload, read.cluster, machines_of_log=read.machines == "log")


def _option_of_doubt(options: "InfoOptions", read: "Trace") -> dict[str, str]:
    """The option that a note of doubt about the memory names, where it was not given."""
    from loadmaster.traces.swf_memory import option_to_try

    flag, _, value = (option_to_try(read.notes) or "").partition(" ")
    name = flag.removeprefix("--").replace("-", "_")
    return {name: value} if name and name not in options.given else {}


def _best_reading(options: "InfoOptions", read: "Trace") -> LogReading:
    """The first reading that leaves out little enough, else the one that leaves out least work."""
    best, least = None, 2.0
    for each in _readings(options, read):
        part = work_left_out(each)
        if part < least:
            best, least = each, part
        if part < MOST_LEFT_OUT:
            break
    return best or LogReading(read, options.spread, {})


def _readings(options: "InfoOptions", read: "Trace") -> Iterator[LogReading]:
    """The ways to read the log, those with the fewest further options first."""
    spreads: dict[SpreadChoice, dict[str, str]] = {options.spread: {}}
    if "spread" not in options.given:
        spreads["any"] = {"spread": "any"}
    memory = _memory_readings(options, read)
    for workload, typed in sorted(memory, key=lambda each: len(each[1])):
        for spread, also in spreads.items():
            yield LogReading(replace(read, workload=workload, memory_in_doubt=False), spread, typed | also)


def _memory_readings(options: "InfoOptions", read: "Trace") -> "Iterator[tuple[Workload, dict[str, str]]]":
    """As read, unless the memory cannot be true; where it is in doubt, the other readings that can be true."""
    from loadmaster.runs.memory_reading import other_readings
    from loadmaster.traces.swf_memory import believable

    sure = not read.memory_in_doubt or believable(read.workload)
    if sure:
        yield read.workload, {}
    if not read.memory_in_doubt or "memory_unit" in options.given:
        return
    now = options.reading()
    for other, workload in other_readings(read.workload, now):
        unit = {} if other.memory_unit in (None, "KB") else {"memory_unit": other.memory_unit}
        meaning = {} if other.swf_memory == now.swf_memory else {"swf_memory": str(other.swf_memory)}
        if believable(workload) and not (sure and unit):  # memory that can be true has the right unit
            yield workload, unit | meaning


def _comparisons(options: "InfoOptions", reading: LogReading) -> Iterator[dict[str, str]]:
    """Options of the comparisons to try: of disciplines, then of placement policies where hosts leave them a choice."""
    from loadmaster.traces import fit_by

    read = reading.read
    cluster = read.cluster
    assert cluster is not None
    fitted = fit_by(reading.spread, read.workload, cluster, machines_of_log=read.machines == "log")
    loads = [float(fitted.workload.offered_load(cluster, r)) for r in range(len(cluster.resources))]
    scaled: list[dict[str, str]] = [{}]
    if isfinite(loads[0]) and loads[0] > 0:
        at = {"loads": f"{TARGET * loads[0] / max(loads):.3g}"}  # `--loads` counts the first resource
        scaled = [at, {}] if max(loads) > FULL else [{}, at]
    orders = ORDERS if read.window_s is None else IN_WINDOW
    disciplines = [orders | {"site": str(options.hosts)}, orders] if _has_queue(options) else [orders]
    for rules in [*disciplines, *([] if _placement_is_trivial(cluster) else [PLACES])]:
        for load in scaled:
            yield rules | load


def _has_queue(options: "InfoOptions") -> bool:
    """Whether the machines are those of a slurm.conf, which says how the site's own queue goes."""
    from loadmaster.site.machines import slurm_machines
    from loadmaster.traces.files import head_of

    hosts = options.hosts
    if not isinstance(hosts, str | Path) or slurm_machines(hosts) is None:
        return False
    return b"CPUTot=" not in head_of(Path(hosts), 1 << 16)


def _placement_is_trivial(cluster: "Cluster") -> bool:
    """Whether no placement policy has a choice that matters: one host, or equal hosts of one core."""
    rows, _ = cluster.kinds
    return cluster.hosts == 1 or (len(rows) == 1 and rows[0][cluster.resources.index("cores")] <= 1)


def _try(verb: str, reading: LogReading, words: dict[str, str]) -> ShortTrial | None:
    """Run a command on more and more of the first jobs; None where it is refused.

    The time for the whole log is carried on from the last two runs: it grows as a power of the jobs, which is between
    1 and 2.
    """
    from loadmaster.model import InputError

    jobs = reading.read.workload.jobs
    tried, before_s, power = FIRST_JOBS if jobs >= FIRST_JOBS else min(jobs, FEW_JOBS), 0.0, 1.0
    try:
        _waits(verb, reading, words, tried)  # compiles, which is done once on a machine
        while True:
            began = time.perf_counter()
            waits = _waits(verb, reading, words, tried)
            took_s = time.perf_counter() - began
            if before_s:
                power = min(2.0, max(1.0, log2(took_s / before_s)))
            differs = max(waits) - min(waits) > max(SAME * max(waits), SAME_S)
            if tried == jobs or took_s > (TRIAL_S if differs else LONGEST_TRIAL_S):
                break
            before_s, tried = took_s, min(jobs, 2 * tried)
    except InputError:
        return None
    at_most = int(tried * max(1.0, (LONGEST_S / took_s) ** (1 / power)))
    return ShortTrial(differs, None if at_most >= jobs else at_most // 100 * 100 or at_most)


def _waits(verb: str, reading: LogReading, words: dict[str, Any], jobs: int) -> list[float]:
    """The mean wait of every row, on the first jobs."""
    from loadmaster.verbs.compare import compare
    from loadmaster.verbs.simulate import simulate

    log = replace(reading.read, workload=reading.read.workload.take(slice(0, jobs)))
    if verb == "simulate":
        return [simulate(log, spread=reading.spread, **words).outcome.metrics.mean_wait_s]
    compared = compare(log, spread=reading.spread, **words)
    return [outcome.metrics.mean_wait_s for outcome in compared.comparison.outcomes]


def _typed(verb: str, path: str, options: "InfoOptions", further: dict[str, str], limit: int | None = None) -> str:
    """The command as one types it; `further` options stand in place of those that were given."""
    replaced = ("hosts",) if "site" in further else ()  # the site has its hosts
    given = options.typed(without=(*further, *replaced, *(["limit"] if limit else [])))
    words = [f"--{name.replace('_', '-')} {shlex.quote(value)}" for name, value in further.items()]
    words += [f"--limit {limit}"] if limit else []
    return " ".join(each for each in ("loadmaster", verb, shlex.quote(path), given, *words) if each)
