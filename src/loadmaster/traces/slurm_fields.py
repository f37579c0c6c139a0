"""The fields of `sacct`: their order without a header, and the spellings of times, memory and resources."""

import re

import numpy as np
import polars as pl

from loadmaster.model.arrays import Floats
from loadmaster.traces.values import Values, absent, durations, moments, numbers, words

_XDMOD = (
    *("jobid", "jobidraw", "cluster", "partition", "qos", "account", "group", "gid", "user", "uid", "submit"),
    *("eligible", "start", "end", "elapsed", "exitcode", "state", "nnodes", "ncpus", "reqcpus", "reqmem", "reqtres"),
    *("alloctres", "timelimit", "nodelist", "jobname"),
)
NO_HEADER = {26: _XDMOD, 25: [name for name in _XDMOD if name != "qos"]}
"""The orders of a dump without header, by the number of fields: what Open XDMoD tells its users to dump."""

PER_CPU = float(1 << 31)
"""Old versions mark memory per core with the highest bit of the number of MiB: 2147486648M is 3000M a core."""
_MEMORY = r"^([0-9]+(?:\.[0-9]+)?)([KMGTP]?)([nc]?)$"
_MIB = {"": 1.0, "K": 1 / 1024, "M": 1.0, "G": 1024.0, "T": 1024.0**2, "P": 1024.0**3}
MIB = float(1 << 20)
_OTHERS = re.compile(r"(?:^|,)(gres/[^=,]+)=")
"""What a job may request beside processors, memory, hosts and licences, as Slurm writes it."""
_LICENCE = re.compile(r"(?:^|,)(license/|bb/)([^=,]+)=([0-9.]+[KMGTP]?)")


def nodes(frame: pl.DataFrame) -> Floats:
    """float64[N]: nodes of the job, 1 where no field tells."""
    counts = np.zeros(frame.height)
    for name in ("nnodes", "reqnodes", "allocnodes"):
        counts = np.where(counts > 0, counts, whole_numbers(frame, name))
    return np.maximum(counts, 1.0)


def time_limit(frame: pl.DataFrame) -> Values:
    """Seconds of Timelimit, else of TimelimitRaw, which counts minutes."""
    raw = numbers(frame["timelimitraw"]) if "timelimitraw" in frame.columns else absent(frame.height)
    return _filled(_durations(frame, "timelimit"), raw._replace(values=raw.values * 60.0))


def elapsed(frame: pl.DataFrame) -> Values:
    """Seconds of Elapsed, else of ElapsedRaw, else between Start and End."""
    start, end = (moments(frame[name]) if name in frame.columns else absent(frame.height) for name in ("start", "end"))
    between = Values(end.values - start.values, start.missing | end.missing, start.bad | end.bad)
    if {"elapsed", "elapsedraw"} & set(frame.columns):
        return _filled(_durations(frame, "elapsed"), _durations(frame, "elapsedraw"))
    return between


def _durations(frame: pl.DataFrame, name: str) -> Values:
    return durations(frame[name]) if name in frame.columns else absent(frame.height)


def _filled(first: Values, second: Values) -> Values:
    """`first`, and `second` where it has nothing."""
    return Values(*(np.where(first.missing, other, own) for own, other in zip(first, second, strict=True)))


def hosts_asked(frame: pl.DataFrame) -> tuple[Floats, Floats]:
    """float64[N] each: nodes that the job requests at least and takes at most; 0 of one that requests one.

    ReqTRES has what it requests at least; it takes as many as it was given at most.
    """
    given, requested = nodes(frame), tracked(frame, "reqtres", "node")
    least = np.where(requested > 0, requested, given)
    several = least > 1
    return np.where(several, least, 0.0), np.where(several, np.maximum(given, least), 0.0)


