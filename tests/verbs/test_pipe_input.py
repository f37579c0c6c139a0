"""A log that comes through a pipe, which can be read once, works as its file does."""

import gzip
import os
import pty
import re
import sys
import threading
from pathlib import Path

import pytest

from loadmaster.cli import main
from loadmaster.model import InputError
from loadmaster.verbs import pipe_input
from loadmaster.verbs.compare import CompareOptions
from loadmaster.verbs.convert import ConvertOptions
from loadmaster.verbs.fewest_options import FewestOptions
from loadmaster.verbs.fit import FitOptions
from loadmaster.verbs.info import InfoOptions, info
from loadmaster.verbs.inputs import read
from loadmaster.verbs.option import described
from loadmaster.verbs.pack import PlacingOptions, pack
from loadmaster.verbs.rebalance import RebalanceOptions
from loadmaster.verbs.share_options import ShareOptions
from loadmaster.verbs.simulate import SimulateOptions, simulate
from loadmaster.verbs.size import SizeOptions, size
from loadmaster.verbs.tune import TuneOptions

LINE = "{n} {submit} -1 60 1 -1 -1 1 90 1048576 1 1 1 1 1 1 -1 -1\n"
LOG = "".join(LINE.format(n=n + 1, submit=7 * n) for n in range(50)).encode()
TABLE = b"job_id,submit_s,runtime_s,cores\n1,0,60,1\n2,5,60,2\n"
TASKS = b"name,cores,memory_gb\na,1,2\nb,2,1\n"
TAKING = (CompareOptions, ConvertOptions, FewestOptions, FitOptions, InfoOptions, PlacingOptions, RebalanceOptions,
          ShareOptions, SimulateOptions, SizeOptions, TuneOptions)  # fmt: skip


@pytest.fixture(autouse=True)
def nothing_poured(monkeypatch):
    """Each test has a standard input of its own."""
    monkeypatch.setattr(pipe_input, "_poured", {})
    monkeypatch.setattr(pipe_input, "_folders", folders := [])
    yield
    for folder in folders:
        for path in folder.iterdir():
            path.unlink()
        folder.rmdir()


@pytest.fixture
def fifo(tmp_path):
    """Make a pipe with a name, through which `data` comes once."""
    writers = []

    def of(data, name="pipe"):
        path = tmp_path / name
        os.mkfifo(path)
        writers.append(threading.Thread(target=path.write_bytes, args=(data,)))
        writers[-1].start()
        return path

    yield of
    for writer in writers:
        writer.join()


@pytest.fixture
def through_standard_input(monkeypatch):
    """Put what is given behind standard input."""
    before = os.dup(0)
    monkeypatch.setattr(sys, "stdin", object())

    def of(data):
        ours, theirs = os.pipe()
        os.write(theirs, data)
        os.close(theirs)
        os.dup2(ours, 0)
        os.close(ours)

    yield of
    os.dup2(before, 0)
    os.close(before)


@pytest.mark.parametrize("kind", TAKING, ids=lambda kind: kind.__name__)
def test_the_input_of_every_such_verb_may_be_a_pipe(kind):
    reads = {name for name, (_, option) in described(kind).items() if option.reads}
    assert reads & {"trace", "tasks", "state", "bag"}


@pytest.mark.parametrize("pack_it", [bytes, gzip.compress], ids=["plain", "gzip"])
def test_a_log_through_a_pipe_is_the_log_of_the_file(tmp_path, fifo, pack_it):
    (tmp_path / "log.swf").write_bytes(LOG)
    from_file, from_pipe = read(tmp_path / "log.swf"), read(fifo(pack_it(LOG)))
    assert from_pipe.format == from_file.format == "swf"
    assert from_pipe.workload.submit_s.tolist() == from_file.workload.submit_s.tolist()


def test_a_parquet_log_through_a_pipe_is_read(tmp_path, fifo):
    from loadmaster.traces import write_trace

    (tmp_path / "log.swf").write_bytes(LOG)
    write_trace(read(tmp_path / "log.swf").workload, tmp_path / "log.parquet")
    assert read(fifo((tmp_path / "log.parquet").read_bytes())).workload.jobs == 50


def test_hosts_come_through_a_pipe_too(fifo):
    assert read(fifo(LOG, "log"), fifo(b"count,cores,memory_gb\n3,4,8\n", "hosts")).cluster.hosts == 3


def test_standard_input_named_twice_is_read_once(through_standard_input):
    through_standard_input(LOG)
    assert read("-").workload.jobs == read("/dev/stdin").workload.jobs == 50


