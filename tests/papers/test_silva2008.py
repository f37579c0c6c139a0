"""The paper's figures come out of a small run of the reproduction, and the tiles are what they are said to be."""

import math

import numpy as np
import pytest

from loadmaster.papers.silva2008 import claims, figures
from loadmaster.papers.silva2008.study import GRID, StudyRuns, grid, paired
from loadmaster.papers.silva2008.workloads import TILES, normal, rendered, two_humps
from loadmaster.papers.silva2008.workloads import real_logs as real_bags
from loadmaster.sim.bags.repetitions import draws, repeat
from loadmaster.sizing import FixedHosts, SilvaRule
from loadmaster.traces.bag import read_bag


@pytest.fixture(scope="module")
def cells():
    return {name: grid(draws(source, 60), math.inf) for name, source in (("normal", normal()), ("render", rendered()))}


def test_figure_1_is_exact():
    assert [claim.verdict for claim in claims.figure_1()] == ["holds", "holds"]


def test_figure_2_shows_the_tiles_in_their_order_and_the_mean_so_far():
    tiles = rendered().known
    values = figures.figure_2(tiles).to_dict()["data"]["values"]
    assert [row["seconds"] for row in values] == pytest.approx(tiles.tolist(), rel=1e-5)
    assert [row["mean"] for row in values] == pytest.approx([tiles[: k + 1].mean() for k in range(256)], rel=1e-5)


def test_tiles_in_the_order_of_the_picture_take_longer_than_at_random(cells):
    found = claims.in_order("render", rendered().known, cells["render"], StudyRuns())
    assert verdicts(found) == ["holds", "holds"]
    assert "at random 7." in found[1].ours


def test_an_order_that_is_as_good_as_any_holds_no_claim():
    """Ten tasks of a minute: every order takes as long, and the one machine rented is the best number."""
    same = np.full(10, 60.0)
    random = {(0.5, 0.5): repeat(np.tile(same, (5, 1)), SilvaRule(0.5, 0.5, tick_s=math.inf))}
    found = claims.in_order("n", same, random, StudyRuns())
    assert verdicts(found) == ["differs", "differs"]
    assert found[1].ours == "1, best 1; at random 1.00"


def verdicts(found):
    return [claim.verdict for claim in found]


def test_the_rule_stays_near_the_best_number_on_normal_durations(cells):
    assert claims.optimum("normal", cells["normal"], True).verdict == "holds"
    assert claims.thirteen("normal", cells["normal"], True).verdict == "holds"


@pytest.mark.parametrize("seed", range(4))
def test_creation_ratio_one_scatters_whatever_the_seed(seed):
    bags = draws(normal(), 100, seed)
    rules = {key: repeat(bags, SilvaRule(*key, tick_s=math.inf)) for key in ((1.0, 0.0), (0.5, 0.5))}
    assert claims.full_creation("normal", rules, "").verdict == "holds"


def test_a_ratio_growing_after_every_result_does_not_show_what_the_paper_shows(cells):
    every = claims.other_reading("render", grid(draws(rendered(), 60), math.inf, "every"))
    assert every.verdict == "report only"
    assert "does not show" in every.note


def test_a_rule_that_never_rents_a_second_machine_holds_no_claim():
    """One machine for all: nothing deviates, nothing differs, and no run has 13."""
    bags = draws(normal(), 60)
    alone = dict.fromkeys(((c, i) for c in GRID for i in GRID), repeat(bags, FixedHosts(1)))
    assert claims.optimum("n", alone, True).verdict == "differs"
    assert claims.full_creation("n", alone, "").verdict == "not measured"
    assert verdicts(claims.increase_ratio("n", alone)) == ["differs", "differs", "not measured", "differs"]
    assert claims.thirteen("n", alone, True).verdict == "not measured"
    assert verdicts(claims.behaviours("n", alone, False)) == ["not measured", "not measured"]
    assert verdicts(claims.behaviours("n", alone, True))[:2] == ["not measured", "not measured"]


def test_too_many_machines_are_as_wrong_as_too_few():
    bags = draws(normal(), 30)
    for hosts, verdict in ((8, "differs"), (11, "holds"), (16, "differs")):
        cells = {(0.5, 0.5): repeat(bags, FixedHosts(hosts))}
        assert claims.optimum("n", cells, True).verdict == verdict


def test_equal_behaviours_do_not_have_a_wider_range(cells):
    same = dict.fromkeys(cells["render"], cells["render"][0.5, 0.5])
    assert verdicts(claims.behaviours("render", same, True)) == ["differs", "holds", "report only"]
    assert verdicts(claims.behaviours("render", cells["render"], True)) == ["holds", "holds", "report only"]
    assert claims.full_creation("normal", dict.fromkeys(cells["normal"], cells["normal"][0.5, 0.5]), "").verdict == (
        "differs"
    )


def test_what_no_run_can_change_is_a_remark():
    assert verdicts(claims.errata()) == ["report only"]


def test_what_the_papers_own_runs_cannot_have_had_is_a_remark(cells):
    assert claims.with_3b("render", cells["render"]).verdict == "report only"


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
