"""Jobs that request a model of GPU start on hosts that have it, or a note counts them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import loadmaster as lm
from loadmaster.model import Cluster, Constraints, Named, SiteRules, Workload
from loadmaster.report.explanation import sentences
from loadmaster.runs.explain import explain
from loadmaster.runs.gpu_models import bind_gpu_models
from loadmaster.scheduling.resolved_constraints import resolve_constraints
from traces.logs import write


def jobs(features, **more):
    one = np.ones(len(features))
    bound = Constraints(features=Named.of(features), **more)
    return Workload.of(submit_s=np.arange(len(features)), runtime_s=one, cores=one, gpus=one, constraints=bound)


def hosts(features, gpus=None):
    rows = [[4.0, 2.0 if gpus is None else gpus[host]] for host in range(len(features))]
    return Cluster(("cores", "gpus"), np.array(rows), rules=SiteRules(features=features) if any(features) else None)


def allowed(features, of_hosts, gpus=None, **more):
    """The hosts on which each job may start, and the notes."""
    cluster = hosts(of_hosts, gpus)
    workload, notes = bind_gpu_models(jobs(features, **more), cluster)
    entries = resolve_constraints(workload, cluster).entries
    return [np.flatnonzero(entries.allowed[row]).tolist() for row in entries.hosts], notes


@pytest.mark.parametrize("spelled", ["gpu:a100", "A100", "a100"])
def test_a_job_starts_on_hosts_with_the_model_that_it_asks_for(spelled):
    found, notes = allowed(["gpu:a100", None, "gpu:v100"], (("fast", spelled), ("gpu:v100",), ()), gpus=(2, 2, 0))
    assert found == [[0], [0, 1, 2], [1]]
    assert notes == ()


def test_where_no_host_has_a_known_model_any_gpu_serves_and_the_jobs_are_counted():
    found, (note,) = allowed(["gpu:a100", "gpu:a100&big", None], ((), ()))
    assert found == [[0, 1]] * 3
    assert note.startswith("2 jobs request a model of GPU that no host is known to have (a100): any GPU serves")


def test_a_model_of_no_known_host_is_sought_where_the_model_is_not_known():
    found, notes = allowed(
        ["gpu:t4", "gpu:a100", "gpu:t4"], (("gpu:a100",), ("gpu:unknown",), ("big",)), gpus=(2, 2, 0)
    )
    assert found == [[1], [0], [1]]
    assert notes[0].startswith(
        "2 jobs request a model of GPU that no host is known to have (t4): GPUs of unknown model"
    )
    assert notes[1] == (
        "1 host has GPUs whose model is not known: jobs that request the model of another host do not run there "
        "(1 job requests a100)."
    )


def test_a_bare_feature_that_the_log_names_as_a_model_is_one():
    t4_and_given = {"gpu_kind": Named.of([None, "a100"])}
    assert allowed(["gpu:t4", None], (("A100",),), **t4_and_given)[1] == (), "no other GPU may be a t4"
    (note,) = allowed(["gpu:t4", None], (("A100",), ()), **t4_and_given)[1]
    assert note.startswith("1 job requests a model of GPU that no host is known to have (t4): any GPU serves")


def test_hosts_may_spell_a_model_in_several_ways():
    assert allowed(["gpu:a100&fast"], (("A100", "fast"), ("gpu:a100", "fast"), ("gpu:a100",)))[0] == [[0, 1]]


def test_a_model_that_no_host_has_where_all_models_are_known_can_never_start():
    cluster = hosts((("gpu:a100",),))
    workload, notes = bind_gpu_models(jobs(["gpu:t4", None]), cluster)
    assert notes == ()
    assert resolve_constraints(workload, cluster).count_never() == {"no host has what it requests": 1}


def test_other_features_bind_no_job_where_hosts_have_models_alone():
    assert allowed(["fast&gpu:a100", "fast"], (("gpu:a100",), ("gpu:v100",)))[0] == [[0], [0, 1]]
    assert allowed(["fast|gpu:a100"], (("gpu:a100",), ("gpu:v100",)))[0] == [[0, 1]]


NAMES = st.sampled_from(["gpu:a100", "gpu:t4", "fast", "gpu:a100&fast", "fast|gpu:t4", None])
HAS = st.lists(st.sampled_from(["gpu:a100", "T4", "fast"]), max_size=3, unique=True).map(tuple)


@given(st.lists(NAMES, min_size=1, max_size=6), st.lists(HAS, min_size=1, max_size=4).map(tuple))
def test_binding_twice_changes_nothing_more(features, of_hosts):
    cluster = hosts(of_hosts)
    once, _ = bind_gpu_models(jobs(features), cluster)
    assert words(once) == words(bind_gpu_models(once, cluster)[0])


def words(workload):
    bound = workload.constraints
    return None if bound is None or bound.features is None else bound.features.words()


CONF = """SelectType=select/cons_tres
SelectTypeParameters=CR_Core
NodeName=a1 CPUs=4 Gres=gpu:a100:1
NodeName=v1 CPUs=4 Gres=gpu:1
PartitionName=gpu Nodes=ALL Default=YES
"""
HEAD = "JobID|Submit|Start|Elapsed|State|NNodes|ReqCPUS|ReqTRES|AllocTRES|Timelimit|SubmitLine\n"


def test_a_model_of_req_tres_or_of_the_command_line_binds_and_one_that_was_only_given_does_not(tmp_path):
    """Three jobs of an hour come at once; gres.conf says that v1 has a v100."""
    rows = [
        f"{job}|2026-01-05T08:00:0{job}|2026-01-05T09:00:00|01:00:00|COMPLETED|1|1|cpu=1,node=1,gres/gpu=1{asked}|"
        f"cpu=1,node=1,gres/gpu=1,gres/gpu:a100=1|02:00:00|sbatch {line} run.sh"
        for job, asked, line in ((1, ",gres/gpu:a100=1", ""), (2, "", "--gres=gpu:a100:1"), (3, "", "--gpus=1"))
    ]
    log = str(write(tmp_path, "sacct.txt", HEAD + "\n".join(rows) + "\n"))
    site = str(write(tmp_path, "slurm.conf", CONF))
    write(tmp_path, "gres.conf", "NodeName=v1 Name=gpu Type=v100 File=/dev/nvidia0\n")
    run = lm.simulate(log, site=site, policy="first-fit", discipline="easy")
    cluster, schedule = run.record.case.cluster, run.record.schedule
    assert [cluster.names[host] for host in schedule.host] == ["a1", "a1", "v1"]
    assert (schedule.start_s - run.record.workload.submit_s).round().tolist() == [0.0, 3599.0, 0.0]


SEVERAL = """SelectType=select/cons_tres
SelectTypeParameters=CR_Core
NodeName=g1 CPUs=16 Gres=gpu:a100:2,gpu:v100:4
NodeName=m1 CPUs=16 Gres=gpu:9
PartitionName=gpu Nodes=ALL Default=YES
"""
GRES = """NodeName=m1 Name=gpu Type=1g.5gb Count=7
NodeName=m1 Name=gpu Type=3g.20gb MultipleFiles=/dev/nvidia1,/dev/nvidia-caps/nvidia-cap21
NodeName=m1 Name=gpu Type=3g.20gb MultipleFiles=/dev/nvidia1,/dev/nvidia-caps/nvidia-cap30
"""


@pytest.mark.parametrize("machines", ["site", "hosts"])
def test_models_and_slices_of_one_host_of_slurm_are_counted_apart(tmp_path, machines):
    """Two jobs of each kind come at once, and each kind has room for one of them; each lasts an hour."""
    rows = [
        f"{job}|2026-01-05T08:00:0{job}|2026-01-05T09:00:00|01:00:00|COMPLETED|1|1|"
        f"cpu=1,node=1,gres/gpu={number},gres/gpu:{kind}={number}||02:00:00|"
        for job, (kind, number) in enumerate([(k, n) for k, n in (("v100", 3), ("1g.5gb", 5), ("3g.20gb", 2))] * 2)
    ]
    log = str(write(tmp_path, "sacct.txt", HEAD + "\n".join(rows) + "\n"))
    site = str(write(tmp_path, "slurm.conf", SEVERAL.replace("gpu:9", "gpu:1g.5gb:7,gpu:3g.20gb:2")))
    if machines == "site":
        write(tmp_path, "slurm.conf", SEVERAL)
        write(tmp_path, "gres.conf", GRES)
    run = lm.simulate(log, **{machines: site}, policy="first-fit", discipline="easy", check=True)
    case, schedule = run.record.case, run.record.schedule
    assert [case.cluster.names[host] for host in schedule.host] == ["g1", "m1", "m1"] * 2
    wait_s = schedule.start_s - case.workload.submit_s
    assert wait_s.round().tolist() == [0, 0, 0, 3597, 3597, 3597]
    (asks, *_) = sentences(run.record, explain(run.record, 4))
    assert "requests 1 core, 5 gpus and 5 gpus 1g.5gb." in asks
