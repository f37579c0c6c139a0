"""The poster's study on small streams: streams, records, and the results that its gates request."""

import gzip
import json
from dataclasses import replace

import numpy as np
import pytest

from loadmaster.papers import StudyOptions, delgado2011
from loadmaster.papers.delgado2011 import claims, figures
from loadmaster.papers.delgado2011.streams import (
    CREDITS,
    LARGEST,
    JobStream,
    StreamGroup,
    at_load,
    ctc,
    grid,
    seeds,
    stretches,
    synthetic,
)
from loadmaster.papers.delgado2011.study import PLATFORMS, StudyCase, StudyRow, run_cases
from loadmaster.report.page import Chart, write
from loadmaster.verbs.reproduce import Reproduced
from traces.logs import swf_line

STREAM = JobStream("s", synthetic(400, 0.244, 3))


@pytest.fixture(scope="module")
def rows():
    cases = [StudyCase("s", p, load, c) for p in PLATFORMS for load in (0.3, 0.7) for c in claims.CHOICES]
    cases.append(StudyCase("s", "heterogeneous", 0.3, "pcfc-sg", coupled=False))
    cases.append(StudyCase("s", "homogeneous", 0.3, "pc-g", "static"))
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
        hom, het = (rows[StudyCase("s", p, 0.7, choice)].efficiency_full for p in ("homogeneous", "heterogeneous"))
        assert het < hom
    het = {c: rows[StudyCase("s", "heterogeneous", 0.3, c)].efficiency_full for c in claims.CHOICES}
    assert min(het[c] for c in claims.BASELINES) < 0.65
    assert het["pcfc-sg"] > het["pc-g"]
    bag = rows[StudyCase("s", "heterogeneous", 0.3, "pcfc-sg", coupled=False)]
    assert bag.efficiency_full == pytest.approx(1.0, abs=1e-3)  # speeds are settled to 1e-4


def test_ranking_once_a_job_crowds_it(rows):
    claim = claims.incremental_ranking(rows, StreamGroup("s", (STREAM,)), 0.3)
    assert claim.verdict == "report only"
    anew = rows[StudyCase("s", "homogeneous", 0.3, "pc-g")]
    assert anew.speed > 1.3 * rows[StudyCase("s", "homogeneous", 0.3, "pc-g", "static")].speed


FIVE = StreamGroup("made up", tuple(JobStream(f"m{k}", STREAM.workload) for k in range(5)))


def made_up(full, part=0.3, noise=0.01):
    """Rows of five streams: efficiency while full by choice, on both platforms and at both loads."""
    found = {}
    for k, name in enumerate(FIVE.parts):
        for choice, value in full.items():
            row = StudyRow(0.2, value + noise * (k - 2), part, 1.0, 1.0, 0.0, 1.0, 0)
            found |= {StudyCase(name, p, load, choice): row for p in PLATFORMS for load in (0.3, 0.7)}
    return found


def verdicts(found):
    return [claim.verdict for claim in found]


def test_utilization_around_65_percent_is_held_to_that_number_and_to_being_raised():
    alike = dict.fromkeys(claims.CHOICES, 0.5)
    good = made_up(alike | {"pcfc-sg": 0.65})
    assert verdicts(claims.underused(good, FIVE, 0.3)) == ["holds", "holds", "holds"]
    nothing_won = made_up(dict.fromkeys(claims.CHOICES, 0.89))
    assert verdicts(claims.underused(nothing_won, FIVE, 0.3)) == ["differs", "differs", "differs"]
    lost = made_up(alike | {"pcfc-sg": 0.4})
    assert verdicts(claims.underused(lost, FIVE, 0.3)) == ["holds", "differs", "differs"]


def test_where_machines_are_never_all_in_use_there_is_nothing_to_judge():
    never = made_up(dict.fromkeys(claims.CHOICES, float("nan")), part=0.0)
    assert verdicts(claims.underused(never, FIVE, 0.3)) == ["not measured"] * 3
    assert claims.heterogeneous_is_harder(never, FIVE, 0.7).verdict == "not measured"
    table = figures.all_runs(claims.averages(never, FIVE))
    assert len(table.rows) == 20
    assert figures.platform_bars(claims.averages(never, FIVE), "t", "made up", 0.7) == []


def test_where_some_machines_are_never_all_in_use_the_others_are_drawn():
    some = made_up(dict.fromkeys(claims.CHOICES, float("nan")) | {"ec": 0.7})
    [drawn] = figures.platform_bars(claims.averages(some, FIVE), "t", "made up", 0.7)
    assert "NaN" not in json.dumps(drawn.chart.to_dict())


