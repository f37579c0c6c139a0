"""The reproduction of Casanova et al. 2008: generator, study, degradations, resuming."""

from dataclasses import replace

import numpy as np
import pytest

from loadmaster.model.errors import InputError
from loadmaster.packing.branch_and_bound import branch_and_bound
from loadmaster.packing.generate import Spec, lublin_size, lublin_sizes, virtual_clusters
from loadmaster.papers.casanova2008 import caps, claims, large_claims, number_claims
from loadmaster.papers.casanova2008.outcome import StudyPart, degradations, outcome_of, percent_below
from loadmaster.papers.casanova2008.study import QUICK, Size, StudyCell, cells, run, timed


def test_the_study_has_the_published_number_of_instances():
    wanted = cells(Size(), 0)
    number = {part: sum(c.repetitions for c in wanted if c.part == part) for part in ("small", "large", "parallel")}
    assert number == {"small": 1440, "large": 10_800, "parallel": 10_800}
    assert len(set(wanted)) == len(wanted)
    assert all(cell.part != "large-lp" for cell in cells(QUICK, 0))


def test_memory_is_scaled_to_the_slack_and_demands_stay_in_range():
    for seed in range(20):
        instance = virtual_clusters(Spec(4, 10, 0.3, 0.75, 0.75), seed)
        assert instance.rigid.sum() == pytest.approx(4 * 0.7)
        assert instance.fluid.min() >= 0.01
        assert instance.fluid.max() <= 1
    clipped = virtual_clusters(Spec(4, 6, 0.1, 0.75, memory_rule="rescale_clip"), 0)
    assert clipped.rigid.max() <= 1
    for rule in ("direct_reject", "direct_clamp"):
        drawn = np.concatenate(
            [virtual_clusters(Spec(64, 500, 0.3, memory_rule=rule), s).rigid[:, 0] for s in range(9)]
        )
        assert drawn.mean() == pytest.approx(64 * 0.7 / 500, rel=0.02)


def test_the_same_seed_gives_the_same_instance_and_another_repetition_does_not():
    spec = Spec(64, 100, 0.5, parallel=True)
    one, same, other = virtual_clusters(spec, 1, 2), virtual_clusters(spec, 1, 2), virtual_clusters(spec, 1, 3)
    assert np.array_equal(one.fluid, same.fluid)
    assert not np.array_equal(one.fluid[:5], other.fluid[:5])
    assert one.tasks == 100
    assert one.jobs < 100


def test_job_sizes_follow_lublin_and_feitelson():
    size = lublin_size(np.random.default_rng(1), 400_000)
    assert (size == 1).mean() == pytest.approx(0.244, abs=0.003)
    powers = np.isin(size, 2 ** np.arange(1, 7))
    assert powers.mean() == pytest.approx(0.638, abs=0.005)
    assert size.mean() == pytest.approx(6.85, abs=0.05)
    assert size.max() <= 64
    assert lublin_sizes(100, np.random.default_rng(2)).sum() == 100


def test_the_later_generators_sizes_are_smaller_and_begin_at_one():
    size = lublin_size(np.random.default_rng(1), 400_000, lublin_bug=True)
    # Serial by lot, or in the first stage (0.86) from 0 to 2.7: rounded (0.75) below 0.5, not rounded below log2 1.5.
    first = 0.76 * 0.86 * (0.75 * 0.5 + 0.25 * np.log2(1.5)) / 2.7
    assert (size == 1).mean() == pytest.approx(0.24 + first, abs=0.003)
    assert size.mean() < 0.85 * lublin_size(np.random.default_rng(1), 400_000).mean()
    assert size.max() <= 64
    spec = Spec(64, 100, 0.5, parallel=True)
    one, other = virtual_clusters(spec, 1), virtual_clusters(spec, 1, lublin_bug=True)
    assert not np.array_equal(one.job_of, other.job_of)
    assert other.source.endswith("lublin_bug")


