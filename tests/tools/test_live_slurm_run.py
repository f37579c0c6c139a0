"""A few jobs on a real Slurm, and our model of its site on the log that it wrote: what cannot differ does not.

Priorities differ by far, ends lie seconds apart, and only one host is free whenever a job starts, or Weight decides.
"""

import time
from pathlib import Path
from types import SimpleNamespace

import pytest
import real_slurm

pytestmark = pytest.mark.skipif(bool(real_slurm.why_not()), reason=real_slurm.why_not() or "there is one")
HOSTS = ("CPUs=4 RealMemory=1000 Weight=30", "CPUs=4 RealMemory=1000 Weight=10", "CPUs=4 RealMemory=1000 Weight=20")
BY_WEIGHT = ["n2", "n3", "n1"]
SETTINGS = """\
PartitionName=main Nodes=ALL Default=YES MaxTime=60
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerType=sched/backfill
SchedulerParameters=bf_interval=5,sched_interval=5,batch_sched_delay=0,sched_min_interval=0
PriorityType=priority/multifactor
PriorityWeightQOS=100000
PriorityCalcPeriod=1
AccountingStorageEnforce=limits,qos
KillWait=5
"""
RANKS = {"low": 1, "middle": 30, "high": 60, "top": 100}
ACCOUNTS = (
    *(f"add qos {name} priority={priority}" for name, priority in RANKS.items()),
    "add account lab",
    f"add user root account=lab qos={','.join(RANKS)} defaultqos=low",
)
BLOCKERS = {"one": 5, "two": 9, "three": 13}
"""Jobs that take a whole host each, with their seconds: they end far apart."""
WAITING = {"low": "last", "high": "behind", "top": "front", "middle": "then"}
"""QOS and name of those that wait for them, in the order in which they come."""


@pytest.fixture(scope="module")
def beside_slurm():
    """The modules of the tool that gives jobs to a Slurm and sets its log beside our model."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(Path(__file__).parents[2] / "tools" / "beside_slurm"))
        import jobs
        import nearness

        yield SimpleNamespace(jobs=jobs, nearness=nearness)


def _submit(slurm, name, qos, seconds):
    slurm.run(
        "sbatch",
        "--parsable",
        f"--job-name={name}",
        "--nodes=1",
        "--ntasks=1",
        "--cpus-per-task=4",
        "--time=1",
        "--account=lab",
        f"--qos={qos}",
        "--output=/dev/null",
        f"--wrap=sleep {seconds}",
    )


@pytest.fixture(scope="module")
def record(tmp_path_factory, beside_slurm):
    """A folder as a site would hand it over: configuration, accounts, log."""
    folder = tmp_path_factory.mktemp("site")
    with real_slurm.real_slurm(HOSTS, SETTINGS, ACCOUNTS) as slurm:
        beside_slurm.jobs.submit(slurm, [])
        for name, seconds in BLOCKERS.items():
            _submit(slurm, name, "low", seconds)
            time.sleep(1.5)  # the log knows whole seconds
        for qos, name in WAITING.items():
            _submit(slurm, name, qos, 2 if qos == "low" else 15)
        (folder / "log.sacct").write_text(beside_slurm.jobs.recorded(slurm, patience_s=120.0))
        tables = [slurm.run("sacctmgr", "show", *what, "-P") for what in (("assoc", "tree"), ("qos",))]
        (folder / "slurm.conf").write_text(slurm.conf.read_text())
    (folder / "accounts.txt").write_text("".join(tables))
    return folder


def _in_order(seen):
    return sorted(seen.start_s, key=lambda name: seen.start_s[name])


EXPECTED = [*BLOCKERS, "front", "behind", "then", "last"]
PLACES = dict(zip(EXPECTED, [*BY_WEIGHT, *BY_WEIGHT, "n2"], strict=True))


@pytest.mark.parametrize("who", ["recorded", "modelled"])
def test_slurm_and_our_model_of_it_start_jobs_by_priority_on_hosts_by_weight(record, beside_slurm, who):
    seen = getattr(beside_slurm.nearness, who)(record)
    assert _in_order(seen) == EXPECTED
    assert {name: hosts[0] for name, hosts in seen.hosts.items()} == PLACES
