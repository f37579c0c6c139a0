"""Every paper keeps what it finished: a second reproduction takes it over, and asks no cluster for it."""

import importlib

import numpy as np
import pytest

from loadmaster.model import InputError
from loadmaster.papers import PAPERS, StudyOptions, amir2000, casanova2008, delgado2011, matrix, silva2008
from loadmaster.papers.amir2000 import study as amir
from loadmaster.papers.casanova2008 import study as casanova
from loadmaster.papers.delgado2011 import study as delgado
from loadmaster.papers.matrix.study import MEASURES, MatrixSize
from loadmaster.papers.study_cells import records_in
from loadmaster.results.dask_client import DaskAddress

NOBODY = DaskAddress("tcp://127.0.0.1:9")


def block(setup, start, _moved):
    """Slowdowns of a block of executions, drawn instead of run: what is judged of them is tested elsewhere."""
    rng = np.random.default_rng((start, len(setup.methods)))
    shape = (amir.BLOCK, len(setup.methods))
    jobs = np.full(amir.BLOCK, 10)
    return amir.MethodSlowdowns(rng.uniform(10, 90, shape), jobs, rng.uniform(1, 9, shape), rng.uniform(0, 1, shape))


def rows(_shared, cell, _moved):
    """Rows of a specification, drawn instead of solved."""
    import polars as pl

    facts = {"part": cell.part, "tasks": cell.spec.tasks, "slack": cell.spec.slack, "cv_memory": cell.spec.cv_memory}
    facts |= {"cv_cpu": cell.spec.cv_cpu, "solved": True, "bound": 1.0, "proven": True}
    rng = np.random.default_rng(cell.spec.tasks)
    return pl.DataFrame(
        [
            {**facts, "repetition": n, "algorithm": name, "level": v, "mean_yield": v, "seconds": v}
            for n in range(cell.repetitions)
            for name, _ in casanova._solvers(cell, n)
            for v in [float(rng.uniform(0.1, 1.0))]
        ]
    )


def row(_streams, case, _moved):
    """What a run came to, drawn instead of run."""
    return delgado.StudyRow(*np.random.default_rng(len(case.stream)).uniform(0.1, 0.9, 7).tolist(), 0)


TINY = MatrixSize(repetitions=1, streams=1, jobs=200, stream_hosts=6)


def measured(shared, task, moved):
    return np.random.default_rng(len(task.rule)).uniform(0.5, 1.0, (1, len(MEASURES)))


REPRODUCED = {
    "amir2000": (amir2000.reproduce, "loadmaster.papers.amir2000.study.make_block", block),
    "casanova2008": (casanova2008.reproduce, "loadmaster.papers.casanova2008.study.make_cell", rows),
    "delgado2011": (delgado2011.reproduce, "loadmaster.papers.delgado2011.study.make_case", row),
    "matrix": (
        lambda options: matrix.reproduce_with(options, TINY),
        "loadmaster.papers.matrix.study.make_cell",
        measured,
    ),
    "silva2008": (lambda options: silva2008.reproduce_with(options, 3, 2), "loadmaster.sim.bags.study.repeat", None),
}
"""How each is run small: its reproduction, who makes its cells, and what stands in for that; shai2014 has its own."""


@pytest.mark.parametrize("paper", REPRODUCED)
def test_a_second_reproduction_takes_over_what_the_first_kept(paper, tmp_path, monkeypatch):
    reproduce, maker, stand_in = REPRODUCED[paper]
    if stand_in is not None:
        monkeypatch.setattr(maker, stand_in)
        monkeypatch.setattr("loadmaster.papers.amir2000.study._compile", lambda _setup: None)
        monkeypatch.setattr("loadmaster.papers.casanova2008.study._compile", lambda _cells, _watch: None)
    first = reproduce(StudyOptions(quick=True, out=tmp_path))
    assert (tmp_path / f"{paper}-records" / "results.sqlite").is_file()
    monkeypatch.setattr(maker, None)
    assert reproduce(StudyOptions(quick=True, out=tmp_path, on=NOBODY)).claims == first.claims


@pytest.mark.parametrize("paper", PAPERS)
def test_every_reproduction_asks_the_cluster_it_is_given(paper, tmp_path, monkeypatch):
    pytest.importorskip("distributed", reason="the extra `dask` is not installed")
    monkeypatch.setattr("loadmaster.results.dask_client.PATIENCE_S", 0.5)
    with pytest.raises(InputError, match="no Dask scheduler answers"):
        importlib.import_module(PAPERS[paper].module).reproduce(StudyOptions(quick=True, out=tmp_path, on=NOBODY))


def test_without_a_folder_nothing_is_kept():
    with records_in(None) as store:
        assert store is None
