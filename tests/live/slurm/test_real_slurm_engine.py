"""The adapter on a real Slurm: held at submission, pinned, released, pinned anew; it fails open."""

import time
from pathlib import Path

import pytest
import real_slurm
from real_slurm_site import PlainUser, a_site

from loadmaster.live.session.engine import CLAIMED, HELD, RUNNING, EngineDown
from loadmaster.live.slurm.doctor import examine
from loadmaster.live.slurm.engine import SlurmEngine
from loadmaster.live.slurm.hook import Heartbeat, heartbeat_path
from loadmaster.live.slurm.probe import probe
from loadmaster.live.slurm.release import release_all
from loadmaster.model import InputError
from loadmaster.model.actions import Hold, Repin, Start, Withdraw

pytestmark = pytest.mark.skipif(bool(real_slurm.why_not()), reason=real_slurm.why_not() or "there is one")


@pytest.fixture(scope="module")
def site():
    with a_site() as made:
        yield made
        made.engine.close()


def test_a_job_is_held_for_us_then_runs_where_we_say(site):
    job = site.submit("-n", "2", "--mem-per-cpu=100", "-t", "10")
    assert site.state_of(job) == (HELD, "", "")
    assert site.engine.act(Start(job, ("n3",))) is None
    assert site.until(job, RUNNING) == (RUNNING, "n3", "")
    assert site.engine.act(Start(job, ("n1",))).kind == "busy"
    site.slurm.run("scancel", job)


def test_a_job_on_several_hosts_runs_on_all_of_them(site):
    job = site.submit("-N", "2", "-n", "4", "--ntasks-per-node=2", "--mem=100")
    seen = site.engine.observe()
    row = seen.ids.index(job)
    assert (int(seen.jobs.task_count[row]), float(seen.jobs.demand[row, 0])) == (2, 2.0)
    assert int(seen.jobs.constraints.min_hosts[row]) == 2
    assert site.engine.act(Start(job, ("n1", "n3"))) is None
    site.until(job, RUNNING)
    seen = site.engine.observe()
    on = seen.tasks.host[seen.tasks.job == seen.ids.index(job)]
    assert [seen.cluster.names[host] for host in on] == ["n1", "n3"]
    site.slurm.run("scancel", job)


def test_a_job_that_asks_for_licences_is_held_for_us_and_holds_them_as_it_runs(site):
    job = site.submit("-n", "1", "--mem=100", "-L", "matlab:2")

    def asked():
        seen = site.engine.observe()
        assert seen.cluster.rules.licences == (("matlab", 2.0),)
        return seen.jobs.constraints.licences.words()[seen.ids.index(job)]

    assert site.state_of(job) == (HELD, "", "")
    assert asked() == "matlab:2"
    assert site.engine.act(Start(job, ("n1",))) is None
    site.until(job, RUNNING)
    assert asked() == "matlab:2"
    site.slurm.run("scancel", job)


@pytest.mark.parametrize(
    ("words", "least"),
    [
        (("-N1", "-n9"), "0 of the 3 hosts of the default partition have the 9 CPUs and 0 MB"),
        (("-n2", "-c9"), "9 CPUs"), (("--mem=33000",), "0 of the 3 hosts"), (("-p", "small", "--mem=20000"), "small"),
        (("-N2", "--mem=20000"), "1 of the 3 hosts"), (("-N1", "-n8", "--mem-per-cpu=3000"), "24000 MB"),
        (("--mincpus=9",), "9 CPUs"), (("-N2", "--ntasks-per-node=3", "-c3"), "9 CPUs"),
    ],
)  # fmt: skip
def test_what_no_host_can_take_is_refused_at_submission_in_words_as_slurm_would(site, words, least):
    site.engine.observe()
    done = site.slurm.tried("sbatch", *words, "--wrap", "true", user="nobody")
    assert done.returncode != 0
    assert least in done.stderr
    assert "Requested node configuration is not available" in done.stderr
    Heartbeat(heartbeat_path("lm", site.state)).stop()
    alone = site.slurm.tried("sbatch", *words, "--wrap", "true", user="nobody")
    assert "Requested node configuration is not available" in alone.stderr


@pytest.mark.parametrize(
    "words",
    [("-n20",), ("-N1", "-n8"), ("-N3", "-n3", "--mem=16000"), ("-p", "small,main", "--mem=20000"),
     ("-n2", "--ntasks-per-node=9"), ("-N1", "-n8", "--mem-per-cpu=2000")],
)  # fmt: skip
def test_what_hosts_can_take_together_is_held_as_ever(site, words):
    site.engine.observe()
    job = site.slurm.run("sbatch", "--parsable", *words, "--wrap", "true").strip()
    assert "AdminComment=loadmaster:" in site.slurm.run("scontrol", "show", "job", job)
    site.slurm.run("scancel", job)


