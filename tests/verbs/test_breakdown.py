"""Results are broken down by what a site is organised by: in the terminal, JSON, frames, CSV and on the page."""

import json

import polars as pl
import pytest
from typer.testing import CliRunner

import loadmaster as lm
from loadmaster.cli.app import app
from loadmaster.model import InputError
from loadmaster.report.breakdown import RuleGroups
from loadmaster.report.breakdown_changes import change_sentences
from traces.logs import write

HEAD = "JobID|User|Account|Partition|QOS|Submit|Start|Elapsed|State|NNodes|ReqCPUS|AllocTRES|Timelimit\n"


def row(job, user, partition, start, state="COMPLETED", gpus="", elapsed="01:00:00"):
    """One job of a minute after the one before, from Monday 5 January 2026, 08:00 on."""
    submit = f"2026-01-05T08:{job:02d}:00"
    tres = f"cpu=4,node=1{gpus}"
    words = (job, user, "lab", partition, "normal", submit, f"2026-01-05T{start}:00", elapsed, state, 1, 4, tres)
    return "|".join(map(str, (*words, "04:00:00")))


@pytest.fixture
def dump(tmp_path):
    a100 = ",gres/gpu:a100=2,gres/gpu=2"
    rows = [
        row(0, "ann", "cpu", "08:00"),
        row(1, "bob", "cpu", "09:00"),
        row(2, "ann", "gpu", "09:02", "TIMEOUT", a100),
        row(3, "bob", "cpu", "10:00", elapsed="00:10:00"),
    ]
    return str(write(tmp_path, "sacct.txt", HEAD + "\n".join(rows) + "\n"))


def test_info_has_the_waits_and_the_use_of_the_record(dump):
    told = lm.info(dump, by="partition,gpu,weekday")
    partitions = told.by("partition")
    assert partitions["name"].to_list() == ["cpu", "gpu"]
    assert partitions["jobs"].to_list() == [3, 1]
    assert partitions["mean_wait_s"].to_list() == pytest.approx([(0 + 59 + 117) * 60 / 3, 3600.0])
    assert partitions["killed"].to_list() == [0, 1]
    assert told.by("gpu").filter(pl.col("name") == "a100")["gpu_s"].to_list() == [7200.0]
    assert told.by("weekday")["name"].to_list() == ["Monday"]
    assert {each["by"] for each in told.figures["breakdown"]} == {"partition", "gpu", "weekday"}


def test_compare_shows_each_rule_beside_the_record_and_writes_a_table(dump, tmp_path):
    out = tmp_path / "out"
    words = ["compare", dump, "--hosts", "1x4c2gpu", "--policies", "first-fit", "--disciplines", "easy,sjf+easy"]
    done = CliRunner().invoke(app, [*words, "--by", "user", "-o", str(out), "--json"])
    assert done.exit_code == 0, done.output
    answer = json.loads(done.stdout)
    rules = [each["rule"] for each in answer["breakdown"] if each["name"] == "ann"]
    assert rules == ["recorded", "easy", "sjf+easy"]
    table = pl.read_csv(out / "breakdown.csv")
    assert table.height == 6
    assert set(table["by"]) == {"user"}
    assert "Mean wait by user" in (out / "report.html").read_text()


def test_simulate_prints_the_groups_and_the_same_stand_in_its_frame(dump, tmp_path):
    words = ["simulate", dump, "--hosts", "1x4c2gpu", "--by", "account", "-o", str(tmp_path / "run")]
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 0, done.output
    assert "Mean wait by account" in done.stdout
    run = lm.simulate(dump, "1x4c2gpu", discipline="easy", policy="first-fit")
    assert run.by("account")["rule"].to_list() == ["recorded", "first-fit under easy"]
    assert run.by("hour")["name"].to_list() == ["8", "8"]


def test_the_record_of_a_run_keeps_dates_and_gpu_models(dump, tmp_path):
    lm.simulate(dump, "1x4c2gpu", discipline="easy", policy="first-fit", out=tmp_path / "run")
    again = lm.open(tmp_path / "run")
    assert again.by("weekday")["name"].to_list() == ["Monday"]
    assert "a100" in again.by("gpu")["name"].to_list()


def test_a_grouping_of_which_the_log_says_nothing_is_refused(tmp_path):
    log = str(write(tmp_path, "log.csv", "submit_s,runtime_s,cores\n0,10,1\n5,10,1\n"))
    with pytest.raises(InputError, match="names no partition of its jobs"):
        lm.info(log, by="partition")
    with pytest.raises(InputError, match="no such grouping"):
        lm.info(log, by="colour")


def test_use_is_shown_without_waits_where_the_log_knows_no_start(tmp_path):
    log = str(write(tmp_path, "log.csv", "submit_s,runtime_s,cores,user\n0,3600,1,ann\n5,3600,3,bob\n"))
    done = CliRunner().invoke(app, ["info", log, "--hosts", "1x4c", "--by", "user"])
    assert done.exit_code == 0, done.output
    lines = done.stdout[done.stdout.index("By user") :].splitlines()
    assert "core-hours" in lines[1]
    assert "wait" not in lines[1]


