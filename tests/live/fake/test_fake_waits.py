"""A fake cluster knows who waits for others, and who in vain: such jobs never start, and nobody waits for them."""

import numpy as np
from fake_runs import drive

from loadmaster.live.fake.engine import FakeEngine
from loadmaster.live.fake.waits import FakeWaits
from loadmaster.live.session.clocks import FakeClock
from loadmaster.model import Cluster, Constraints, Dependencies, Workload
from loadmaster.model.actions import Withdraw
from loadmaster.place import POLICIES
from loadmaster.scheduling import discipline_named
from loadmaster.sim.queue import simulate

ONE = Cluster.uniform(1, cores=4, memory=4)
FAILED = 1


def jobs(depends, status=(FAILED, 0, 0, 0)):
    """Job 1 fails after 10 s, the others, which have come by then, wait for it or for each other."""
    bound = Constraints(depends=Dependencies.of(["", *depends]), status=np.array(status))
    return Workload.of(
        submit_s=[0.0, 1.0, 2.0, 3.0],
        runtime_s=[10.0] * 4,
        cores=[1] * 4,
        memory=[1] * 4,
        job_id=[1, 2, 3, 4],
        constraints=bound,
    )


def test_who_waits_for_a_failed_job_to_end_well_never_starts_live_nor_simulated(tmp_path):
    work = jobs(["afterok:1", "afterany:1", "afterok:2"])
    run = drive(tmp_path, work, ONE, for_s=100.0)
    assert run.engine.over["3"][1] == "ok"
    assert [run.engine.ran[name] for name in ("1", "2", "3", "4")] == [1, 0, 1, 0]
    simulated = simulate(work, ONE, POLICIES["mix-fit"], discipline_named("easy"), interval_s=5.0)
    assert simulated.started.tolist() == [True, False, True, False]


def test_the_run_is_over_where_all_that_is_left_can_never_start():
    fake = FakeEngine(jobs(["afterok:1", "afterok:2", "afterok:3"]), ONE, FakeClock())
    fake.run_out(50.0)
    assert not fake.is_done()  # job 1 could start still
    fake.act(Withdraw("1"))
    fake.run_out(50.0)
    assert fake.is_done()
    assert set(fake.over) == {"1"}


def test_one_that_waits_for_any_of_several_waits_in_vain_only_when_all_are_lost():
    waits = FakeWaits(jobs(["afterok:1?afterok:3", "afternotok:1", ""]), ONE, ["1", "2", "3", "4"])
    failed, well = (10.0, "failed"), (10.0, "ok")
    assert waits.in_vain(1, {"1": failed}) is None
    assert waits.in_vain(1, {"1": failed, "3": failed}).words == "can never start: jobs 1 and 3 did not end well"
    assert waits.in_vain(2, {"1": failed}) is None
    assert waits.in_vain(2, {"1": well}).words == "can never start: job 1 did not fail"


def test_the_fake_itself_starts_no_job_whose_turn_has_not_come():
    fake = FakeEngine(jobs(["after:1", "afterok:1", "afterany:2"]), ONE, FakeClock())
    for name in ("2", "3", "4"):
        fake.run_out(4.0, step_s=1.0)
        fake.act(Withdraw(name))
    assert set(fake.ran.values()) == {0}
    fake.act(Withdraw("1"))
    fake.run_out(60.0, step_s=1.0)
    assert fake.over["2"][0] < fake.over["4"][0]
    assert fake.ran["3"] == 0
