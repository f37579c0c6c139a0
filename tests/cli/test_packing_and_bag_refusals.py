"""What `pack`, `rebalance`, `size` and `run` refuse: one clear line, exit code 2, and nothing done before it."""

import gzip
import subprocess
import sys
from pathlib import Path

import pytest

TASKS = "name,cores,memory,host\na,1,1GiB,0\nb,6,2GiB,0\nc,3,1GiB,\n"
PRICES = "name,price_per_h\nsmall,1\nlarge,4\n"
HOSTS = ("--hosts", "2x8c8g")


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A folder to stand in, with good files; nothing has been run in it, before and after."""
    monkeypatch.chdir(tmp_path)
    Path("tasks.csv").write_text(TASKS)
    Path("prices.csv").write_text(PRICES)
    Path("commands.txt").write_text("touch ran\n")
    Path("folder").mkdir()
    yield tmp_path
    assert not (tmp_path / "ran").exists()


FILES = {
    "empty.csv": b"",
    "binary.csv": bytes(range(256)) * 8,
    "cut.csv.gz": gzip.compress((TASKS * 50).encode(), mtime=0)[:-30],
    "negative.csv": b"cores,memory,host\n1,1,0\n-1,1,0\n",
    "nan.csv": b"cores,memory,host\nnan,1,0\n",
    "other.csv": b"colour,host\nred,0\n",
    "ragged.csv": b"cores,memory,host\n1\n2,3,4,5\n",
    "weights.csv": b"cores,memory,host,job,weight\n1,1,0,x,1\n1,1,0,x,2\n",
    "weight.csv": b"cores,memory,host,weight\n1,1,0,1\n1,1,0,0\n",
    "promise.csv": b"cores,memory,host,min_yield\n1,1,0,1\n1,1,0,1.5\n",
}


@pytest.mark.parametrize("verb", ["pack", "rebalance"])
@pytest.mark.parametrize("name", FILES)
def test_a_table_of_tasks_that_cannot_be_used_is_named(told, verb, name):
    Path(name).write_bytes(FILES[name])
    said = told(verb, name, *HOSTS)
    assert name in said
    if name.startswith(("negative", "weight", "promise")):
        assert f"{name}:3:" in said


@pytest.mark.parametrize("verb", ["pack", "rebalance"])
@pytest.mark.parametrize(("path", "words"), [("missing.csv", "no such file"), ("folder", "a folder")])
def test_a_file_that_is_not_there_is_named(told, verb, path, words):
    assert words in told(verb, path, *HOSTS)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("pack", "tasks.csv", *HOSTS, "--method", "gr", "--exact"), "two packers"),
        (("pack", "tasks.csv", *HOSTS, "--method", "mcb9"), "did you mean mcb"),
        (("pack", "tasks.csv", *HOSTS, "--seed", "-1"), "--seed"),
        (("pack", "tasks.csv", *HOSTS, "--time-limit", "nan"), "time limit"),
        (("pack", "tasks.csv", *HOSTS, "--admit", "nan"), "yield to keep"),
        (("pack", "tasks.csv", *HOSTS, "--fluid", "colour"), "known: cores, memory"),
        (("pack", "tasks.csv"), "--hosts"),
        (("rebalance", "tasks.csv", *HOSTS, "--budget", "-1GiB"), "amount of memory"),
        (("rebalance", "tasks.csv", *HOSTS, "--budget", "1GiB", "--moves", "1"), "only one of them"),
        (("rebalance", "tasks.csv", *HOSTS, "--moves", "-1"), "--moves"),
        (("rebalance", "tasks.csv", *HOSTS, "--method", "best"), "--method"),
        (("rebalance", "tasks.csv", "--hosts", "1x8c8g", "--time-limit", "0"), "time limit"),
        (("size", "constant(300)x9", "--budget", "nan"), "amount of money"),
        (("size", "constant(300)x9", "--budget", "-1", "--deadline", "1h"), "amount of money"),
        (("size", "constant(300)x9", "--guess", "0"), "guess"),
        (("size", "constant(300)x9", "--seed", "-1"), "--seed"),
        (("size", "constant(300)x9", "--confidence", "nan"), "--confidence"),
        (("size", "constant(300)x9", "--billing", "week"), "week"),
        (("size", "constant(300)x0"), "at least one task"),
        (("size", "folder"), "a folder, not a file"),
    ],
)
def test_a_value_that_breaks_a_rule_is_named(told, arguments, words):
    assert words in told(*arguments)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--type", "huge", "--prices", "prices.csv"), "known: small, large"),
        (("--type", "huge"), "no such machine type"),
        (("--prices", "prices.csv"), "--type small, large"),
        (("--prices", "missing.csv"), "no such price table"),
        (("--copies", "--sizer", "2"), "only the planner starts copies"),
        (("--copies", "--sizer", "silva"), "only the planner starts copies"),
        (("--sizer", "0"), "no such sizer"),
        (("--sizer", "-1"), "no such sizer"),
        (("--sizer", "many"), "no such sizer"),
        (("--sizer", "2", "--budget", "1"), "only the planner keeps"),
        (("--sizer", "2", "--guess", "5min"), "can use a guess"),
        (("--budget", "1", "--deadline", "1h"), "cannot both be kept"),
        (("--budget", "nan"), "amount of money"),
        (("--guess", "0"), "guess"),
        (("--confidence", "0.2"), "confidence"),
        (("--limit", "0"), "--limit"),
        (("--retries", "-1"), "--retries"),
        (("--timeout", "0"), "--timeout"),
        (("--timeout", "soon"), "soon"),
        (("--slurm-option", "queue=short"), "needs --on slurm"),
        (("--on", "slurm", "--slurm-option", "queue"), "NAME=VALUE"),
        (("-o", "prices.csv"), "cannot write"),
    ],
)
def test_a_bag_is_not_begun_on_terms_that_cannot_be_kept(told, options, words):
    assert words in told("run", "commands.txt", *options)


@pytest.mark.parametrize(
    ("text", "words"),
    [(b"", "no command"), (b"# later\n\n", "no command"), (b"\xff\xfe", "as text"), (b"echo a\necho \0b\n", "txt:2")],
)
def test_a_file_without_commands_is_named(told, text, words):
    Path("bad.txt").write_bytes(text)
    assert words in told("run", "bad.txt")


@pytest.mark.parametrize(("path", "words"), [("gone.txt", "no such file"), ("folder", "a folder, not a file")])
def test_commands_that_cannot_be_opened_are_named_as_what_they_are(told, path, words):
    assert words in told("run", path)


def test_a_folder_of_something_else_is_left_alone(told):
    Path("other").mkdir()
    Path("other/log.jsonl").write_text('{"event": "a log of another program"}\n{"level": 3}\n')
    assert "not a log of this program" in told("run", "commands.txt", "-o", "other")
    assert len(Path("other/log.jsonl").read_text().splitlines()) == 2


@pytest.mark.parametrize("verb", ["pack", "rebalance", "size"])
def test_a_folder_that_cannot_be_written_is_told_before_the_work(told, verb):
    words = ("size", "constant(300)x9") if verb == "size" else (verb, "tasks.csv", *HOSTS)
    assert "cannot write" in told(*words, "-o", "prices.csv")


def test_demands_that_would_be_drawn_again_for_ever_are_refused(told):
    kind = ("generate", "virtual-clusters", "-o", "t.csv", "--memory-rule", "direct_reject")
    assert "for ever" in told(*kind, "--hosts", "64", "--tasks", "2", "--slack", "0.1", "--cv-memory", "0")


WITHOUT_DASK = """
import sys
sys.modules.update(dict.fromkeys(["dask", "distributed", "dask_jobqueue", "cryptography", "psutil"]))
from loadmaster.cli import main
main()
"""


@pytest.mark.parametrize("options", [(), ("--on", "slurm"), ("--on", "tls://127.0.0.1:1")])
def test_where_the_extra_for_dask_is_not_installed_a_bag_is_refused_in_one_line(here, options):
    command = [sys.executable, "-c", WITHOUT_DASK, "run", "commands.txt", *options]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=100, check=False)
    assert ended.returncode == 2, ended.stderr
    assert ended.stderr.count("\n") == 1
    assert "pip install 'loadmaster[dask]'" in ended.stderr
