"""The poster's study on small streams: streams, records, and the results that its gates ask for."""

from pathlib import Path

import numpy as np
import pytest

from loadmaster.papers.delgado2011 import claims
from loadmaster.papers.delgado2011.streams import LARGEST, Stream, at_load, ctc, grid, synthetic
from loadmaster.papers.delgado2011.study import PLATFORMS, Case, run_cases

STREAM = Stream("s", synthetic(400, 0.244, 3))


@pytest.fixture(scope="module")
def rows():
    cases = [Case("s", p, load, c) for p in PLATFORMS for load in (0.3, 0.7) for c in claims.CHOICES]
    cases.append(Case("s", "heterogeneous", 0.3, "pcfc-sg", coupled=False))
    cases.append(Case("s", "homogeneous", 0.3, "pc-g", "static"))
    return run_cases(cases, {"s": STREAM})


def test_synthetic_sizes_follow_the_published_model():
    sizes = synthetic(40_000, 0.244, 1).task_count
    assert (sizes == 1).mean() == pytest.approx(0.244, abs=0.01)
    parallel = sizes[sizes > 1]
    powers = np.isin(parallel, 2 ** np.arange(1, 7)).mean()
    assert 0.76 < powers < 0.9
    assert sizes.max() <= LARGEST


def test_arrivals_are_stretched_to_the_load_asked_for():
    workload = at_load(STREAM.workload, 64, 0.5)
    assert workload.runtime_s @ workload.task_count / (64 * workload.span_s) == pytest.approx(0.5)


def test_without_logs_the_streams_say_that_they_are_synthetic():
    assert "synthetic" in ctc(None, 50).name
    assert "synthetic" in grid(None, 50).name
    assert (grid(None, 50).workload.task_count == 1).all()


def test_real_logs_are_clipped_to_the_vms(real_logs):
    stream = ctc(real_logs, 2000)
    assert (stream.name, stream.workload.jobs) == ("CTC", 2000)
    assert stream.workload.task_count.max() <= 256


def test_unequal_shares_and_coupling_cost_efficiency_and_semigreedy_wins_some_back(rows):
    for choice in claims.CHOICES:
        hom, het = (rows[Case("s", p, 0.7, choice)].efficiency_full for p in ("homogeneous", "heterogeneous"))
        assert het < hom
    het = {c: rows[Case("s", "heterogeneous", 0.3, c)].efficiency_full for c in claims.CHOICES}
    assert min(het[c] for c in claims.BASELINES) < 0.65
    assert het["pcfc-sg"] > het["pc-g"]
    bag = rows[Case("s", "heterogeneous", 0.3, "pcfc-sg", coupled=False)]
    assert bag.efficiency_full == pytest.approx(1.0, abs=1e-3)  # speeds are settled to 1e-4


def test_ranking_once_a_job_crowds_it(rows):
    claim = claims.incremental_ranking(rows, "s", 0.3)
    assert claim.verdict == "report only"
    anew = rows[Case("s", "homogeneous", 0.3, "pc-g")]
    assert anew.speed > 1.3 * rows[Case("s", "homogeneous", 0.3, "pc-g", "static")].speed


def test_a_recorded_run_is_not_made_again_unless_its_stream_changed(tmp_path):
    case = Case("s", "homogeneous", 0.5, "pmvm")
    small, other = Stream("s", synthetic(60, 0.5, 1)), Stream("s", synthetic(60, 0.5, 2))
    first = run_cases([case], {"s": small}, tmp_path)[case]
    record = next(tmp_path.glob("*.json"))
    record.write_text(record.read_text().replace(str(first.speed), "0.125"))
    assert run_cases([case], {"s": small}, tmp_path)[case].speed == 0.125
    assert run_cases([case], {"s": other}, tmp_path)[case].speed != 0.125


def test_a_study_stopped_while_it_writes_a_record_goes_on(tmp_path, monkeypatch):
    case, small = Case("s", "homogeneous", 0.5, "pmvm"), Stream("s", synthetic(60, 0.5, 1))
    with monkeypatch.context() as patch:
        patch.setattr(Path, "write_text", _half)
        with pytest.raises(KeyboardInterrupt):
            run_cases([case], {"s": small}, tmp_path)
    assert list(tmp_path.iterdir()) == []
    assert run_cases([case], {"s": small}, tmp_path)[case].unsettled == 0


def _half(path, text):
    with path.open("w") as file:
        file.write(text[: len(text) // 2])
    raise KeyboardInterrupt
