"""A log shows its machines: what is sure of a host, and what like hosts let one guess."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from loadmaster.measure.observed_hosts import observed_hosts
from loadmaster.model import Constraints, Named, Workload


def log(ran_on, *, starts=None, runs=None, cores=None, **more):
    jobs = len(ran_on)
    return Workload.of(
        submit_s=np.zeros(jobs),
        runtime_s=runs or [10.0] * jobs,
        cores=cores or [1] * jobs,
        recorded_wait_s=starts or [0.0] * jobs,
        recorded_hosts=Named.of(ran_on),
        **more,
    )


def test_what_ran_at_once_on_a_host_is_sure_and_one_after_the_other_is_not_added():
    seen = observed_hosts(log(["n1", "n1", "n1"], starts=[0.0, 5.0, 10.0], cores=[2, 3, 4]))
    assert seen.at_least[:, 0].tolist() == [7.0], "the first ends as the third begins"
    assert seen.peak.tolist() == [7.0]


def test_a_job_on_several_hosts_takes_its_share_of_each():
    seen = observed_hosts(log(["n[1-2]", "n1"], cores=[4, 1], tasks=[2, 1]))
    assert seen.names == ("n1", "n2")
    assert seen.at_least[:, 0].tolist() == [5.0, 4.0]


def test_hosts_with_like_names_and_the_same_partitions_are_guessed_to_be_equal():
    bound = Constraints(partition=Named.of(["cpu", "cpu", "gpu"]))
    seen = observed_hosts(log(["n1", "n2", "n3"], cores=[8, 2, 16], constraints=bound))
    assert seen.guess[:, 0].tolist() == [8.0, 8.0, 16.0]
    assert seen.partitions == (("cpu",), ("cpu",), ("gpu",))


def test_memory_is_guessed_in_whole_gib():
    seen = observed_hosts(log(["n1"], memory=[1.5 * 2**30]))
    assert (seen.at_least[0, 1], seen.guess[0, 1]) == (1.5 * 2**30, 2.0 * 2**30)


def test_a_job_of_unknown_start_counts_alone_and_cells_that_are_no_hosts_are_passed_over():
    seen = observed_hosts(log(["n1", "n1", "n[", None], starts=[0.0, np.nan, 0.0, 0.0], cores=[2, 5, 9, 1]))
    assert (seen.names, seen.at_least[:, 0].tolist(), seen.jobs) == (("n1",), [5.0], 2)


def test_without_names_only_the_use_at_once_is_known_and_without_starts_nothing():
    unnamed = Workload.of(submit_s=[0, 0], runtime_s=[9, 9], cores=[2, 3], recorded_wait_s=[0, 1])
    assert (observed_hosts(unnamed).hosts, observed_hosts(unnamed).peak.tolist()) == (0, [5.0])
    assert observed_hosts(Workload.of(submit_s=[0], runtime_s=[9], cores=[2])) is None


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 30), st.integers(1, 20), st.integers(1, 4)), min_size=1))
def test_the_most_at_once_is_that_of_a_count_moment_by_moment(rows):
    seen = observed_hosts(
        log(
            [f"n{host}" for host, *_ in rows],
            starts=[float(s) for _, s, *_ in rows],
            runs=[float(r) for _, _, r, _ in rows],
            cores=[c for *_, c in rows],
        )
    )
    for name, most in zip(seen.names, seen.at_least[:, 0].tolist(), strict=True):
        own = [(s, s + r, c) for host, s, r, c in rows if f"n{host}" == name]
        assert most == max(sum(c for s, e, c in own if s <= t < e) for t in range(51))
