"""Jobs on a real Slurm that request features or name hosts: they are held for us, and start where they may."""

import time
from pathlib import Path

import numpy as np
import pytest
import real_slurm

from loadmaster.live.session.engine import HELD, RUNNING
from loadmaster.live.slurm.engine import SlurmEngine
from loadmaster.live.slurm.release import release_all
from loadmaster.model.actions import Explain, Hold, Repin, Start, Withdraw
from loadmaster.scheduling.resolved_constraints import resolve_constraints

pytestmark = pytest.mark.skipif(bool(real_slurm.why_not()), reason=real_slurm.why_not() or "there is one")
HOSTS = [f"CPUs=4 RealMemory=16000 Feature={chip},{rack}" for chip in ("intel", "amd") for rack in ("rack1", "rack2")]
SERVED = {
    "-w n3": ["n3"], "-x n1,n3": ["n2 n4"], "-N2 -n2 -w n[1-2]": ["n1 n2"], "-C intel&rack2": ["n2"],
    "-C intel,rack2": ["n2"], "-C intel|rack2": ["n1 n2 n4"], "-C (intel|amd)&rack1": ["n1 n3"],
    "-N2 -n2 -C intel*2": ["n1 n2"], "-N2 -n2 -C [rack1|rack2]": ["n1 n3", "n2 n4"],
    "-N1 -C [rack1|rack2]": ["n1 n2 n3 n4"], "-w n1 -C intel --exclusive": ["n1"], "-C amd -x n3": ["n4"],
    "--oversubscribe": ["n1 n2 n3 n4"],
}  # fmt: skip
LEFT_OUT = {
    "-N2 -n2 -w n1": "names only some of its hosts (-w n1)",
    "-N2 -n2 -C intel*1&amd*1": "requests features of some of its hosts (intel*1&amd*1)",
    "-n3 -C [intel*2&amd*1]": "requests features of some of its hosts ([intel*2&amd*1])",
    "--exclusive=user": "wants hosts with jobs of some users only (--exclusive=user)",
    "--oversubscribe -p shared": "may share its cores with other jobs (--oversubscribe in the partition shared)",
}
SHARED = "PartitionName=shared Nodes=ALL OverSubscribe=YES:4 State=UP\n"


class Site:
    """A Slurm and the adapter on it."""

    def __init__(self, slurm):
        self.slurm, self.engine = slurm, SlurmEngine(Path(slurm.conf), folder=slurm.folder / "lm")
        self.engine.observe()

    def submit(self, words):
        command = ("sbatch", "--parsable", "-n1", "--mem=100", "-o", "/dev/null", *words.split(), "--wrap", "sleep 60")
        return self.slurm.run(*command).strip().partition(";")[0]

    def job(self, number, key):
        words = self.slurm.run("scontrol", "-o", "show", "job", number).split()
        return next(word.partition("=")[2] for word in words if word.startswith(f"{key}="))


@pytest.fixture(scope="module")
def site():
    with real_slurm.held_slurm(HOSTS, SHARED) as slurm:
        made = Site(slurm)
        yield made
        made.engine.close()


def test_jobs_may_only_start_where_they_ask_to_and_others_are_left_out_by_name(site):
    jobs = {site.submit(words): words for words in (*SERVED, *LEFT_OUT)}
    seen = site.engine.observe()
    assert {jobs[name]: why for name, why in seen.left_out} == LEFT_OUT
    entries = resolve_constraints(seen.jobs, seen.cluster).entries
    for row, name in enumerate(seen.ids):
        rows = range(int(entries.first[row]), int(entries.first[row + 1]))
        masks = [np.flatnonzero(entries.allowed[entries.hosts[entry]]) for entry in rows]
        assert [" ".join(seen.cluster.names[host] for host in hosts) for hosts in masks] == SERVED[jobs[name]]
    assert {jobs[name] for name in seen.ids} == set(SERVED)
    site.slurm.run("scancel", *jobs)


def test_a_job_keeps_the_hosts_that_it_names_whatever_becomes_of_it(site):
    job, other = site.submit("-N2 -n2 -w n[1-2]"), site.submit("-n4 -w n3")
    site.engine.observe()
    assert site.engine.act(Explain(job, "no host has what it requests")) is None
    assert site.engine.act(Hold(job)) is None
    assert (site.job(job, "ReqNodeList"), site.job(job, "Priority")) == ("n[1-2]", "0")
    assert site.engine.act(Start(other, ("n3",))) is None
    end, seen = time.monotonic() + 60.0, site.engine.observe()
    while seen.tasks.state[seen.tasks.job == seen.ids.index(other)][0] != RUNNING:
        assert time.monotonic() < end
        time.sleep(0.2)
        seen = site.engine.observe()
    assert seen.tasks.state[seen.tasks.job == seen.ids.index(job)].tolist() == [HELD, HELD]
    assert "ReqNodeList='n[1-2]' AdminComment=" in site.engine.by_hand([job])
    assert site.engine.act(Withdraw(job)) is None
    assert (site.job(job, "ReqNodeList"), site.job(job, "Priority") != "0") == ("n[1-2]", True)
    last = site.submit("-w n4")
    assert release_all(site.engine.commands, site.engine.owner).done == [last]
    assert (site.job(last, "ReqNodeList"), site.job(last, "Priority") != "0") == ("n4", True)
    site.slurm.run("scancel", job, other, last)


def test_hosts_of_a_running_job_that_keeps_them_for_its_user_take_no_further_job_as_slurm_has_it(site):
    job = site.submit("--exclusive=user -w n1")
    site.engine.observe()
    assert site.engine.act(Withdraw(job)) is None
    end = time.monotonic() + 60.0
    while not (rows := site.engine.observe().cluster.rules.calendar):
        assert time.monotonic() < end
        time.sleep(0.2)
    assert [(each.kind, each.hosts) for each in rows] == [("drained", (0,))]

    command = ("sbatch", "--parsable", "-n1", "--mem=100", "-o", "/dev/null", "--wrap", "sleep 60")
    other = site.slurm.tried(*command, user="nobody").stdout.strip()
    site.engine.observe()
    assert site.engine.act(Start(other, ("n1",))) is None
    time.sleep(3.0)
    assert site.job(other, "JobState") == "PENDING"  # Slurm keeps the host from other users too
    assert site.engine.act(Repin(other, ("n2",))) is None
    while site.job(other, "JobState") != "RUNNING":
        assert time.monotonic() < end
        time.sleep(0.2)
    site.slurm.run("scancel", job, other)
