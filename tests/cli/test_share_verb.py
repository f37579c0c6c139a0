"""`loadmaster share` as a user meets it."""

import json
import re

import numpy as np
import pytest
from typer.testing import CliRunner

from loadmaster.cli.app import app
from loadmaster.model import InputError, Workload
from loadmaster.runs import sharing_study


@pytest.fixture(scope="module")
def log(tmp_path_factory):
    path = tmp_path_factory.mktemp("logs") / "stream.csv"
    result = CliRunner().invoke(app, ["generate", "opportunity", "-o", str(path), "--cluster", "equal", "--json"])
    assert result.exit_code == 0
    facts = json.loads(result.stdout)
    assert facts["synthetic"] is True
    assert facts["hosts"] == 6
    return path


def share(log, *options):
    """The rows by method; kept beside the log unless the options say where."""
    out = [] if "-o" in options else ["-o", str(log.parent / "rows")]
    result = CliRunner().invoke(app, ["share", str(log), "--json", *out, *options])
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return {row["method"]: row for row in json.loads(result.stdout)["rows"]}


def test_every_kind_of_sharing_gives_a_row(log):
    rows = share(log, "--methods", "pvm,e-pvm,mosix,mix-fit+mosix,fractional,fcfs")
    assert [row["kind"] for row in rows.values()] == ["shared"] * 4 + ["fractional", "batch"]
    for row in rows.values():
        assert row["mean_slowdown"] >= 1.0
        assert row["refused"] == 0
    assert "fanout=2" in rows["mosix"]["parameters"]
    assert rows["e-pvm"]["mean_slowdown"] <= rows["pvm"]["mean_slowdown"]
    assert rows["pvm"]["mean_wait_s"] == 0.0
    assert all(0 < row["mean_yield"] <= 1 for row in rows.values())


def test_fractional_scheduling_stands_beside_the_batch_queues_it_would_replace(tmp_path):
    """Ten cores' worth of long jobs, then short ones: the queue makes them wait, shares start them at once."""
    log = tmp_path / "log.csv"
    lines = [f"{i},0,1000,1,1" for i in range(4)] + [f"{4 + i},{10 + i},20,1,1" for i in range(6)]
    log.write_text("job_id,submit_s,runtime_s,cores,memory\n" + "\n".join(lines) + "\n")
    rows = share(log, "--hosts", "2x1c64g", "--methods", "fractional,fcfs,easy")
    assert rows["fractional"]["mean_wait_s"] == 0.0
    assert rows["fractional"]["mean_yield"] < rows["fcfs"]["mean_yield"] == 1.0
    assert rows["fractional"]["mean_stretch"] < rows["easy"]["mean_stretch"] / 5
    waiting = share(log, "--hosts", "2x1c64g", "--methods", "fractional", "--least-yield", "0.5")["fractional"]
    assert waiting["mean_wait_s"] > 0.0
    assert waiting["mean_yield"] >= 0.5


def test_a_batch_queue_runs_at_the_speed_of_its_hosts(tmp_path):
    """Two jobs of 100 s on hosts of speed 0.5 and 2: best fit takes the first, that is the slow one, then the other."""
    log, hosts = tmp_path / "log.csv", tmp_path / "hosts.csv"
    log.write_text("job_id,submit_s,runtime_s,cores,memory\n0,0,100,1,1\n1,0,100,1,1\n")
    hosts.write_text("name,cores,memory,speed\na,1,9,0.5\nb,1,9,2\n")
    row = share(log, "--hosts", str(hosts), "--methods", "fcfs")["fcfs"]
    assert row["mean_turnaround_s"] == 125.0
    hosts.write_text("name,cores,memory,speed\na,1,9,0.5\nb,1,9,0.5\n")
    assert share(log, "--hosts", str(hosts), "--methods", "fcfs")["fcfs"]["mean_turnaround_s"] == 200.0


def test_migration_that_takes_time_slows_jobs(log):
    free = share(log, "--methods", "mosix")["mosix"]
    dear = share(log, "--methods", "mosix", "--pause", "30s")["mosix"]
    assert dear["mean_slowdown"] > free["mean_slowdown"]


