"""What users and administrators do to jobs that loadmaster holds, on real daemons of Slurm."""

import pytest
import real_slurm
from real_slurm_site import PlainUser, a_site

from loadmaster.live.session.engine import CLAIMED, HELD, RUNNING
from loadmaster.live.slurm.hook import Heartbeat, heartbeat_path
from loadmaster.live.slurm.release import release_all
from loadmaster.model.actions import Start, Withdraw

pytestmark = pytest.mark.skipif(bool(real_slurm.why_not()), reason=real_slurm.why_not() or "there is one")


@pytest.fixture(scope="module")
def site():
    with a_site() as made:
        yield made
        made.engine.close()


def test_what_a_user_holds_is_not_ours_to_start(site):
    job = site.submit("-H", "-n", "1", "--mem=100")
    seen = site.engine.observe()
    assert int(seen.jobs.constraints.hold[seen.ids.index(job)]) == 1
    site.slurm.run("scancel", job)


def test_a_plain_user_holds_and_releases_a_job_and_it_stays_ours(site):
    user = PlainUser(site)
    job = user.submit("--delay-boot=5")
    assert (site.state_of(job), user.hold_of(job)) == ((HELD, "", ""), 0)
    user.may("scontrol", "hold", job)
    assert (site.state_of(job), user.hold_of(job)) == ((HELD, "", ""), 1)
    assert release_all(site.engine.commands, site.engine.owner).done == []
    user.may("scontrol", "release", job)
    assert (site.state_of(job), user.hold_of(job)) == ((HELD, "", ""), 0)
    assert "DelayBoot=00:05:00" in site.slurm.run("scontrol", "show", "job", job)
    assert site.engine.act(Start(job, ("n1",))) is None
    site.until(job, RUNNING)
    user.may("scancel", job)


def test_what_a_plain_user_submits_held_is_ours_once_it_is_released(site):
    user = PlainUser(site)
    job = user.submit("-H")
    assert user.hold_of(job) == 1
    user.may("scontrol", "release", job)
    assert (site.state_of(job), user.hold_of(job)) == ((HELD, "", ""), 0)
    user.may("scancel", job)
    assert site.state_of(job) is None


def test_a_plain_user_changes_a_job_that_we_hold_but_not_its_hosts(site):
    user = PlainUser(site)
    job = user.submit()
    user.may("scontrol", "update", f"JobId={job}", "TimeLimit=7", "Name=other", "Comment=mine")
    seen = site.engine.observe()
    assert float(seen.jobs.estimate_s[seen.ids.index(job)]) == 420.0
    assert "presently disabled" in user.is_told("scontrol", "update", f"JobId={job}", "ReqNodeList=n2")
    assert "pending scheduler release" in user.is_told("scontrol", "release", job)
    assert site.state_of(job) == (HELD, "", "")
    user.may("scancel", job)


def test_a_plain_user_takes_back_a_job_that_was_asked_to_start(site):
    user = PlainUser(site)
    blocker, job = site.submit("-n", "4", "--mem=100"), user.submit("-n", "4")
    site.engine.observe()
    assert site.engine.act(Start(blocker, ("n3",))) is None
    site.until(blocker, RUNNING)
    assert site.engine.act(Start(job, ("n3",))) is None
    site.until(job, CLAIMED)
    user.may("scontrol", "hold", job)
    site.until(job, HELD)
    assert user.hold_of(job) == 1
    site.slurm.run("scancel", blocker, job)


def test_a_plain_user_holds_one_task_of_an_array(site):
    user = PlainUser(site)
    job = user.submit("--array=1-3")
    user.may("scontrol", "hold", f"{job}_2")
    assert [user.hold_of(f"{job}_{task}") for task in (1, 2, 3)] == [0, 1, 0]
    user.may("scontrol", "hold", job)
    user.may("scontrol", "release", job)
    assert [user.hold_of(f"{job}_{task}") for task in (1, 2, 3)] == [0, 0, 0]
    assert site.state_of(f"{job}_1") == (HELD, "", "")
    user.may("scancel", job)


def test_what_an_administrator_holds_is_not_ours_to_start_until_he_releases_it(site):
    user = PlainUser(site)
    job = user.submit()
    site.slurm.run("scontrol", "hold", job)
    assert user.hold_of(job) == 2
    site.slurm.run("scontrol", "release", job)
    site.until(job, RUNNING)
    user.may("scancel", job)


def test_what_a_user_holds_while_we_are_dead_is_held_when_we_come_back(site):
    user = PlainUser(site)
    job = user.submit()
    site.engine.observe()
    Heartbeat(heartbeat_path("lm", site.state)).stop()
    user.may("scontrol", "hold", job)
    assert user.hold_of(job) == 1
    user.may("scancel", job)


def test_letting_go_of_what_a_user_holds_changes_nothing(site):
    job = site.submit("-H", "-n", "1", "--mem=100", "-w", "n2")
    before = site.slurm.run("scontrol", "-o", "show", "job", job)
    site.engine.observe()
    assert site.engine.act(Withdraw(job)) is None
    assert site.slurm.run("scontrol", "-o", "show", "job", job) == before
    site.slurm.run("scancel", job)
