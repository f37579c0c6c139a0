import json
import os
import re
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

from loadmaster.cli import main

SOURCE = str(Path(__file__).parents[2] / "src")


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")


def loadmaster(capsys, monkeypatch, command):
    """Exit code, stdout and stderr of a command, run in this process."""
    monkeypatch.setattr(sys, "argv", ["loadmaster", *command.split()])
    with pytest.raises(SystemExit) as ended:
        main()
    out, err = capsys.readouterr()
    return ended.value.code, out, err


@pytest.fixture
def run(capsys, monkeypatch):
    return lambda command: loadmaster(capsys, monkeypatch, command)


def test_compare_without_a_log_shows_the_demo_and_says_that_it_is_synthetic(run):
    code, out, err = run("compare --limit 300 --policies first-fit,mix-fit,max-jobs")
    assert code == 0
    assert "300 synthetic jobs" in out
    assert "★" in out or "hardly matters" in out
    assert "3 runs of 300 jobs" in err
    assert Path("report/report.html").is_file()
    assert pl.read_parquet("report/summary.parquet").height == 3


def test_compare_again_runs_nothing_again(run):
    run("compare --limit 300 --policies first-fit")
    code, _, err = run("compare --limit 300 --policies first-fit,mix-fit")
    assert code == 0
    assert "1 of 2 runs were kept from before; 1 run of 300 jobs" in err


def test_json_is_the_only_thing_on_stdout(run):
    code, out, err = run("compare --limit 300 --policies first-fit,max-jobs --json --check --loads 0.8,1.1 -o d")
    rows = json.loads(out)["rows"]
    assert code == 0
    assert [(row["policy"], round(row["load"], 6)) for row in rows] == [
        ("first-fit", 0.8),
        ("max-jobs", 0.8),
        ("first-fit", 1.1),
        ("max-jobs", 1.1),
    ]
    assert rows[1]["chosen"].keys() >= {"mix-fit"}
    assert rows[0]["jobs"] == 300
    assert "synthetic" in err


def test_the_same_seed_gives_the_same_rows_and_another_seed_others(run):
    command = "compare --limit 300 --hosts 4x8c32g --policies random --json -o"
    rows = [json.loads(run(f"{command} d{n} --seed {seed}")[1])["rows"][0] for n, seed in enumerate((7, 7, 8))]
    for row in rows:
        del row["simulated_jobs_per_s"]
    assert rows[0] == rows[1]
    assert rows[0] != rows[2]


def test_beta_scales_the_times_between_arrivals(run):
    rows = json.loads(run("compare --limit 300 --policies first-fit --beta 1,0.5 --json")[1])["rows"]
    assert rows[1]["load"] == pytest.approx(2 * rows[0]["load"])


def test_a_policy_from_a_file_stands_beside_the_built_in_ones(run):
    Path("rule.py").write_text("def even(demand, free, capacity):\n    return free[0]\n")
    rows = json.loads(run("compare --limit 300 --policies best-fit-cores,rule.py:even --json")[1])["rows"]
    assert rows[1]["policy"] == "rule.py:even"
    assert rows[0]["mean_wait_s"] == rows[1]["mean_wait_s"]


def test_the_picture_is_written_where_asked(run):
    assert run("compare --limit 200 --policies first-fit,mix-fit --picture p.png")[0] == 0
    assert Path("p.png").read_bytes()[:4] == b"\x89PNG"


def test_a_simulated_run_can_be_explained_and_repeated(run):
    code, out, err = run("simulate --limit 300 --policy mix-fit -o r --check")
    assert code == 0
    assert "mean wait" in out
    assert "explain r JOB" in err
    code, out, _ = run("explain r 42")
    assert code == 0
    assert re.search(r"Job 42 requests .* It arrived at", out.replace("\n", " "))
    assert "mix-fit takes what is left closest to balance" in out.replace("\n", " ")
    told = json.loads(run("explain r 42 --json --top 3")[1])
    assert told["job"] == 42
    assert len(told["choice"]["hosts"]) == 3
    assert told["choice"]["same"] is True
    code, out, _ = run("simulate --again r")
    assert code == 0
    assert out.startswith("Identical to the bit: 300 jobs")
    assert json.loads(run("simulate --again r --json")[1])["same"] is True


def test_a_run_that_does_not_repeat_ends_with_code_1(run):
    run("simulate --limit 300 --policy mix-fit -o r")
    about = json.loads(Path("r/run.json").read_text())
    about["setting"]["policy"] = "worse-fit-cores"
    Path("r/run.json").write_text(json.dumps(about))
    code, out, _ = run("simulate --again r")
    assert code == 1
    assert out.startswith("Different: ")


def test_policies_lists_everything_that_can_be_named(run):
    rows = json.loads(run("policies --json")[1])["rows"]
    names = {(row["kind"], row["name"]) for row in rows}
    assert {("placement", "mix-fit"), ("meta-rule", "max-jobs"), ("backfilling", "netbatch")} <= names
    assert "max-jobs" in run("policies")[1]