def test_needs_can_be_learned_but_a_batch_queue_must_be_told(log):
    rows = share(log, "--methods", "e-pvm,fractional", "--needs", "learned")
    assert set(rows) == {"e-pvm", "fractional"}
    with pytest.raises(InputError, match="must be told"):
        share(log, "--methods", "fcfs", "--needs", "learned")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--methods", "e-pvn"], "did you mean e-pvm"),
        (["--methods", "e-pvm+magic"], "no such mover"),
        (["--methods", ","], "names nothing"),
        (["--thrash", "0.5"], "1 or more"),
        (["--thrash", "inf"], "1 or more"),
        (["--methods", "pvm,max-jobs"], "no such method, placement policy or discipline"),
        (["--methods", "fractional+mosix"], "takes no mover"),
        (["--bandwidth", "0"], "--bandwidth must be more than zero"),
        (["--period", "0"], "--period must be more than zero"),
        (["--vms", "1,x"], "write it like 1,1,2,4"),
        (["--vms", "1,0"], "a number above zero"),
        (["--methods", "fractional", "--least-yield", "2"], "between 0 and 1"),
        (["--methods", "fractional", "--packer", "mcb9"], "no such packer"),
        (["--methods", "easy", "--policies", ","], "--policies names nothing"),
        (["--methods", "pvm", "--sharing", "equal"], "no such sharing model"),
        (["--methods", "pvm", "--policies", "mix-fit"], "it works only with disciplines of the batch queue"),
        (["--methods", "easy", "--sharing", "water-filling"], "it works only with methods that share a host's CPU"),
    ],
)
def test_bad_input_is_told_in_one_line(log, options, message):
    with pytest.raises(InputError, match=message):
        share(log, *options)


@pytest.mark.parametrize("options", [["--window", "-1"], ["--every", "0"], ["--every", "nan"], ["--window", "inf"]])
def test_a_stream_needs_times_that_make_sense(tmp_path, options):
    out = tmp_path / "stream.csv"
    result = CliRunner().invoke(app, ["generate", "opportunity", "-o", str(out), *options])
    assert isinstance(result.exception, InputError)
    assert "more than zero seconds" in str(result.exception)
    assert not out.exists()


def test_a_row_that_is_finished_is_kept_and_not_made_again_unless_something_changed(log, tmp_path, monkeypatch):
    first = share(log, "-o", str(tmp_path), "--methods", "pvm")["pvm"]
    with monkeypatch.context() as patch:
        patch.setattr("loadmaster.runs.sharing.simulate_timeshared", None)
        assert share(log, "-o", str(tmp_path), "--methods", "pvm,fcfs")["pvm"] == first
        with pytest.raises(TypeError):
            share(log, "-o", str(tmp_path), "--methods", "pvm", "--thrash", "3")
    assert json.loads((tmp_path / "sharing.json").read_text())["rows"][0]["method"] == "pvm"


def test_what_was_finished_before_a_stop_is_shown_and_kept(log, tmp_path, monkeypatch):
    import loadmaster.runs.sharing as sharing

    share(log, "-o", str(tmp_path), "--methods", "pvm")
    real = sharing.simulate_fractional

    def stopped(problem, **more):
        if problem.workload.jobs > 2:  # not while it is compiled
            raise KeyboardInterrupt
        return real(problem, **more)

    monkeypatch.setattr(sharing, "simulate_fractional", stopped)
    result = CliRunner().invoke(app, ["share", str(log), "-o", str(tmp_path), "--json", "--methods", "pvm,fractional"])
    assert result.exit_code != 0
    told = json.loads(result.stdout)
    assert ([row["method"] for row in told["rows"]], told["unfinished"]) == (["pvm"], ["fractional"])


def test_sharing_comes_out_the_same_on_a_dask_cluster(log, tmp_path, monkeypatch):
    distributed = pytest.importorskip("distributed", reason="the extra `dask` is not installed")
    rule = tmp_path / "rule.py"
    rule.write_text("def least(demand, free, capacity):\n    return free[0]\n")
    methods = ("--methods", f"pvm+mosix,fractional,easy,{rule}:least")
    here = share(log, "-o", str(tmp_path / "here"), *methods)
    with distributed.LocalCluster(n_workers=1, threads_per_worker=2, dashboard_address="127.0.0.1:0") as cluster:
        there = share(log, "-o", str(tmp_path / "there"), *methods, "--on", cluster.scheduler_address)
    assert there == here


