"""Where the disk is full every verb says so in one line, and leaves nothing that looks like a result."""

import json
import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

import loadmaster
from loadmaster.live.session.record_file import RecordFile

LOG = "job_id,submit_s,runtime_s,cores,memory_gb\n0,0,100,1,1\n1,0,100,1,1\n2,5,100,1,1\n"
BAG = "".join(f"{10 * k}\n" for k in range(1, 30))
SOURCE = str(Path(loadmaster.__file__).parents[1])


AS_USUAL = ("-m", "loadmaster")


def loadmaster_with(most_bytes, folder, *words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, started=AS_USUAL):
    """Run a verb in `folder` where no file can grow beyond so many bytes."""

    def limit():
        if most_bytes is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (most_bytes, most_bytes))

    return subprocess.run(
        [sys.executable, *started, *words],
        cwd=folder,
        stdout=stdout,
        stderr=stderr,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": SOURCE, "PYTHONDONTWRITEBYTECODE": "1"},  # it would be cut short on disk
        preexec_fn=limit,
        timeout=200,
    )


@pytest.fixture(scope="module")
def machine_code_of_size(tmp_path_factory):
    """The kernels of `size`, on disk: under a limit none could be stored, and each run would compile them again."""
    folder = tmp_path_factory.mktemp("unlimited")
    (folder / "bag.txt").write_text(BAG)
    assert loadmaster_with(None, folder, *["size", "bag.txt", "--repetitions", "3", "-o", "out"]).returncode == 0


@pytest.mark.usefixtures("machine_code_of_size")
@pytest.mark.parametrize(
    ("most_bytes", "words"),
    [
        (4_000, "share log.csv --hosts 1x2c4g --methods fcfs -o out"),
        (100_000, "compare log.csv --hosts 1x2c4g --policies first-fit -o out"),
        (1_000, "simulate log.csv --hosts 1x2c4g -o out"),
        (100, "size bag.txt --repetitions 3 -o out"),
        (60_000, "size bag.txt --repetitions 3 -o out"),
        (100, "pack tasks.csv --hosts 2x4c4g -o out"),
        (100, "generate netbatch --jobs 50 -o out.csv"),
        (4_000, "reproduce silva2008 --quick -o out"),
    ],
)
def test_a_verb_that_cannot_write_says_so_in_one_line_and_leaves_no_half_of_a_file(tmp_path, most_bytes, words):
    (tmp_path / "log.csv").write_text(LOG)
    (tmp_path / "bag.txt").write_text(BAG)
    (tmp_path / "tasks.csv").write_text("name,cores,memory_gb\n" + "".join(f"t{k},0.1,0.1\n" for k in range(40)))
    given = set(tmp_path.rglob("*"))
    told = loadmaster_with(most_bytes, tmp_path, *words.split())
    assert told.returncode == 2
    assert "Traceback" not in told.stderr
    refusals = [line for line in told.stderr.splitlines() if line.startswith("loadmaster: ")]
    assert len(refusals) == 1
    assert "out" in refusals[0]
    for path in set(tmp_path.rglob("*")) - given:
        assert path.suffix not in (".part", ".html"), path
        assert path.is_dir() or path.stat().st_size > 0 or path.name == "results.sqlite"
        if path.suffix == ".json":
            json.loads(path.read_text())


PAPER = """
from loadmaster.papers.claim import Claim, Reproduction

def reproduce(options):
    return Reproduction("made1999", "A paper", [Claim("Table 1", "x is 1", "1", "1.0", "holds", n=3)])
"""
WITH_IT = """
from loadmaster import papers
from loadmaster.cli import main

papers.PAPERS["made1999"] = papers.Paper("made1999")
main()
"""


def test_the_page_of_a_reproduction_that_cannot_be_written_is_told_in_one_line_and_not_begun(tmp_path):
    (tmp_path / "made1999.py").write_text(PAPER)
    words = ("reproduce", "made1999", "-o", "out")
    told = loadmaster_with(500, tmp_path, *words, started=("-Bc", WITH_IT))
    assert told.returncode == 2
    assert told.stderr == "loadmaster: 'out/made1999/report.html': this page cannot be written: File too large\n"
    assert list((tmp_path / "out" / "made1999").iterdir()) == []
    assert loadmaster_with(None, tmp_path, *words, started=("-Bc", WITH_IT)).returncode == 0
    assert (tmp_path / "out" / "made1999" / "report.html").is_file()


@pytest.mark.parametrize("words", ["policies", "policies --json", "--help"])
def test_an_output_that_is_full_is_told_in_one_line(tmp_path, words):
    with open("/dev/full", "w") as full:
        told = loadmaster_with(None, tmp_path, *words.split(), stdout=full)
    assert (told.returncode, told.stderr) == (2, "loadmaster: the output: No space left on device\n")


def test_where_not_even_that_can_be_told_the_exit_code_says_it(tmp_path):
    with open("/dev/full", "w") as full:
        assert loadmaster_with(None, tmp_path, "policies", stdout=full, stderr=full).returncode == 2


def test_the_log_of_a_bag_says_which_file_could_not_be_written():
    full = pytest.raises(OSError, match="No space left on device: '/dev/full'")
    with RecordFile(Path("/dev/full")) as record, full:
        record.append([{"event": "started", "task": 1}])