def test_a_specification_out_of_range_is_refused():
    with pytest.raises(InputError, match="slack"):
        Spec(4, 6, 1.0)


def test_a_stored_specification_is_read_and_not_run_again(tmp_path, monkeypatch):
    wanted = [StudyCell("small", Spec(4, 6, 0.5), 2, 0), StudyCell("parallel", Spec(64, 100, 0.5, parallel=True), 1, 0)]
    first = run(wanted, tmp_path)
    monkeypatch.setattr("loadmaster.papers.casanova2008.study.make_cell", None)
    assert run(wanted, tmp_path).equals(first)
    small = outcome_of(first, "small")
    assert small.n == 2
    exact, mcb8 = small.level["milp"], small.level["mcb8"]
    assert (np.isnan(exact) | (exact >= mcb8 - 1e-9) | np.isnan(mcb8)).all()
    assert set(outcome_of(first, "parallel").level) == {"mcb8", "sg"}


def made_up():
    nan = np.nan
    level = {f"mcb{k}": np.array([0.5, nan, nan]) for k in range(1, 8)} | {"mcb8": np.array([0.4, 0.9, nan])}
    return StudyPart(level, {}, {}, np.array([0.5, 1.0, 1.0]), np.array([0.1] * 3), np.array([6.0] * 3))


def test_a_failure_counts_as_a_hundred_percent_in_the_mean_and_not_in_the_largest():
    loss, largest = degradations(made_up(), "mcb8")
    assert loss == pytest.approx([20.0, 0.0])
    assert largest == pytest.approx(20.0)
    loss, largest = degradations(made_up(), "mcb1")
    assert loss == pytest.approx([0.0, 100.0])
    assert largest == 0.0


def test_the_papers_average_mixes_sets_and_the_paired_one_does_not():
    mixed, same = percent_below(made_up(), "mcb1", np.ones(3, bool))
    assert same == pytest.approx(0.0)
    assert mixed == pytest.approx(40.0)


def test_the_examples_of_the_text_are_exact():
    assert [claim.verdict for claim in (*claims.other(), caps.without())] == ["holds", "not measured"]


def failing(n, fails, level=0.5):
    """An outcome of `n` instances with 100 tasks; each algorithm fails a random choice of so many of them."""
    rng = np.random.default_rng(n)
    found = {name: np.where(rng.permutation(n) < number, np.nan, level) for name, number in fails.items()}
    return StudyPart(found, {}, {}, np.ones(n), np.tile([0.1, 0.4, 0.9], n)[:n], np.full(n, 100.0))