def test_info_names_the_pipe_as_it_was_typed(through_standard_input):
    through_standard_input(LOG)
    found = info("-", "2x4c8g")
    assert found.next.startswith("loadmaster simulate - ")


def test_tasks_and_bags_come_through_pipes(fifo):
    assert len(pack(fifo(TASKS, "tasks"), hosts="2x4c8g").packing.host) == 2
    assert size(fifo(b"10\n20\n30\n", "bag"), repetitions=2).bag.tasks == 3


def test_a_record_names_no_file_that_is_gone_afterwards(tmp_path, fifo):
    simulate(fifo(LOG), "2x4c8g", out=tmp_path / "run")
    assert not any("loadmaster-" in path.read_text(errors="replace") for path in (tmp_path / "run").glob("*.json"))


def test_a_site_through_a_pipe_is_refused_where_it_is_written_down(tmp_path, fifo):
    from loadmaster.verbs.fit import fit

    (tmp_path / "log.swf").write_bytes(LOG)
    with pytest.raises(InputError, match=re.escape("--site ") + ".*pipe.* a pipe is gone afterwards"):
        fit(tmp_path / "log.swf", site=fifo(b"NodeName=n[1-2] CPUs=4\n"))


def told(capfd, monkeypatch, *arguments):
    """The one line that a refused command says."""
    monkeypatch.setattr(sys, "argv", ["loadmaster", *arguments])
    with pytest.raises(SystemExit) as stop:
        main()
    printed = capfd.readouterr()
    assert stop.value.code == 2
    assert not printed.out
    [line] = printed.err.splitlines()
    return line


def test_an_empty_pipe_is_told_in_one_line(capfd, monkeypatch, through_standard_input):
    through_standard_input(b"")
    assert "nothing comes through this pipe" in told(capfd, monkeypatch, "info", "-")


def test_a_closed_standard_input_is_told_in_one_line(capfd, monkeypatch):
    monkeypatch.setattr(sys, "stdin", None)
    assert "'standard input': closed" in told(capfd, monkeypatch, "info", "-")


def test_a_terminal_is_refused_in_one_line(capfd, monkeypatch):
    ours, theirs = pty.openpty()
    before = os.dup(0)
    monkeypatch.setattr(sys, "stdin", object())
    try:
        os.dup2(theirs, 0)
        assert "a terminal, not a pipe" in told(capfd, monkeypatch, "compare", "-")
    finally:
        os.dup2(before, 0)
        for number in (ours, theirs, before):
            os.close(number)


def test_a_device_that_never_ends_is_refused(capfd, monkeypatch):
    assert "a device, not a file" in told(capfd, monkeypatch, "info", "/dev/zero")


def test_what_is_no_log_is_refused_under_the_name_that_was_typed(capfd, monkeypatch, through_standard_input):
    through_standard_input(b"Dear scheduler,\nplease start my jobs soon.\n")
    assert told(capfd, monkeypatch, "compare", "-").startswith("loadmaster: -: ")


def test_the_files_are_gone_when_they_are_let_go(fifo):
    path = Path(pipe_input.pipe_as_file(str(fifo(TABLE))))
    assert path.read_bytes() == TABLE
    assert pipe_input.is_poured(path)
    pipe_input.let_go()
    assert not path.parent.exists()


def test_files_folders_and_words_are_left_as_they_are(tmp_path):
    (tmp_path / "log").write_bytes(LOG)
    for given in (str(tmp_path / "log"), tmp_path, "2x4c8g", "nowhere", "a\0b", None, 3, ["x"]):
        assert pipe_input.pipe_as_file(given) == given


def test_a_pipe_that_nobody_writes_into_is_told(tmp_path, monkeypatch, capsys):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    told = threading.Event()
    monkeypatch.setattr(pipe_input, "QUIET_S", 0.01)
    monkeypatch.setattr(sys.stderr, "flush", told.set)

    def write():
        assert told.wait(60)
        path.write_bytes(LOG)

    writer = threading.Thread(target=write)
    writer.start()
    assert read(path).workload.jobs == 50
    writer.join()
    assert capsys.readouterr().err == f"Waiting for a program to write into the pipe {path}; Ctrl-C stops.\n"


@pytest.mark.parametrize("verb", [["run"], ["live", "cgroup"]])
def test_commands_from_a_device_without_end_are_refused(verb, capfd, monkeypatch):
    assert "a device, not a file" in told(capfd, monkeypatch, *verb, "/dev/zero")