MERGED = """
local loadmaster = dofile("@FOLDER@/loadmaster.lua")

function slurm_job_submit(job, partitions, uid)
  if job.name == "forbidden" then return slurm.ERROR end
  return loadmaster.submit(job, partitions, uid)
end

function slurm_job_modify(job, record, partitions, uid)
  return loadmaster.modify(job, record, partitions, uid)
end

return slurm.SUCCESS
"""


def test_the_hook_works_where_a_site_has_merged_it_into_its_own(site):
    script = site.slurm.folder / "job_submit.lua"
    ours = script.read_text()
    script.with_name("loadmaster.lua").write_text(ours)
    try:
        script.write_text(MERGED.replace("@FOLDER@", str(site.slurm.folder)))
        site.slurm.run("scontrol", "reconfigure")
        user = PlainUser(site)
        job = user.submit()
        user.may("scontrol", "hold", job)
        assert (site.state_of(job), user.hold_of(job)) == ((HELD, "", ""), 1)
        assert user.is_told("sbatch", "-J", "forbidden", "--wrap", "true")
        assert "bad" not in [finding.level for finding in examine(site.engine, heartbeat_path("lm", site.state))]
    finally:
        script.write_text(ours)
        site.slurm.run("scontrol", "reconfigure")
    site.slurm.run("scancel", job)


def test_a_site_is_read_where_conf_says(site, tmp_path):
    text = site.slurm.conf.read_text()
    copy = tmp_path / "slurm.conf"
    copy.write_text(text + "PartitionName=only_in_the_copy Nodes=n1\n")
    look = SlurmEngine(copy, looks_on=True)
    assert [part.name for part in look.site.partitions] == ["main", "small", "only_in_the_copy"]


def test_a_task_of_an_array_is_started_alone(site):
    job = site.submit("--array=1-4%2", "-n", "1", "--mem=100")
    assert site.state_of(f"{job}_3") == (HELD, "", "")
    assert site.engine.act(Start(f"{job}_3", ("n2",))) is None
    assert site.until(f"{job}_3", RUNNING)[1] == "n2"
    assert site.state_of(f"{job}_1") == (HELD, "", "")
    seen = site.engine.observe()
    assert int(seen.jobs.constraints.throttle[seen.ids.index(f"{job}_1")]) == 2
    site.slurm.run("scancel", job)


def test_a_dependency_is_open_until_the_other_has_ended(site):
    first = site.submit("-n", "1", "--mem=100", run="sleep 1")
    second = site.submit("-n", "1", "--mem=100", "-d", f"afterok:{first}")
    seen = site.engine.observe()
    assert seen.jobs.constraints.eligible_s[seen.ids.index(second)] == float("inf")
    assert site.engine.act(Start(first, ("n1",))) is None
    end = time.monotonic() + 60.0
    while site.state_of(first) is not None:
        assert time.monotonic() < end
        time.sleep(0.2)
    seen = site.engine.observe()
    assert seen.jobs.constraints.eligible_s[seen.ids.index(second)] <= seen.at_s
    assert site.engine.act(Start(second, ("n1",))) is None
    site.until(second, RUNNING)
    site.slurm.run("scancel", second)


def test_a_singleton_may_start_as_soon_as_the_job_before_it_has_ended(site):
    words = ["-n", "1", "--mem=100", "-J", "one at a time"]
    first = site.submit(*words, run="sleep 1")
    second = site.submit(*words, "-d", "singleton")

    def eligible_s(job):
        seen = site.engine.observe()
        return seen.jobs.constraints.eligible_s[seen.ids.index(job)]

    assert eligible_s(second) == float("inf")
    assert site.engine.act(Start(first, ("n1",))) is None
    site.until(first, RUNNING)
    assert eligible_s(second) == float("inf")
    while site.state_of(first) is not None:
        time.sleep(0.2)
    assert eligible_s(second) < float("inf")
    assert site.engine.act(Start(second, ("n1",))) is None
    site.until(second, RUNNING, patience_s=20.0)
    site.slurm.run("scancel", second)


def test_a_drained_host_is_not_up_and_a_claim_on_it_is_pinned_anew(site):
    job = site.submit("-n", "8", "--mem=100")
    site.slurm.run("scontrol", "update", "nodename=n1", "state=drain", "reason=test State=IDLE")
    try:
        seen = site.engine.observe()
        assert dict(zip(seen.cluster.names, seen.up.tolist(), strict=True)) == {"n1": False, "n2": True, "n3": True}
        assert site.engine.act(Start(job, ("n1",))) is None
        assert site.until(job, CLAIMED) == (CLAIMED, "", "n1")
        assert site.engine.act(Repin(job, ("n2",))) is None
        assert site.until(job, RUNNING)[1] == "n2"
    finally:
        site.slurm.run("scontrol", "update", "nodename=n1", "state=resume")
        site.slurm.run("scancel", job)


