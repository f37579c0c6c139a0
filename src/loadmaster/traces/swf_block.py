"""One block of SWF text into columns: the shell around the tokeniser, run in several threads at once."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from loadmaster.model.arrays import Bools, Floats
from loadmaster.traces.rejects import Rule
from loadmaster.traces.swf_plain import fields_of

SHORTEST_LINE = 36  # 18 fields of one character, each with the blank or line feed behind it

RULES = {
    1: Rule("a line of SWF has 18 fields, this one has fewer"),
    2: Rule("a field is not a number"),
}
NEGATIVE_SUBMIT = Rule("submit time is negative")
NEGATIVE_RUNTIME = Rule("runtime is negative")
OUT_OF_RANGE = Rule("a number is out of range")
NOT_WHOLE = Rule("number of processors is not whole")
NO_RUNTIME = Rule("runtime is zero or unknown, so the job never ran", bad=False)
NO_PROCESSORS = Rule("number of processors is unknown", bad=False)

JOB, SUBMIT, WAIT, RUN, USED, CPU, USED_MEMORY, ASKED, ESTIMATE, ASKED_MEMORY = range(10)
STATUS, USER, GROUP, EXECUTABLE, QUEUE, PARTITION, PRECEDING, THINK = range(10, 18)
NEEDED = (
    JOB, SUBMIT, WAIT, RUN, USED, USED_MEMORY, ASKED, ESTIMATE, ASKED_MEMORY, USER, GROUP, QUEUE, PARTITION, PRECEDING,
)  # fmt: skip
EXTRA: dict[str, tuple[int, type]] = {
    "used_processors": (USED, np.float64), "cpu_time_s": (CPU, np.float64),
    "used_memory": (USED_MEMORY, np.float64), "status": (STATUS, np.int32), "executable": (EXECUTABLE, np.int32),
    "queue": (QUEUE, np.int32), "partition": (PARTITION, np.int32), "preceding_job": (PRECEDING, np.int64),
    "think_time_s": (THINK, np.float64),
}  # fmt: skip
"""The fields that a workload has no place for: name, field (from 0), type. -1 means unknown, as in the file."""
USE = ("cpu_time_s", "used_memory")
"""Of these, what a job really used: seconds of processor time of each processor, bytes of each."""

QUEUE_CODE, PARTITION_CODE, PRECEDING_CODE, THOUGHT = "queue code", "partition code", "preceding code", "thought"
"""Columns of fields 15 to 17, whatever else is wanted; and of field 18, where jobs follow others."""
_LARGEST = float(1 << 53)
_LARGEST_CODE = float((1 << 31) - 1)
_CODES = (USER, GROUP, ASKED, USED, STATUS, EXECUTABLE, QUEUE, PARTITION)


class WantedColumns(NamedTuple):
    """What to take from each line: bytes in a unit of memory, what memory counts, all 18 fields, think times, use."""

    memory_scale: float
    job_total: bool
    all_fields: bool
    thinks: bool = False
    use: bool = False

    @property
    def fields(self) -> tuple[int, ...]:
        """The fields to read, ascending from 0."""
        if self.all_fields:
            return tuple(range(18))
        return tuple(sorted((*NEEDED, *([THINK] if self.thinks else []), *([CPU] if self.use else []))))


class Block(NamedTuple):
    """The jobs of one block: compact columns by name, where their lines start in the text, and what was rejected.

    Of each rule: its first starts in the text, and how many lines broke it.
    """

    jobs: int
    lines: int
    columns: dict[str, NDArray[Any]]
    start: NDArray[np.int32]
    rejected: list[tuple[Rule, list[int], int]]


def read_block(text: bytes, wanted: WantedColumns) -> Block:
    """The jobs in `text`, whose last byte is a line feed."""
    plain = fields_of(text, wanted.fields)
    if plain is not None:
        return _block(plain.values, plain.start, plain.lines, [], wanted)
    return _tokenised(text, wanted)


def _tokenised(text: bytes, wanted: WantedColumns) -> Block:
    from loadmaster.traces.swf_kernel import Tokens, tokenise  # Numba is not loaded for nothing

    most = len(text) // SHORTEST_LINE + 1
    most_lines = text.count(b"\n")
    slot = np.full(18, -1, dtype=np.int8)
    slot[list(wanted.fields)] = np.arange(len(wanted.fields))
    tokens = Tokens(
        slot,
        np.empty((len(wanted.fields), most)),
        np.empty(most, np.int32),
        np.empty(most_lines, np.int32),
        np.empty(most_lines, np.int8),
    )
    good, bad, lines = tokenise(np.frombuffer(text, dtype=np.uint8), tokens)
    rejected = []
    for number, rule in RULES.items():
        starts = tokens.bad_start[:bad][tokens.bad_rule[:bad] == number]
        if starts.size:
            rejected.append((rule, starts[:5].tolist(), int(starts.size)))
    return _block(tokens.values[:, :good], tokens.start[:good], lines, rejected, wanted)


def _block(
    values: Floats,
    start: NDArray[np.int32],
    lines: int,
    rejected: list[tuple[Rule, list[int], int]],
    wanted: WantedColumns,
) -> Block:
    """float64[K, N] of good lines into columns, without those that are no job; these are added to `rejected`."""
    field = {k: values[row] for row, k in enumerate(wanted.fields)}
    keep = _valid_jobs(field, start, rejected)
    if not keep.all():
        field = {k: column[keep] for k, column in field.items()}
    return Block(int(keep.sum()), lines, _columns(field, wanted), start[keep], rejected)


def _valid_jobs(
    field: dict[int, Floats], start: NDArray[np.int32], rejected: list[tuple[Rule, list[int], int]]
) -> Bools:
    run, submit = field[RUN], field[SUBMIT]
    processors = _processors(field)
    limits = [(k, _LARGEST_CODE if k in _CODES else _LARGEST) for k in field]
    inside = [(field[k] >= -limit) & (field[k] <= limit) for k, limit in limits]
    checks = (
        (OUT_OF_RANGE, ~np.logical_and.reduce(inside)),
        (NEGATIVE_SUBMIT, submit < 0),
        (NEGATIVE_RUNTIME, (run < 0) & (run != -1)),
        (NO_RUNTIME, run <= 0),
        (NOT_WHOLE, processors != np.floor(processors)),
        (NO_PROCESSORS, processors <= 0),
    )
    keep = np.ones(len(run), dtype=bool)
    for rule, broken in checks:
        rows = np.flatnonzero(broken & keep)
        if rows.size:
            rejected.append((rule, start[rows[:5]].tolist(), int(rows.size)))
            keep[rows] = False
    return keep


def _columns(field: dict[int, Floats], wanted: WantedColumns) -> dict[str, NDArray[Any]]:
    processors = _processors(field)
    requested, used = field[ASKED_MEMORY], field[USED_MEMORY]
    memory = np.where(requested > 0, requested, used) * wanted.memory_scale
    if wanted.job_total:
        memory /= processors
    columns: dict[str, NDArray[Any]] = {
        "submit_s": field[SUBMIT],
        "runtime_s": field[RUN],
        "tasks": processors.astype(np.int32),
        "demand": np.ones((len(memory), 2)),
        "memory_from": np.where(requested > 0, 1, np.where(used > 0, 2, 0)).astype(np.int8),
        "estimate_s": np.where(field[ESTIMATE] > 0, field[ESTIMATE], field[RUN]),
        "estimate_known": field[ESTIMATE] > 0,
        "user": field[USER].astype(np.int32),
        "project": field[GROUP].astype(np.int32),
        "job_id": field[JOB].astype(np.int64),
        "recorded_wait_s": field[WAIT],
        QUEUE_CODE: field[QUEUE].astype(np.int32),
        PARTITION_CODE: field[PARTITION].astype(np.int32),
        PRECEDING_CODE: field[PRECEDING].astype(np.int64),
    }
    columns["demand"][:, 1] = np.floor(np.maximum(memory, 0.0) + 0.001)  # decimals of KB: not read to the last bit
    if wanted.thinks:
        columns[THOUGHT] = field[THINK]
    if wanted.all_fields:
        columns |= {name: field[k].astype(kind) for name, (k, kind) in EXTRA.items()}
        columns["used_memory"] = np.where(used > 0, used * wanted.memory_scale, -1.0)
    elif wanted.use:  # where no memory was requested, its use stands for the request
        columns["cpu_time_s"] = field[CPU]
        each = wanted.memory_scale / (processors if wanted.job_total else 1.0)
        columns["used_memory"] = np.where((used > 0) & (requested > 0), used * each, -1.0)
    return columns


def _processors(field: dict[int, Floats]) -> Floats:
    return np.where(field[ASKED] > 0, field[ASKED], field[USED])
