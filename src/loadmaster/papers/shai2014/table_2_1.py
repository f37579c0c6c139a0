"""Table 2.1: what the logs hold, counted where the user has one, and the generator's totals."""

import re
from collections.abc import Sequence
from pathlib import Path

from loadmaster.model import InputError
from loadmaster.papers.claim import Claim, Verdict
from loadmaster.papers.shai2014.published import TABLE_2_1
from loadmaster.traces import Trace, generate_netbatch
from loadmaster.traces.files import blocks

_NAMED = re.compile(r"netbatch[-_. ]?([a-d])(?![a-z])", re.IGNORECASE)
_USER = 11


def counts(path: Path) -> tuple[int, int]:
    """(jobs, users) of all lines of an SWF log, also of jobs that never ran."""
    jobs, users = 0, set()
    for text in blocks(path):
        for line in text.splitlines():
            fields = line.split(None, _USER + 1)
            if fields and not fields[0].startswith(b";"):
                jobs += 1
                users.add(fields[_USER] if len(fields) > _USER else b"")
    return jobs, len(users)


def pool_of(path: Path, jobs: int) -> str:
    """Which pool the log at `path` is of, by its number of jobs or by its name.

    Raises:
        InputError: of none of the four.
    """
    for pool, totals in TABLE_2_1.items():
        if abs(jobs - totals.jobs) <= 0.001 * totals.jobs:
            return pool
    named = _NAMED.search(path.name)
    if named:
        return named[1].upper()
    raise InputError(
        f"{jobs:,} jobs",
        "a log of none of the four NetBatch pools: their numbers of jobs are other",
        fix="for another log use `loadmaster compare`",
        where=str(path),
    )


def log_claims(pool: str, path: Path, jobs: int, users: int, trace: Trace) -> list[Claim]:
    """The published totals of `pool` beside those of the user's log."""
    published = TABLE_2_1[pool]
    machines, cores = (trace.cluster.hosts, int(trace.cluster.total[0])) if trace.cluster else (None, None)
    rows = (("jobs", jobs), ("users", users), ("machines", machines), ("cores", cores))
    claims = []
    for name, ours in rows:
        expected = getattr(published, name)
        verdict: Verdict = "not measured" if ours is None else "holds" if ours == expected else "differs"
        note = f"counted in {path.name}" if ours is not None else "the log does not name its machines"
        claims.append(
            Claim(
                "Table 2.1",
                f"pool {pool}: {name}",
                f"{expected:,}",
                "" if ours is None else f"{ours:,}",
                verdict,
                "equal",
                jobs,
                note,
            )
        )
    return claims


def missing_claims(pools: Sequence[str]) -> list[Claim]:
    """The totals of the pools whose logs are not here."""
    note = "the NetBatch logs are not bundled: give one with --trace (Parallel Workloads Archive, l_intel_netbatch)"
    return [
        Claim(
            "Table 2.1",
            f"pool {pool}: jobs, users, machines, cores",
            ", ".join(f"{n:,}" for n in TABLE_2_1[pool]),
            "",
            "not measured",
            note=note,
        )
        for pool in pools
    ]


def generator_claims(seed: int) -> list[Claim]:
    """Hosts and cores of the synthetic pools, which stand in for the logs: remarks, for the table made them."""
    claims = []
    for pool, published in TABLE_2_1.items():
        cluster = generate_netbatch(pool, jobs=1, seed=seed).cluster
        assert cluster is not None
        claims.append(
            Claim(
                "Table 2.1",
                f"synthetic pool {pool}: machines, cores",
                f"{published.machines:,}, {published.cores:,}",
                f"{cluster.hosts:,}, {int(cluster.total[0]):,}",
                "report only",
                n=1,
                note="synthetic, made after these totals: a mix of 8, 12 and 16 cores; the pools' own mixes and "
                "memories are not published",
            )
        )
    return claims
