"""The matrix of all papers: a row for each rule and set in one schema, and measures worked out by hand."""

import numpy as np
import polars as pl
import pytest

from loadmaster.packing import Instance, pack
from loadmaster.papers import StudyOptions, matrix
from loadmaster.papers.matrix.study import MEASURES, META, PACKERS, PLACEMENT, STATIC, STREAM, MatrixSize, _of_packing

TINY = MatrixSize(repetitions=1, streams=1, jobs=200, stream_hosts=6)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("matrix")
    return folder, matrix.reproduce_with(StudyOptions(out=folder), TINY)


def test_every_rule_has_a_row_for_each_set_on_which_it_has_a_meaning(made):
    table = pl.read_csv(made[0] / "matrix" / "matrix.csv")
    assert table.columns == ["rule", "paper", "set", "runs", *MEASURES]
    assert table.filter(set=STATIC)["rule"].to_list() == [*PACKERS, *PLACEMENT]
    assert table.filter(set=STREAM)["rule"].to_list() == [*PLACEMENT, *META]


def test_measures_without_a_meaning_are_empty_and_the_others_are_not(made):
    table = pl.read_csv(made[0] / "matrix" / "matrix.csv")
    static, stream = table.filter(set=STATIC), table.filter(set=STREAM)
    assert static["mean_wait_s"].null_count() == len(static)
    assert stream["min_yield"].null_count() == len(stream)
    assert stream["mean_wait_s"].null_count() == stream["stranded_memory"].null_count() == 0
    assert static["stranded_cores"].null_count() == 0


def test_few_runs_are_reported_only(made):
    few = [claim for claim in made[1].claims if claim.n < 5]
    assert few
    assert {claim.verdict for claim in few} == {"report only"}


def test_stranded_amounts_by_hand():
    """A typical task asks .5 cores and .375 memory; one host has .25 and .75 left of them, the other .75 and .5."""
    two = Instance.of(hosts=2, cpu=[0.75, 0.25], memory=[0.25, 0.5])
    packing = pack(two, "gr")
    measures = _of_packing(two, packing)
    assert sorted(packing.host.tolist()) == [0, 1]
    assert measures["stranded_cores"] == 0.0
    assert measures["stranded_memory"] == pytest.approx(0.75 / 2)
    assert np.isclose(measures["min_yield"], 1.0)