def test_a_log_of_serial_jobs_cannot_ripple_so_nothing_is_measured_on_it():
    serial = JobStream("s", synthetic(50, 1.0, 3))
    alone = StreamGroup("made up", tuple(replace(serial, name=name) for name in FIVE.parts))
    same = made_up(dict.fromkeys(claims.CHOICES, 0.7))
    assert claims.heterogeneous_is_harder(same, FIVE, 0.7).verdict == "differs"
    judged = claims.heterogeneous_is_harder(same, alone, 0.7)
    assert judged.verdict == "not measured"
    assert "serial" in judged.note


@pytest.fixture
def page_of(tmp_path, monkeypatch):
    """The study's page as text, and its charts, with made-up rows of one efficiency in place of the runs."""

    def made(traces, efficiency, part=0.3):
        monkeypatch.setattr(
            delgado2011,
            "run_cases",
            lambda cases, *_: dict.fromkeys(cases, StudyRow(0.2, efficiency, part, 1.0, 1.0, 0.0, 1.0, 0)),
        )
        result = delgado2011.reproduce(StudyOptions(quick=True, out=tmp_path, traces=traces))
        write(tmp_path / "page.html", Reproduced("delgado2011", result, tmp_path / "page.html").page())
        return (tmp_path / "page.html").read_text(), [block for block in result.blocks if type(block) is Chart]

    return made


def test_without_logs_the_page_credits_none(page_of):
    page, charts = page_of(None, 0.7)
    assert "Parallel Workloads Archive" not in page
    assert not [name for name in CREDITS.values() if name in page]
    assert "synthetic (no CTC log)" in page
    assert len(charts) == 4


def test_the_page_credits_just_the_logs_that_were_read(page_of, tmp_path):
    logs = tmp_path / "logs"
    logs.mkdir()
    lines = "".join(swf_line(job=k, submit=100 * k, run=600, used=2, asked=2) for k in range(1, 4801))
    (logs / "CTC-SP2-1996-3.1-cln.swf.gz").write_bytes(gzip.compress(lines.encode()))
    page, _ = page_of(logs, 0.7)
    assert f"The log CTC: Parallel Workloads Archive ({CREDITS['CTC']})." in page
    assert CREDITS["LCG"] not in page


def test_where_nothing_could_be_measured_the_page_has_no_empty_figure(page_of):
    _, charts = page_of(None, float("nan"), part=0.0)
    assert charts == []


def test_equal_platforms_are_not_harder():
    same = made_up(dict.fromkeys(claims.CHOICES, 0.7))
    assert claims.heterogeneous_is_harder(same, FIVE, 0.7).verdict == "differs"
    harder = {
        case: replace(row, efficiency_full=row.efficiency_full - 0.1 * (case.platform == "heterogeneous"))
        for case, row in same.items()
    }
    assert claims.heterogeneous_is_harder(harder, FIVE, 0.7).verdict == "holds"


def test_equal_choices_serve_serial_jobs_equally_and_ripples_need_a_difference():
    same = made_up(dict.fromkeys(claims.CHOICES, 0.7))
    assert verdicts(claims.serial_jobs(same, FIVE, 0.3)) == ["differs", "differs"]
    assert claims.ripple(same, FIVE, FIVE, 0.7).verdict == "differs"


def test_a_group_counts_a_stream_by_its_time_with_all_machines_in_use():
    rows = made_up({"pc-g": 0.5}, noise=0.0)
    first = StudyCase("m0", "homogeneous", 0.3, "pc-g")
    rows[first] = replace(rows[first], efficiency_full=1.0, part_full=1.2)
    mean = claims.averages(rows, FIVE)[StudyCase("made up", "homogeneous", 0.3, "pc-g")]
    assert mean.efficiency_full == pytest.approx(0.75)


def test_stretches_of_a_log_are_all_of_it_one_after_another():
    group = stretches(STREAM, 3)
    assert [s.workload.jobs for s in group.streams] == [133, 133, 134]
    assert np.array_equal(np.concatenate([s.workload.submit_s for s in group.streams]), STREAM.workload.submit_s)
    assert len(set(seeds("law", 20, 0.5, 3, 4).parts)) == 4


def test_a_kept_run_is_not_made_again_unless_its_stream_changed(tmp_path, monkeypatch):
    case = StudyCase("s", "homogeneous", 0.5, "pmvm")
    small, other = JobStream("s", synthetic(60, 0.5, 1)), JobStream("s", synthetic(60, 0.5, 2))
    first = run_cases([case], {"s": small}, tmp_path)
    monkeypatch.setattr("loadmaster.papers.delgado2011.study.run_case", None)
    assert run_cases([case], {"s": small}, tmp_path) == first
    with pytest.raises(TypeError):
        run_cases([case], {"s": other}, tmp_path)