def test_who_gains_who_pays_and_what_it_costs_is_said():
    jobs = {"runtime_s": [100.0, 10.0, 10.0], "cores": [1, 1, 1], "submit_s": [0.0, 1.0, 2.0], "user": [0, 1, 2]}
    log = lm.Workload.of(**jobs)
    compared = lm.compare(log, "1x1c", policies="first-fit", disciplines="fcfs,easy")
    same = [RuleGroups(o.setting.discipline, o.beside.groups) for o in compared.comparison.outcomes]
    assert change_sentences(same, "user") == ["easy: no group waits over 1 % longer or shorter."]
    late = lm.Workload.of(**{**jobs, "runtime_s": [10.0, 100.0, 10.0], "submit_s": [0.0, 0.0, 0.0]})
    compared = lm.compare(late, "1x1c", policies="first-fit", disciplines="fcfs,sjf+easy")
    rules = [RuleGroups(o.setting.discipline, o.beside.groups) for o in compared.comparison.outcomes]
    assert change_sentences(rules, "user") == [
        "sjf+easy: 1 of 3 groups gains, most of all user 2 (10 s on average, not 110 s); 1 of 3 groups pays, most of "
        "all user 1 (20 s on average, not 10 s). The cost: 0.00278 hours of waiting more; the gain: 0.0278 hours less."
    ]


def test_no_gain_is_claimed_on_a_record_that_queueing_does_not_explain(tmp_path):
    """Every job waited an hour on an empty host."""
    rows = [row(k, "ann", "cpu", f"{9 + k // 60:02d}:{k % 60:02d}", elapsed="00:00:30") for k in range(30)]
    log = str(write(tmp_path, "sacct.txt", HEAD + "\n".join(rows) + "\n"))
    words = ["compare", log, "--hosts", "1x4c", "--policies", "first-fit", "--disciplines", "easy,sjf+easy"]
    done = CliRunner().invoke(app, [*words, "--by", "user", "-o", str(tmp_path / "out")])
    assert done.exit_code == 0, done.output
    assert "No gain on the recorded wait is claimed" in done.stdout
    assert "recorded h" in done.stdout or "recorded min" in done.stdout or "recorded s" in done.stdout
    assert "easy: no group waits over 1 % longer or shorter." in done.stdout
    assert "gain, most" not in done.stdout
    assert "gains, most" not in done.stdout


SITE = """SelectType=select/cons_tres
SelectTypeParameters=CR_Core
NodeName=g[1-2] CPUs=4 Gres=gpu:a100:4
NodeName=c1 CPUs=4
PartitionName=gpu Nodes=g[1-2]
PartitionName=cpu Nodes=c1 Default=YES
"""


@pytest.fixture
def gpu_site(tmp_path):
    """Two jobs of an hour fill the cores of g1 beside three free GPUs, one after the other, until the last arrival."""
    gpu, nodes = ",gres/gpu:a100=1,gres/gpu=1", ("g1", "g1", "c1")
    rows = [
        row(0, "ann", "gpu", "08:00", gpus=gpu),
        row(1, "bob", "gpu", "09:00", gpus=gpu),
        row(2, "ann", "cpu", "10:00").replace("T08:02", "T10:00"),
    ]
    lines = [f"{line}|{node}" for line, node in zip(rows, nodes, strict=True)]
    log = str(write(tmp_path, "sacct.txt", HEAD.replace("\n", "|NodeList\n") + "\n".join(lines) + "\n"))
    return log, str(write(tmp_path, "slurm.conf", SITE))


def test_gpus_stranded_in_each_partition_are_shown_for_the_record_and_each_rule(gpu_site, tmp_path):
    log, site = gpu_site
    out = tmp_path / "out"
    words = ["compare", log, "--site", site, "--policies", "first-fit,best-fit-cores", "--disciplines", "easy"]
    done = CliRunner().invoke(app, [*words, "--by", "partition,user", "-o", str(out), "--json"])
    assert done.exit_code == 0, done.output
    rows = {(each["rule"], each["name"]): each["stranded_gpus"] for each in json.loads(done.stdout)["breakdown"]}
    assert rows["recorded", "gpu"] == pytest.approx(3 / 8), "three of eight GPUs all the time"
    assert rows["first-fit under easy", "gpu"] == pytest.approx((60 + 60) / 120 * 3 / 8, rel=0.02)
    assert {value for (_, name), value in rows.items() if name != "gpu"} == {None}
    written = pl.read_csv(out / "breakdown.csv").filter(pl.col("name") == "gpu")["stranded_gpus"]
    assert written.to_list() == [rows[key] for key in rows if key[1] == "gpu"]
    assert (out / "report.html").read_text().count("Stranded GPUs by partition") >= 1
    shown = CliRunner().invoke(app, [*words, "--by", "partition,user", "-o", str(out)]).stdout
    table = shown[shown.index("Stranded GPUs by partition") :].splitlines()
    assert table[3].split()[:2] == ["gpu", "38%"]
    assert "Stranded GPUs by user" not in shown


def test_info_and_simulate_show_stranded_gpus_where_the_log_names_the_hosts_of_its_jobs(gpu_site):
    log, site = gpu_site
    assert lm.info(log, hosts=site, by="gpu").by("gpu")["stranded_gpus"].to_list() == [None, 3 / 8]
    run = lm.simulate(log, site=site, policy="first-fit", discipline="easy").by("partition")
    assert run["rule"].to_list() == ["recorded"] * 2 + ["first-fit under easy"] * 2
    assert run.filter(pl.col("name") == "gpu")["stranded_gpus"].to_list()[0] == pytest.approx(3 / 8)
    described = CliRunner().invoke(app, ["info", log, "--hosts", site, "--by", "partition"]).stdout
    assert "GPUs stranded" not in described, "the hosts alone name no partition"
