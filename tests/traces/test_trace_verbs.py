"""The verbs `info`, `convert` and `generate`, as a user calls them."""

import json

import pytest

from loadmaster.cli import main
from loadmaster.traces import read_hosts, read_trace
from traces.logs import swf_line, write


@pytest.fixture
def run(monkeypatch, capsys):
    """Run the program; gives exit code, stdout and stderr."""

    def call(*arguments):
        monkeypatch.setattr("sys.argv", ["loadmaster", *map(str, arguments)])
        monkeypatch.setenv("COLUMNS", "150")
        try:
            main()
            code = 0
        except SystemExit as end:
            code = end.code or 0
        shown = capsys.readouterr()
        return code, shown.out, shown.err

    return call


def test_info_shows_jobs_load_and_what_was_left_out(run, tmp_path):
    lines = [swf_line(job=k, submit=k * 10, run=100, asked=2, memory=1024 * 1024, user=k % 3) for k in range(50)]
    path = write(tmp_path, "log.swf", "".join(lines) + swf_line(run=-1) + "1 2 3\n")
    code, out, _ = run("info", path, "--hosts", "4x8c64g")
    assert code == 0
    for part in ("log.swf", "50", "8.17 min", "4 x 8 cores 64 GiB", "line 51", "line 52", "runtime is zero or unknown"):
        assert part in out
    code, out, _ = run("info", path, "--hosts", "4x8c64g", "--json")
    document = json.loads(out)
    assert (document["jobs"], document["users"], document["cluster"]["hosts"]) == (50, 3, 4)
    assert document["cluster"]["offered_load"]["cores"] == pytest.approx(50 * 2 * 100 / (32 * 490))
    assert [(left["count"], left["malformed"]) for left in document["left_out"]] == [(1, True), (1, False)]


def test_info_ends_with_code_2_and_one_line_on_bad_input(run, tmp_path):
    code, out, err = run("info", write(tmp_path, "log.swf", swf_line() + "1 2 3\n"), "--strict")
    assert (code, out) == (2, "")
    assert err.startswith("loadmaster: ")
    assert "log.swf:2" in err
    assert err.count("\n") == 1


def test_info_takes_the_names_of_columns(run, tmp_path):
    path = write(tmp_path, "log.csv", "when,took,ncpus\n0,5,1\n9,5,1\n")
    code, out, _ = run("info", path, "--columns", "submit_s=when,runtime_s=took,cores=ncpus", "--json")
    assert (code, json.loads(out)["jobs"]) == (0, 2)
    code, _, err = run("info", path, "--columns", "submit_s")
    assert code == 2
    assert "not a pair of column names" in err


def test_convert_writes_another_format_with_everything_in_it(run, tmp_path):
    path = write(tmp_path, "log.swf.gz", "".join(swf_line(job=k, submit=k, wait=3) for k in range(5)))
    code, out, _ = run("convert", path, tmp_path / "log.parquet")
    assert code == 0
    assert "5 jobs" in out
    code, out, _ = run("convert", tmp_path / "log.parquet", tmp_path / "again.swf", "--json")
    assert json.loads(out)["jobs"] == 5
    assert (tmp_path / "again.swf").read_text().splitlines()[-1] == "4 4 3 10 1 -1 -1 1 -1 -1 1 -1 -1 -1 -1 -1 -1 -1"


def test_convert_never_overwrites_what_it_reads(run, tmp_path):
    path = write(tmp_path, "log.swf", swf_line())
    code, _, err = run("convert", path, path)
    assert code == 2
    assert "overwritten" in err
    assert path.read_text() == swf_line()


def test_generate_netbatch_writes_a_log_and_its_machines_beside_it(run, tmp_path):
    log = tmp_path / "pool.csv.gz"
    code, out, _ = run("generate", "netbatch", "--pool", "B", "--scale", "0.001", "--load", "0.9", "-o", log, "--json")
    facts = json.loads(out)
    assert (code, facts["jobs"], facts["synthetic"]) == (0, 13_086, True)
    assert facts["offered_load"] == pytest.approx(0.9, rel=1e-3)
    trace = read_trace(log)
    assert (trace.workload.jobs, trace.workload.synthetic) == (13_086, True)
    assert trace.cluster.capacity.tolist() == read_hosts(facts["hosts_file"]).capacity.tolist()
    code, out, _ = run("info", log)
    assert "synthetic NetBatch pool B" in out


def test_generate_knows_its_kinds(run):
    code, out, _ = run("generate", "--help")
    assert code == 0
    assert "netbatch" in out


def test_a_folder_is_no_name_of_a_log_to_write(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, _, told = run("generate", "netbatch", "--jobs", "30", "-o", ".")
    assert (code, told.count("\n"), "no known ending of a log" in told) == (2, 1, True)
