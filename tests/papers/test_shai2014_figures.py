"""The thesis' worked examples and the figures of what jobs request: the numbers that are drawn, not only the charts."""

from dataclasses import replace

import numpy as np
import pytest

from loadmaster.papers.shai2014 import examples
from loadmaster.papers.shai2014.buckets import stream
from loadmaster.papers.shai2014.demand_figures import demand_charts, logged_requests, synthetic_requests
from loadmaster.papers.shai2014.example_figures import example_charts
from loadmaster.papers.shai2014.examples import FIGURE_3_1, FIGURE_3_2, FIGURE_4_1, HOST, angle, placed
from loadmaster.papers.shai2014.setup import StudySetup
from loadmaster.place import POLICIES

TINY = StudySetup(bucket_streams=2, bucket_part=0.0002)


@pytest.fixture(scope="module")
def charts():
    return {chart.caption.partition(",")[0]: chart for chart in example_charts()}


def values_of(spec):
    """The rows of each panel of a chart that stands beside others."""
    return [(panel.get("data") or panel["layer"][0]["data"])["values"] for panel in spec["hconcat"]]


def verdicts():
    return {claim.where: claim.verdict for claim in examples.example_claims()}


def test_the_examples_come_out_as_published():
    assert verdicts() == dict.fromkeys(("Figure 3.1", "Figure 3.2", "Figure 4.1", "Figure 4.2", "Figure 4.3"), "holds")
    assert placed("best-fit-memory", FIGURE_3_1) == {"A": [0, 1], "B": [2, 3, 4, 5]}


@pytest.mark.parametrize(
    ("policy", "instead", "broken"),
    [
        ("mix-fit", "worse-fit-memory", {"Figure 4.1", "Figure 4.3"}),
        ("mix-fit", "best-fit-cores", {"Figure 4.1", "Figure 4.2"}),
        ("best-fit-cores", "worse-fit-cores", {"Figure 3.1", "Figure 3.2", "Figure 4.3"}),
        ("worse-fit-memory", "first-fit", {"Figure 3.1", "Figure 3.2"}),
    ],
)
def test_another_rule_under_a_policys_name_differs(policy, instead, broken, monkeypatch):
    monkeypatch.setitem(POLICIES, policy, replace(POLICIES[instead], name=policy))
    assert {where for where, verdict in verdicts().items() if verdict == "differs"} == broken


def test_a_host_is_drawn_with_the_jobs_that_a_run_starts_on_it(charts):
    for name, queue in (("Figure 3.1", FIGURE_3_1), ("Figure 3.2", FIGURE_3_2)):
        panels = values_of(charts[name].chart.to_dict())
        policies = ("best-fit-cores", "worse-fit-cores")
        hosts = [jobs for policy in policies for jobs in placed(policy, queue).values()]
        assert [[int(row["job"]) - 1 for row in rows] for rows in panels] == hosts
        for rows, jobs in zip(panels, hosts, strict=True):
            sizes = [(row["cores"] - row["core"], row["memory"] - row["from"]) for row in rows]
            assert sizes == [queue[job] for job in jobs]
    assert "Best-Fit-Cores starts 6 of 8 jobs; Worse-Fit-Cores starts 8 of 8" in charts["Figure 3.1"].caption
    assert "Best-Fit-Cores starts 4 of 4 jobs; Worse-Fit-Cores starts 3 of 4" in charts["Figure 3.2"].caption


def test_no_two_jobs_of_a_host_share_a_core_or_a_block(charts):
    for chart in charts.values():
        for rows in values_of(chart.chart.to_dict()):
            for before, after in zip([{"cores": 0, "memory": 0}, *rows], rows, strict=False):
                assert (before["cores"], before["memory"]) == (after["core"], after["from"])
            assert (rows[-1]["cores"], rows[-1]["memory"]) <= HOST


def test_the_drawn_lines_span_the_angle_that_the_score_gives(charts):
    """From the full corner of the square, the diagonal and the line to what would be used."""
    for name, hosts in (("Figure 4.1", FIGURE_4_1), ("Figure 4.2a", examples.FIGURE_4_2)):
        job = examples.NEW if name == "Figure 4.1" else FIGURE_3_1[1]
        for panel, running in zip(charts[name].chart.to_dict()["hconcat"], hosts.values(), strict=True):
            diagonal, line = (layer["data"]["values"] for layer in panel["layer"][2:])
            towards = [
                np.diff([(row["cores"] / HOST[0], row["memory"] / HOST[1]) for row in e], axis=0)[0]
                for e in (diagonal, line)
            ]
            cosine = np.dot(*towards) / np.prod([np.hypot(*t) for t in towards])
            assert np.degrees(np.arccos(min(cosine, 1.0))) == pytest.approx(angle(running, job), abs=1e-5)
            assert f"{angle(running, job):.4g}°" in str(panel["layer"][0]["title"])
    assert "host B." in charts["Figure 4.1"].caption


def test_the_requests_drawn_are_those_of_the_streams_that_are_matched():
    requests = synthetic_requests(TINY)
    jobs = [stream("B", TINY, k).demand for k in range(2)]
    assert requests["B"].tolist() == (np.concatenate(jobs) / [1, 1 << 30]).tolist()
    assert {pool: len(found) for pool, found in synthetic_requests(replace(TINY, bucket_part=0.1)).items()} == (
        {pool: len(stream(pool, replace(TINY, bucket_part=0.1), 0).demand) for pool in "ABCD"}
    )


def test_bars_are_the_parts_of_the_jobs_by_what_they_request():
    gib = float(1 << 30)
    demand = np.array([(1, 0.5), (1, 1), (2, 8), (3, 9), (16, 64)]) * [1, gib]
    cores, memory, *_ = demand_charts(logged_requests("A", demand), "made up")
    shown = [
        {row["amount"]: row["share"] for row in chart.chart.to_dict()["data"]["values"]} for chart in (cores, memory)
    ]
    assert shown[0] == {"up to 1": 0.4, "1 to 2": 0.2, "2 to 4": 0.2, "4 to 8": 0.0, "over 8": 0.2}
    assert shown[1] == {
        "up to 1": 0.4,
        "1 to 2": 0.0,
        "2 to 4": 0.0,
        "4 to 8": 0.2,
        "8 to 16": 0.2,
        "16 to 32": 0.0,
        "over 32": 0.2,
    }
    assert "Jobs of one core: A 40.0%" in cores.caption
    assert "Jobs of at most 8 GiB: A 60.0%" in memory.caption


def test_bursts_are_the_means_of_consecutive_thousands():
    demand = np.ones((2500, 2)) * [1, 1 << 30]
    demand[1000:1500] *= 5
    *_, cores, memory = demand_charts(logged_requests("A", demand), "made up")
    for chart in (cores, memory):
        assert [row["mean"] for row in chart.chart.to_dict()["data"]["values"]] == [1.0, 3.0]
        assert "Highest: A 3.0." in chart.caption
