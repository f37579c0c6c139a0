"""The check of a live run on Slurm: jobs that got something else than they requested, and less here than there."""

import pytest
from scripted_slurm import ScriptedSlurm

from loadmaster.live.queue.check import check_live
from loadmaster.live.queue.record import LiveRecord, lines_of
from loadmaster.live.queue.run_live import run_live
from loadmaster.live.queue.run_record import run_record_of
from loadmaster.live.queue.settings import LiveSettings
from loadmaster.live.session.clocks import FakeClock
from loadmaster.place import POLICIES
from loadmaster.runs import Setting
from loadmaster.scheduling import Scheduler, discipline_named

CONF = """\
ClusterName=lm
NodeName=n1 CPUs=8 RealMemory=16000 Feature=old
NodeName=n2 CPUs=8 RealMemory=32000
NodeName=n3 CPUs=16 RealMemory=32000 Feature=new
NodeName=n4 CPUs=4 RealMemory=32000 Feature=new
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU_Memory
PartitionName=main Nodes=ALL Default=YES
PartitionName=short Nodes=n1 PriorityTier=2
PartitionName=wide Nodes=n[2-4]
"""


def job(at_s, lasts_s=40.0, cores=4, mib=400, more=None, **become):
    cells = {"NumCPUs": str(cores), "tres-alloc": f"cpu={cores},mem={mib}M,node=1", "MinMemory": "100M"}
    return {"at_s": at_s, "lasts_s": lasts_s, "cells": cells | (more or {})} | become


def filling():
    """Jobs of four cores that come faster than they end."""
    return [job(6.0 + 4.0 * k, 30.0 + 7 * (k % 5)) for k in range(40)]


def uneven(at_s):
    """`-n 20` on four hosts, which the model leaves out while it waits, and Slurm starts by itself."""
    asked = {"NumCPUs": "20", "NumNodes": "4", "tres-alloc": "cpu=20,mem=2000M,node=4"}
    parts = {"n1": (1, 100), "n2": (3, 300), "n3": (8, 800), "n4": (8, 800)}
    return job(at_s, 60.0, more=asked, parts=parts, alone_s=at_s)


def exclusive(at_s):
    """Three whole hosts, which are not alike."""
    asked = {"NumCPUs": "3", "NumNodes": "3", "tres-alloc": "cpu=3,mem=300M,node=3", "OverSubscribe": "NO"}
    parts = {"n1": (8, 100), "n2": (8, 100), "n3": (16, 100), "n4": (4, 100)}
    return job(at_s, 60.0, more=asked, parts=parts, got={"OverSubscribe": "OK"})


def without_memory(at_s):
    parts = {"n1": (2, 16000), "n2": (2, 32000), "n3": (2, 32000), "n4": (2, 32000)}
    asked = {"MinMemory": "0", "NumCPUs": "2", "tres-alloc": "cpu=2,mem=16000M,node=1"}
    return job(at_s, more=asked, got={"tres-alloc": "cpu=2,mem=32000M,node=1"}, parts=parts)


def of_two_partitions(at_s):
    return job(at_s, more={"Partition": "short,wide"}, got={"Partition": "wide"})


def of_a_kind(at_s):
    return job(at_s, more={"Feature": "new"})


def after_another(at_s):
    return job(at_s, more={"Dependency": "afterany:8(unfulfilled)"}, got={"Dependency": ""})


def sent_back(at_s):
    """Started, and sent back before it is seen to run."""
    return job(at_s, back_s=3.0)


def spread(at_s):
    """Requests one host, and Slurm starts it on three."""
    parts = {"n1": (1, 100), "n2": (1, 100), "n3": (2, 200)}
    return job(at_s, 60.0, parts=parts, alone_s=at_s + 12.0, more={"NumCPUs": "30"})


KINDS = [uneven, exclusive, without_memory, of_two_partitions, of_a_kind, after_another, sent_back, spread]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("discipline", ["easy", "multifactor+easy"])
def test_the_check_of_a_run_with_such_jobs_is_alike_throughout(tmp_path, kind, discipline):
    (tmp_path / "slurm.conf").write_text(CONF)
    jobs = sorted([*filling(), *(kind(at_s) for at_s in (0.0, 9.0, 41.0, 130.0))], key=lambda each: each["at_s"])
    clock, record = FakeClock(), LiveRecord(tmp_path)
    scheduler = Scheduler(POLICIES["mix-fit"], discipline_named(discipline))
    engine = ScriptedSlurm(tmp_path / "slurm.conf", clock, jobs)
    run_live(engine, clock, scheduler, LiveSettings(interval_s=5.0, for_s=600.0), record)
    record.close()
    seen = [set(line["seen"].get("new", ())) for line in lines_of(tmp_path) if "seen" in line]
    assert len(set().union(*seen)) == 44
    checked = check_live(tmp_path, scheduler)
    assert (checked.first, checked.same) == ("", True)
    assert checked.starts >= 40
    kept = run_record_of(lines_of(tmp_path), scheduler.discipline.order, Setting("mix-fit", discipline), {})
    assert kept.workload.jobs == 44