BAD = [
    ("compare --policies mix-fti", "did you mean mix-fit?"),
    ("compare --policies ,", "--policies names nothing"),
    ("compare --policies nofile.py:f", "no such file"),
    ("compare --policies max-jobs --max-jobs-members max-jobs", "cannot be a member of another"),
    ("compare --disciplines easyy", "no such discipline"),
    ("compare --loads heavy", "--loads takes a number above 0"),
    ("compare --loads -1", "--loads takes a number above 0"),
    ("compare --loads nan", "--loads takes a number above 0"),
    ("simulate --load nan", "--load takes a number above 0; write it like --load 0.9"),
    ("simulate --load 0.8 --beta 0.9", "--load 0.8 --beta 0.9"),
    ("compare --loads 0.8 --beta 0.9", "two ways of saying the same"),
    ("compare --interval soon", "not a duration"),
    ("compare --reservations some", "--reservations takes a whole number"),
    ("compare --lookahead 0", "--lookahead takes a whole number of at least 1"),
    ("compare --shares 1,x", "--shares takes a number above 0"),
    ("compare --hosts 5x", "'5x'"),
    ("compare --hosts 5x0c", "a host needs more than 0 cores"),
    ("compare --limit 0", "--limit"),
    ("compare --limit ten", "--limit"),
    ("compare --baseline random --policies first-fit", "the baseline is not among the policies"),
    ("compare -o /proc/nowhere", "cannot write there"),
    ("compare --store what", "not the URL of a database"),
    ("compare --picture p.gif --limit 50 --policies first-fit", "a picture is written as .png or .svg"),
    ("compare --nonsense", "No such option"),
    ("compar", "compare"),
    ("compare one two", "unexpected extra argument"),
    ("simulate --policy first-fit,mix-fit", "one run takes one policy"),
    ("simulate --again missing", "no run record here"),
    ("explain missing 5", "no run record here"),
    ("explain", "RUN"),
    ("reproduce nothing1999", "no such paper"),
    ("reproduce shai2015", "did you mean shai2014?"),
]


@pytest.mark.parametrize(("command", "message"), BAD, ids=[command for command, _ in BAD])
def test_bad_input_is_one_clear_line_and_exit_code_2(run, command, message):
    code, out, err = run(command)
    assert code == 2
    assert out == ""
    assert message in err
    assert err.startswith("loadmaster: ")
    assert len(err.strip().splitlines()) == 1


HEAVY = {"numpy", "numba", "polars", "scipy", "altair", "sqlalchemy", "pandas", "distributed", "ortools"}


def test_help_and_the_table_of_verbs_load_no_heavy_library():
    program = (
        "import sys; sys.argv = ['loadmaster', *sys.argv[1:]]\n"
        "from loadmaster.cli import main\n"
        "try:\n    main()\n"
        "finally:\n"
        f"    print(sorted({HEAVY} & set(sys.modules)), file=sys.stderr)\n"
    )
    for command in ("--help", "compare --help", "simulate --help", "explain --help", "live fake --help", ""):
        done = subprocess.run(
            [sys.executable, "-c", program, *command.split()],
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, "PYTHONPATH": SOURCE},
        )
        assert done.returncode == 0
        assert "loadmaster" in done.stdout
        assert done.stderr.strip() == "[]"


def test_jobs_that_never_started_are_in_every_output(run, monkeypatch):
    """The engine is made to leave one job waiting for ever, as a policy of one's own may."""
    import numpy as np

    from loadmaster.runs import outcome

    real = outcome.simulate_lived

    def leaving_one(*arguments, **more):
        jobs, made = real(*arguments, **more)
        start_s, host = made.start_s.copy(), made.host.copy()
        start_s[-1], host[-1] = np.nan, -1
        return jobs, type(made)(start_s, host, made.cycles)

    monkeypatch.setattr(outcome, "simulate_lived", leaving_one)
    code, out, err = run("compare --limit 300 --policies first-fit --json -o d")
    made = json.loads(out)
    assert (code, made["rows"][0]["unstarted"]) == (0, 1)
    assert any("1 job never started" in warning for warning in made["warnings"])
    assert "warning: first-fit, netbatch, load" in err
    assert "1\N{NO-BREAK SPACE}job never started" in Path("d/report.html").read_text(encoding="utf-8")
    assert "never" in run("compare --limit 300 --policies first-fit -o d")[1]
    _, out, err = run("simulate --limit 300 --policy first-fit --json -o r")
    assert json.loads(out)["unstarted"] == 1
    assert "warning: 1 job never started" in err
    assert json.loads(Path("r/run.json").read_text())["result"]["unstarted"] == 1
    assert json.loads(run("simulate --again r --json")[1])["unstarted"] == 1


def test_queues_are_replayed_on_hosts_of_any_speed(run):
    Path("log.csv").write_text("submit_s,runtime_s,cores\n0,100,1\n0,100,1\n")
    Path("hosts.csv").write_text("name,cores,memory_gb,speed\nslow,1,8,0.5\nquick,1,8,2\n")
    code, out, _ = run("simulate log.csv --hosts hosts.csv --interval 0 --policy first-fit --check --json")
    row = json.loads(out)
    assert (code, row["makespan_s"], row["mean_wait_s"]) == (0, 200.0, 0.0)
    assert row["load"] is None or row["load"] > 0


def test_a_run_and_its_report_name_the_work_that_is_left_out(run):
    Path("log.csv").write_text("submit_s,runtime_s,cores\n0,9,1\n1,9,8\n2,9,1\n")
    code, out, _ = run("simulate log.csv --hosts 2x2c --policy first-fit -o r")
    left_out = "1 of 3 jobs (33 %) with 80 % of the work"
    assert (code, out.splitlines()[0]) == (0, f"Left out: {left_out}. The figures are those of the rest.")
    assert run("report r")[1].startswith(f"No verdict: {left_out}")