def test_each_of_the_better_three_must_fail_less_often_than_each_of_the_others():
    fails = {"sg": 600, "sgb": 590, "mcb8": 580, "gr": 1000, "gb": 980}
    assert large_claims.fewer_failures(failing(10_800, fails)).verdict == "holds"
    few = {name: number // 50 for name, number in fails.items()}
    assert large_claims.fewer_failures(failing(216, few)).verdict == "report only"
    claim = large_claims.fewer_failures(failing(10_800, fails | {"sgb": 950}))
    assert claim.verdict == "differs"
    assert "SGB / GR -5" in claim.ours
    assert "SGB / GB -3" in claim.ours
    none = large_claims.fewer_failures(failing(300, dict.fromkeys(fails, 0)))
    assert none.verdict == "not measured"


@pytest.mark.parametrize(("failed", "verdict"), [(300, "holds"), (150, "differs"), (600, "differs")])
def test_rrnz_on_the_sample_is_held_to_40_percent_fewer_from_both_sides(failed, verdict):
    sample = failing(2000, {"rrnd": 2000, "rrnz": 500, "mcb8": 0, "gr": 0})
    everything = failing(2000, dict.fromkeys(("sg", "sgb", "mcb8"), failed) | {"gr": 60, "gb": 60})
    found = next(claim for claim in large_claims.sampled(sample, everything) if "RRNZ, each" in claim.claim)
    assert found.verdict == verdict


def test_without_a_sample_nothing_is_said_of_it():
    nothing = failing(0, {"rrnd": 0, "rrnz": 0})
    assert [claim.verdict for claim in large_claims.sampled(nothing, nothing)] == ["not measured"]


def test_rows_that_are_all_alike_hold_no_ordering_of_the_keys():
    level = {f"mcb{k}": np.full(50, 0.5) for k in range(1, 9)}
    same = StudyPart(level, {}, {}, np.ones(50), np.full(50, 0.5), np.full(50, 6.0))
    assert claims.descending("Figs 2, 4", same).verdict == "differs"
    rng = np.random.default_rng(0)
    failed = {k: rng.random(400) < (0.4 if k < 5 else 0.1) for k in range(1, 9)}
    better = {f"mcb{k}": np.where(rows, np.nan, 0.4 if k < 5 else 0.5) for k, rows in failed.items()}
    assert claims.descending("Figs 2, 4", replace(same, level=better)).verdict == "holds"


@pytest.mark.parametrize(("above", "verdict"), [(2.0, "holds"), (0.2, "differs"), (8.0, "differs")])
def test_how_far_mcb8_is_from_the_optimum_is_held_to_the_published_number_from_both_sides(above, verdict):
    rng = np.random.default_rng(1)
    best = rng.uniform(0.4, 0.9, 400)
    claim = number_claims.over("Fig. 11", "x", "about 2", best * (1 + above / 100), best, (1, 4))
    assert claim.verdict == verdict


def test_a_count_is_of_the_papers_number_of_instances_and_few_do_not_tell():
    rows = np.arange(1440) < 60
    assert number_claims.count("p. 15", "x", 60, rows, 40, 80, 1440).verdict == "holds"
    assert number_claims.count("p. 15", "x", 60, np.arange(1440) < 200, 40, 80, 1440).verdict == "differs"
    assert number_claims.count("p. 15", "x", 0, np.zeros(1440, bool), 0, 4, 1440).verdict == "holds"
    few = number_claims.count("p. 15", "x", 0, np.zeros(100, bool), 0, 4, 1440)
    assert (few.verdict, few.n) == ("report only", 100)


def test_no_mcb_may_lose_more_than_sixty_percent_on_a_small_instance():
    best = np.full(1440, 0.8)
    level = {f"mcb{k}": best for k in range(1, 9)} | {"mcb4": np.where(np.arange(1440) == 7, 0.4, 0.8)}
    outcome = StudyPart(level, {}, {}, best, best, best)
    claim = claims.largest_degradation(outcome)
    assert (claim.ours, claim.verdict) == ("50.00 (MCB4)", "holds")
    assert claims.largest_degradation(outcome.take(np.arange(1440) < 100)).verdict == "report only"
    level["mcb4"] = np.where(np.arange(1440) == 7, 0.3, 0.8)
    assert claims.largest_degradation(outcome).verdict == "differs"
    assert claims.largest_degradation(outcome.take(np.arange(1440) < 100)).verdict == "differs"


def test_a_call_that_compiles_is_timed_again():
    from numba import njit

    once = njit(lambda x: x + 1)

    def solve(instance):
        if not once.signatures:
            once(1)
            for _ in range(200):  # stands for compiling that takes longer than the machine's clock is coarse
                sum(range(10_000))
        return "answer"

    assert timed(solve, None) == ("answer", pytest.approx(0.0, abs=1e-3))


def test_the_exact_solution_is_compiled_wherever_the_first_instance_needed_no_branching():
    easy, hard = (virtual_clusters(Spec(4, 12, slack, 0.75, 0.75), seed) for slack, seed in ((0.9, 0), (0.3, 1)))
    assert branch_and_bound(hard).effort > 0
    assert all(timed(branch_and_bound, instance)[1] < 0.5 for instance in (easy, hard))