def job_memory(frame: pl.DataFrame, cores: Floats, count: Floats) -> Values:
    """Bytes of memory of the whole job.

    ReqMem ends with `n` (per node), `c` (per core) or nothing (the job); ReqTRES tells it better than the last of
    these. Where neither does, AllocTRES tells.
    """
    tres, given = tracked_memory(frame, "reqtres"), tracked_memory(frame, "alloctres")
    if "reqmem" not in frame.columns:
        tres = np.where(tres > 0, tres, given)
        return Values(tres, tres <= 0, np.zeros(frame.height, dtype=bool))
    text = words(frame["reqmem"])
    mib = _mib(text.str.extract(_MEMORY, 1), text.str.extract(_MEMORY, 2))
    each = text.str.extract(_MEMORY, 3).fill_null("").to_numpy()
    flagged = mib >= PER_CPU
    times = np.where(flagged | (each == "c"), cores, np.where(each == "n", count, 1.0))
    requested = np.where(flagged, mib - PER_CPU, mib) * times * MIB
    is_given = (requested > 0) & ((each != "") | (tres <= 0))
    total = np.where(is_given, requested, np.where(tres > 0, tres, given))
    bad = (text.is_not_null() & text.str.extract(_MEMORY, 1).is_null()).to_numpy()
    return Values(np.floor(total), (total <= 0) & ~bad, bad)


def other_resources(frame: pl.DataFrame) -> pl.Series:
    """Of each row what it requests beside processors, memory, hosts and GPUs, joined by commas; null for nothing."""
    name = next((name for name in ("reqtres", "alloctres") if name in frame.columns), None)
    if name is None:
        return pl.Series([None], dtype=pl.String).new_from_index(0, frame.height)
    text = words(frame[name])
    some = text.filter(text.str.contains(_OTHERS.pattern)).unique().to_list()
    kinds_by_text = {each: ", ".join(kinds) for each in some if (kinds := _other_kinds(each))}
    return text.replace_strict(kinds_by_text, default=None, return_dtype=pl.String)


def licences_asked(frame: pl.DataFrame) -> pl.Series:
    """Of each row its licences and burst buffers, as `parse_licences` reads them; null for none.

    A queue's listing has them in a column of their own, accounting in ReqTRES, else in AllocTRES.
    """
    asked = pl.Series([None], dtype=pl.String).new_from_index(0, frame.height)
    if "licenses" in frame.columns:
        asked = words(frame["licenses"]).replace("(null)", None)
    for name in ("reqtres", "alloctres"):
        if name in frame.columns:
            text = words(frame[name])
            some = text.filter(text.str.contains(_LICENCE.pattern)).unique().to_list()
            by_text = {each: _licences_in(each) for each in some}
            asked = asked.fill_null(text.replace_strict(by_text, default=None, return_dtype=pl.String))
    return asked


def _licences_in(tres: str) -> str:
    return ",".join(f"{kind.removeprefix('license/')}{name}:{n}" for kind, name, n in _LICENCE.findall(tres))


def _other_kinds(tres: str) -> list[str]:
    return sorted({kind for kind in _OTHERS.findall(tres) if kind.split(":")[0] != "gres/gpu"})


def tracked(frame: pl.DataFrame, name: str, resource: str) -> Floats:
    """float64[N]: the count of `resource` (a pattern) in a TRES field such as `cpu=12,mem=31000M,node=1`; else 0."""
    if name not in frame.columns:
        return np.zeros(frame.height)
    return words(frame[name]).str.extract(rf"(?:^|,){resource}=([0-9]+)", 1).cast(pl.Float64).fill_null(0.0).to_numpy()


def tracked_memory(frame: pl.DataFrame, name: str) -> Floats:
    """float64[N]: bytes of memory in a TRES field; else 0."""
    if name not in frame.columns:
        return np.zeros(frame.height)
    text = words(frame[name])
    pattern = r"(?:^|,)mem=([0-9]+(?:\.[0-9]+)?)([KMGTP]?)"
    return _mib(text.str.extract(pattern, 1), text.str.extract(pattern, 2)) * MIB


def _mib(amount: pl.Series, unit: pl.Series) -> Floats:
    scale = unit.fill_null("").replace_strict(_MIB, return_dtype=pl.Float64)
    return np.asarray((amount.cast(pl.Float64).fill_null(0.0) * scale).to_numpy(), dtype=np.float64)


def whole_numbers(frame: pl.DataFrame, name: str) -> Floats:
    """float64[N]: the numbers of a field, 0 where there is none."""
    return (numbers(frame[name]) if name in frame.columns else absent(frame.height)).or_else(0.0)
