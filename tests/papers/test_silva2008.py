"""The paper's figures come out of a small run of the reproduction, and the tiles are what they are said to be."""

import math

import numpy as np
import pytest

from loadmaster.papers.silva2008 import claims, figures
from loadmaster.papers.silva2008.study import GRID, grid, paired
from loadmaster.papers.silva2008.workloads import TILES, normal, rendered, two_humps
from loadmaster.papers.silva2008.workloads import real_logs as real_bags
from loadmaster.sim.bag import draws
from loadmaster.traces.bag import read_bag


@pytest.fixture(scope="module")
def cells():
    return {name: grid(draws(source, 60), math.inf) for name, source in (("normal", normal()), ("render", rendered()))}


def test_figure_1_is_exact():
    assert [claim.verdict for claim in claims.figure_1()] == ["holds", "holds"]


def test_the_rule_stays_near_the_best_number_on_normal_durations(cells):
    assert claims.optimum("normal", cells["normal"], True).verdict == "holds"
    assert claims.thirteen("normal", cells["normal"], True).verdict == "holds"


def test_creation_ratio_one_scatters_on_a_render(cells):
    assert claims.full_creation("render", cells["render"], "").verdict == "holds"


def test_a_ratio_growing_after_every_result_does_not_show_what_the_paper_shows(cells):
    assert claims.increase_ratio("render", cells["render"]).verdict == "holds"
    every = claims.other_reading("render", grid(draws(rendered(), 60), math.inf, "every"))
    assert every.verdict == "report only"
    assert "does not show" in every.note
    assert "This reading shows" in claims.other_reading("render", cells["render"]).note


def test_equal_ranges_are_not_called_wider(cells):
    same = dict.fromkeys(cells["render"], cells["render"][0.5, 0.5])
    wider, least, _ = claims.behaviours("render", same, True)
    assert (wider.verdict, least.verdict) == ("differs", "holds")
    assert [c.verdict for c in claims.behaviours("render", cells["render"], True)] == ["holds", "holds", "report only"]


def test_a_claim_that_does_not_hold_is_called_so(cells):
    swapped = dict.fromkeys(cells["normal"], cells["normal"][0.5, 0.5])
    assert claims.full_creation("normal", swapped, "").verdict == "differs"


def test_our_tiles_are_measured_and_only_stretched():
    raw, bag = read_bag(TILES).known, rendered().known
    assert len(raw) == 256
    assert not rendered().synthetic
    assert two_humps().synthetic
    assert (bag.min(), bag.max()) == (25.0, 565.0)
    assert np.corrcoef(raw, bag)[0, 1] == pytest.approx(1.0)


def test_every_figure_can_be_drawn(cells):
    bag = draws(normal(), 1)[0]
    for chart in (figures.figure_1(), figures.figure_4({"normal": bag}), figures.figures_5_and_6(cells["normal"])):
        assert chart.to_dict()["$schema"]
    assert figures.figure_7(cells).to_dict()["$schema"]
    assert len(cells["normal"]) == len(GRID) ** 2


def test_the_planner_beats_the_rule_on_a_real_log(real_logs_folder):
    found = paired("rnaseq", real_logs_folder["rnaseq"], 8, 0)
    assert found.verdict == "better"


@pytest.fixture
def real_logs_folder(real_logs):
    return real_bags(real_logs)
