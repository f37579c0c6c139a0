"""Real logs for the load experiment: wagap-2013 with its machines, and a NetBatch log that the user has."""

from dataclasses import replace
from pathlib import Path

from loadmaster.model import InputError
from loadmaster.papers.shai2014.loads import LoadedStream, scarcer_load
from loadmaster.papers.shai2014.published import TABLE_2_1
from loadmaster.papers.shai2014.setup import StudySetup
from loadmaster.runs import case_of
from loadmaster.traces import ReadOptions, Trace, generate_netbatch, read_trace

WAGAP = "wagap-2013.swf.gz"


def wagap_stream(folder: Path, setup: StudySetup) -> LoadedStream:
    """CERIT-SC's jobs on its own hosts: cores and memory of both are real. Jobs of several nodes run on one.

    What else the log says of where jobs may run is left aside: the paper's pools know cores and memory.

    Raises:
        InputError: the log is not in `folder`.
    """
    path = folder / WAGAP
    if not path.is_file():
        raise InputError(folder, f"no {WAGAP} here", fix="give the folder that holds it and its .machines")
    trace = read_trace(path, ReadOptions(swf_memory="job-total", memory_unit="B"))
    case = case_of(replace(trace, workload=replace(trace.workload, constraints=None)))
    return LoadedStream(case, tuple(sorted(setup.log_betas)))


def netbatch_stream(pool: str, trace: Trace, setup: StudySetup) -> LoadedStream:
    """The log of `pool` on machines rebuilt from Table 2.1, unless the log names its own.

    Its jobs are real; the machines' memory is not published and taken as 4 GiB a core. As in the synthetic pools, the
    smallest factor offers `highest_load` to the scarcer resource.
    """
    cluster = trace.cluster or generate_netbatch(pool, jobs=1, seed=setup.seed).cluster
    case = case_of(trace, cluster)
    per_load = scarcer_load(case) / (setup.highest_load * min(setup.betas))
    assert pool in TABLE_2_1
    return LoadedStream(case, tuple(beta * per_load for beta in sorted(setup.betas)))
