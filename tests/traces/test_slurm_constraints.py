"""Hosts and features that jobs request, as each command of Slurm prints them."""

import json

import pytest

from loadmaster.traces import read_trace

JOBS = [  # hosts, -w, -x, -C, and what the job asks of its hosts
    (1, "n1", "", "", "host:n1"),
    (2, "n[1-2]", "", "", "host:n[1-2]"),
    (1, "", "n[3,5]", "intel", "intel&!host:n[3,5]"),
    (2, "", "", "[r1|r2]", "[r1|r2]"),
    (2, "", "", "intel*2", "intel"),
    (1, "", "", "(a|b)&c", "(a|b)&c"),
    (2, "n1", "", "", None),
    (3, "n7,n8,n9", "", "[a*2&b*1]", "host:n7,n8,n9"),
]
NOT_SERVED = [
    "1 job with hosts that -w or -x names in part or in a file: that is not modelled.",
    "1 job has features that are not modelled, such as [a*2&b*1]&host:n7,n8,n9.",
]


def of_squeue():
    names = "JOBID|USER|PARTITION|SUBMIT_TIME|TIME_LIMIT|NODES|CPUS|STATE|REQ_NODES|EXC_NODES|FEATURES"
    rows = [
        f"{k}|a|main|2026-01-01T00:00:0{k}|1:00:00|{hosts}|{hosts}|PENDING|{named}|{without}|{features or '(null)'}"
        for k, (hosts, named, without, features, _) in enumerate(JOBS, 1)
    ]
    return "\n".join([names, *rows])


def of_squeue_json():
    common = {"user_name": "a", "job_state": "PENDING", "time_limit": 60}
    jobs = [
        {"job_id": k, "submit_time": k, "node_count": hosts, "cpus": hosts}
        | {"required_nodes": named, "excluded_nodes": without, "features": features}
        | common
        for k, (hosts, named, without, features, _) in enumerate(JOBS, 1)
    ]
    return json.dumps({"jobs": jobs})


def of_scontrol():
    return "\n\n".join(
        f"JobId={k} JobName=x\n   JobState=PENDING TimeLimit=01:00:00 SubmitTime=2026-01-01T00:00:0{k}\n"
        f"   ReqNodeList={named or '(null)'} ExcNodeList={without or '(null)'} NumNodes={hosts} NumCPUs={hosts}\n"
        f"   Features={features or '(null)'}\n"
        for k, (hosts, named, without, features, _) in enumerate(JOBS, 1)
    )


def of_sacct():
    names = "JobID|Submit|Start|Elapsed|State|NNodes|ReqCPUS|SubmitLine"
    options = [("-w ", "--nodelist="), ("-x", "--exclude "), ("-C ", "--constraint=")]
    rows = []
    for k, (hosts, *asked, _) in enumerate(JOBS, 1):
        line = " ".join(f"{option[k % 2]}'{text}'" for option, text in zip(options, asked, strict=True) if text)
        time = f"2026-01-01T00:00:0{k}"
        rows.append(f"{k}|{time}|{time}|01:00:00|COMPLETED|{hosts}|{hosts}|sbatch {line} run.sh")
    return "\n".join([names, *rows])


@pytest.mark.parametrize("printed", [of_squeue, of_squeue_json, of_scontrol, of_sacct])
def test_hosts_and_features_that_jobs_ask_for_are_read_alike_from_each_command(tmp_path, printed):
    path = tmp_path / "jobs.txt"
    path.write_text(printed() + "\n")
    trace = read_trace(path)
    assert trace.workload.constraints.features.words() == [asked for *_, asked in JOBS]
    assert [note for note in trace.notes if "not modelled" in note] == NOT_SERVED


def test_a_file_of_hosts_is_counted_and_names_no_host(tmp_path):
    path = tmp_path / "jobs.txt"
    line = of_sacct().splitlines()[0]
    row = "1|2026-01-01T00:00:00|2026-01-01T00:00:00|01:00:00|COMPLETED|1|1|sbatch -w ./hosts run.sh"
    path.write_text(f"{line}\n{row}\n")
    trace = read_trace(path)
    assert trace.workload.constraints is None or trace.workload.constraints.features is None
    assert NOT_SERVED[0] in trace.notes