def test_choices_of_vms_share_hosts_of_any_size_and_speed(tmp_path):
    """A serial job and one of two tasks on two machines: coupled, both go at half speed."""
    log = tmp_path / "log.csv"
    log.write_text("job_id,submit_s,runtime_s,cores,memory,tasks\n0,0,100,1,1,1\n1,0,100,1,1,2\n")
    rows = share(log, "--hosts", "2x1c4g", "--methods", "pmvm,pcfc-sg", "--vms", "1,1")
    assert rows["pmvm"]["kind"] == "vms"
    assert rows["pmvm"]["mean_turnaround_s"] == pytest.approx(200.0, rel=1e-3)
    assert "shares 1 1" in rows["pmvm"]["parameters"]
    hosts = tmp_path / "hosts.csv"
    hosts.write_text("name,cores,memory,speed\na,1,4,0.5\nb,4,4,2\n")
    rows = share(log, "--hosts", str(hosts), "--methods", "pmvm,pc-g", "--vms", "1,1")
    assert rows["pmvm"]["mean_turnaround_s"] == pytest.approx(400.0, rel=1e-3)  # a quarter on a, by turns
    assert rows["pc-g"]["mean_turnaround_s"] == pytest.approx((50 + 200) / 2, rel=1e-3)  # the serial job on b


def test_a_batch_queue_has_a_row_for_every_placement_policy_that_is_named(log, tmp_path):
    rule = tmp_path / "rule.py"
    rule.write_text("def last(demand, free, capacity):\n    return -free[0]\n")
    out = ["share", str(log), "--json", "-o", str(tmp_path / "rows"), "--methods", "pvm,easy", "--policies"]
    result = CliRunner().invoke(app, [*out, f"mix-fit,max-jobs,{rule}:last"])
    rows = json.loads(result.stdout)["rows"]
    assert [(row["method"], row["policy"]) for row in rows] == [
        ("pvm", None),
        ("easy", "mix-fit"),
        ("easy", "max-jobs"),
        ("easy", f"{rule}:last"),
    ]
    assert "places by mix-fit" in rows[1]["parameters"]
    with pytest.raises(InputError, match="did you mean mix-fit"):
        share(log, "--methods", "easy", "--policies", "mix-fat")


def test_fractional_scheduling_packs_by_a_placement_policy_of_ones_own(log, tmp_path):
    (tmp_path / "rule.py").write_text("def last(demand, free, capacity):\n    return -free[0]\n")
    spec = f"{tmp_path / 'rule.py'}:last"
    row = share(log, "--methods", "fractional", "--packer", spec, "--period", "20s")["fractional"]
    assert f"packer='{spec}'" in row["parameters"]
    assert row["refused"] == 0


def test_a_sharing_model_of_ones_own_runs_under_every_kind_of_sharing_and_says_how_fast(tmp_path, monkeypatch):
    rule, log = tmp_path / "rule.py", tmp_path / "log.csv"
    rule.write_text(
        "import numpy as np\n\n\ndef halves(demand, capacity):\n"
        "    return np.full(len(demand), 0.5 * min(1.0, capacity[0] / demand[:, 0].sum()))\n"
    )
    log.write_text("job_id,submit_s,runtime_s,cores,memory\n0,0,100,1,1\n1,0,100,1,1\n")
    rows = share(log, "--hosts", "1x1c4g", "--methods", "pvm,fractional,pmvm", "--sharing", f"{rule}:halves")
    coupled = (np.sqrt(3.0) - 1.0) / 2.0  # requesting a core beside one that uses r gives r = .5 / (1 + r)
    for name, row in rows.items():
        assert row["mean_turnaround_s"] == pytest.approx(100.0 / coupled if name == "pmvm" else 400.0, rel=1e-3)
        assert f"CPU by {rule}:halves" in row["parameters"]
    monkeypatch.setattr(sharing_study, "TRIAL_S", 0.0)  # every run lasts longer than that, on any machine
    options = ["--hosts", "1x1c4g", "--methods", "pvm", "-o", str(tmp_path / "timed")]
    result = CliRunner().invoke(app, ["share", str(log), *options, "--sharing", f"{rule}:halves"])
    assert re.search(r"pvm: not compiled, about [\d,]+ events a second at first", result.output.replace("\n", " "))


def test_nothing_that_ran_is_told_as_nothing_not_as_a_number():
    from loadmaster.report.sharing_table import sharing_table
    from loadmaster.runs.sharing_row import RowLabels, row_of
    from loadmaster.runs.sharing_settings import SharingSettings

    jobs = Workload.of(submit_s=[0.0], runtime_s=[1.0], cores=[1], memory=[1])
    row = row_of(RowLabels("fractional", "", "fractional", ""), jobs, np.array([np.nan]), np.array([np.nan]))
    assert json.loads(json.dumps(row.as_dict(), allow_nan=False))["mean_slowdown"] is None
    table = sharing_table([row], SharingSettings())
    assert [list(column.cells) for column in table.columns][1:] == [["-"]] * 6 + [["1"]]