def test_a_job_that_was_sent_back_runs_again_where_we_say(site):
    job = site.submit("-n", "1", "--mem=100", "--requeue")
    site.engine.observe()
    assert site.engine.act(Start(job, ("n2",))) is None
    site.until(job, RUNNING)
    site.slurm.run("scontrol", "requeue", job)
    site.until(job, CLAIMED)
    assert site.engine.act(Repin(job, ("n3",))) is None
    assert site.until(job, RUNNING)[1] == "n3"
    site.slurm.run("scancel", job)


def test_a_pin_that_cannot_be_served_is_told_as_refused_until_another_is_tried(site):
    job = site.submit("-n", "1", "--mem=20000")
    site.engine.observe()
    assert site.engine.act(Start(job, ("n1",))) is None  # it has 16000
    end = time.monotonic() + 60.0
    while not (refused := site.engine.observe().refused):
        assert time.monotonic() < end
        time.sleep(0.2)
    assert refused == ((job, "Slurm says BadConstraints"),)
    assert site.state_of(job) == (HELD, "", "n1")
    assert site.engine.act(Start(job, ("n3",))) is None
    assert site.until(job, RUNNING)[1] == "n3"
    site.slurm.run("scancel", job)


def test_hold_takes_a_claim_back_and_withdraw_lets_it_go(site):
    blocker = site.submit("-n", "4", "--mem=100")
    job = site.submit("-n", "4", "--mem=100")
    site.engine.observe()
    assert site.engine.act(Start(blocker, ("n3",))) is None
    site.until(blocker, RUNNING)
    assert site.engine.act(Start(job, ("n3",))) is None
    assert site.until(job, CLAIMED) == (CLAIMED, "", "n3")
    assert site.engine.act(Hold(job)) is None
    assert site.until(job, HELD) == (HELD, "", "")
    assert site.engine.act(Withdraw(job)) is None
    assert site.until(job, RUNNING)[1] in ("n1", "n2")
    site.slurm.run("scancel", blocker, job)


def test_jobs_of_other_partitions_are_left_out_by_name(site):
    look = SlurmEngine(Path(site.slurm.conf), looks_on=True, partitions=["small"])
    job = site.submit("-n", "1", "--mem=100", "-p", "main")
    mine = site.submit("-n", "1", "--mem=100", "-p", "small")
    seen = look.observe()
    assert mine in seen.ids
    assert "not among the requested partitions" in dict(seen.left_out)[job]
    with pytest.raises(InputError, match="smal"):
        SlurmEngine(Path(site.slurm.conf), looks_on=True, partitions=["smal"])
    site.slurm.run("scancel", job, mine)


def test_a_cancelled_job_is_gone_when_we_act(site):
    job = site.submit("-n", "1", "--mem=100")
    site.engine.observe()
    site.slurm.run("scancel", job)
    assert site.engine.act(Start(job, ("n1",))).kind == "gone"


def test_the_doctor_only_looks_and_says_what_it_finds(site):
    job = site.submit("-n", "1", "--mem=100")
    before = site.slurm.run("scontrol", "-o", "show", "job", job)
    found = examine(site.engine, heartbeat_path("lm", site.state))
    levels = {finding.what.split(":")[0]: finding.level for finding in found}
    assert "bad" not in levels.values(), levels
    assert site.slurm.run("scontrol", "-o", "show", "job", job) == before
    site.slurm.run("scancel", job)


def test_the_probe_runs_one_job_of_its_own_where_it_said(site):
    found = probe(site.engine.commands, "n3", "main")
    assert [finding.level for finding in found] == ["ok", "ok"], found


def test_without_a_sign_of_life_nothing_is_held_and_all_that_is_held_is_let_go(site):
    held = site.submit("-n", "1", "--mem=100")
    assert site.state_of(held) == (HELD, "", "")
    Heartbeat(heartbeat_path("lm", site.state)).stop()
    free = site.submit("-n", "1", "--mem=100")
    look = SlurmEngine(Path(site.slurm.conf), looks_on=True)
    end = time.monotonic() + 60.0
    while (seen := look.observe()) and RUNNING not in seen.tasks.state[seen.tasks.job == seen.ids.index(free)]:
        assert time.monotonic() < end
        time.sleep(0.2)
    released = release_all(site.engine.commands, site.engine.owner)
    assert (released.done, released.failed) == ([held], [])
    site.until(held, RUNNING)
    site.slurm.run("scancel", held, free)


def test_a_dead_controller_is_down_and_nothing_is_believed(site):
    site.slurm.kill("slurmctld")
    conf = site.slurm.conf.read_text()
    site.slurm.conf.write_text(conf + "MessageTimeout=1\n")  # of the commands alone, which try for ten seconds else
    try:
        with pytest.raises(EngineDown):
            site.engine.observe()
    finally:
        site.slurm.conf.write_text(conf)
        site.slurm.start("slurmctld")
    end = time.monotonic() + 60.0
    while True:
        try:
            assert site.engine.observe().cluster.hosts == 3
            break
        except EngineDown:
            assert time.monotonic() < end
            time.sleep(0.5)
