"""Clusters that are not ours: a scheduler that runs already, and Slurm, whose commands have stand-ins here."""

import gc
import os
import signal
import subprocess
import sys
from typing import NamedTuple

import pytest
from patience import PATIENCE_S, until

pytest.importorskip("distributed")

from loadmaster.live.bag.config import BagConfig, task_folder
from loadmaster.live.dask.machine_source import DaskMachineSource, machines
from loadmaster.live.dask.run_commands import run_commands
from loadmaster.model.errors import InputError
from loadmaster.sizing import FixedHosts, HostType

KIND = HostType("second", 1.0, unit_s=1.0, limit=2)


class Running(NamedTuple):
    """A scheduler that runs."""

    address: str
    process: subprocess.Popen


@pytest.fixture
def scheduler(tmp_path):
    """A scheduler with two workers, all of them processes of their own."""
    file = tmp_path / "scheduler.json"
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    dask = [sys.executable, "-m", "dask"]
    started = [
        subprocess.Popen([*dask, "scheduler", "--port=0", "--no-dashboard", f"--scheduler-file={file}"], **quiet)
    ]
    try:
        until(file.exists, "the scheduler")
        worker = [*dask, "worker", f"--scheduler-file={file}", "--nworkers=2", "--nthreads=1", "--no-dashboard"]
        started.append(subprocess.Popen([*worker, f"--local-directory={tmp_path}"], **quiet))
        from distributed import Client

        with Client(scheduler_file=str(file)) as client:
            client.wait_for_workers(2, timeout=PATIENCE_S)
            address = client.scheduler.address
        yield Running(address, started[0])
    finally:
        for process in reversed(started):
            process.terminate()
            process.wait(PATIENCE_S)


def test_the_workers_of_a_running_scheduler_are_taken_into_use_and_left_alone(scheduler, tmp_path):
    commands = [f"echo {n}" for n in range(5)]
    for folder in ("first", "second"):  # they are still there after the first
        with machines(DaskMachineSource(scheduler.address)) as place:
            report = run_commands(
                commands, BagConfig(tmp_path / folder, FixedHosts(2), KIND), place, say=lambda _: None
            )
            assert set(report.exits.values()) == {0}
            assert report.hosts == 2
            assert len(place.present()) == 2
        assert (task_folder(tmp_path / folder, 4, 1) / "stdout").read_text() == "3\n"


def test_a_scheduler_that_dies_ends_the_run_in_one_clear_line_and_another_one_ends_the_bag(scheduler, tmp_path):
    go = tmp_path / "go"
    commands = ["echo done", f"echo $$ >> {tmp_path}/shells; until test -e {go}; do sleep 0.1; done"]
    config = BagConfig(tmp_path / "out", FixedHosts(2), KIND)

    def watch(snapshot, sizer, spent, done):
        if done == 1 and (tmp_path / "shells").exists():
            scheduler.process.kill()

    with machines(DaskMachineSource(scheduler.address)) as place, pytest.raises(InputError, match="scheduler is gone"):
        run_commands(commands, config, place, watch, say=lambda _: None)
    go.touch()
    with machines(DaskMachineSource()) as place:
        report = run_commands(commands, config, place, say=lambda _: None)
    assert report.exits == {1: 0, 2: 0}
    assert len((tmp_path / "shells").read_text().split()) == 1 + len(report.again)  # its worker may have ended it


def test_an_address_where_nobody_answers_is_one_clear_line(monkeypatch):
    monkeypatch.setattr("loadmaster.results.dask_client.PATIENCE_S", 1.0)
    with pytest.raises(InputError, match="no Dask scheduler answers"), machines(DaskMachineSource("tcp://127.0.0.1:9")):
        pass


SBATCH = """#!/bin/sh
n=$(($(cat {0}/count 2>/dev/null || echo 0) + 1)); echo $n > {0}/count
echo "Submitted batch job $n"
cp $1 {0}/job-$n.sh
if [ $n -gt 1 ]; then setsid sh {0}/job-$n.sh > {0}/job-$n.log 2>&1 & echo $! > {0}/pid-$n; fi
"""
SQUEUE = """#!/bin/sh
for f in {0}/pid-*; do test -e $f && kill -0 $(cat $f) && echo ${{f##*-}}; done
exit 0
"""
SCANCEL = """#!/bin/sh
test -e {0}/pid-$1 && kill -- -$(cat {0}/pid-$1); rm -f {0}/pid-$1
"""


def test_a_slurm_job_that_is_cancelled_while_it_waits_is_noticed_and_replaced(tmp_path, monkeypatch):
    pytest.importorskip("dask_jobqueue")
    from loadmaster.live.dask import slurm_machines as slurm

    for name, text in (("sbatch", SBATCH), ("squeue", SQUEUE), ("scancel", SCANCEL)):
        (tmp_path / name).write_text(text.format(tmp_path))
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setattr(slurm, "ASK_EVERY_S", 0.5)
    said, ctrl_c = [], signal.getsignal(signal.SIGINT)
    options = {"interface": None, "local_directory": str(tmp_path), "death_timeout": PATIENCE_S}
    with machines(DaskMachineSource("slurm", options, folder=tmp_path)) as place:
        report = run_commands(["echo done"], BagConfig(tmp_path / "out", FixedHosts(1), KIND), place, say=said.append)
    assert signal.getsignal(signal.SIGINT) is ctrl_c  # dask_jobqueue takes it when it is imported
    assert report.exits == {1: 0}
    assert report.hosts == 2
    assert any("Slurm knows no job 1 any more" in line for line in said)


def test_a_job_that_slurm_refuses_ends_the_run_with_what_slurm_says(tmp_path, monkeypatch):
    pytest.importorskip("dask_jobqueue")
    (tmp_path / "sbatch").write_text("#!/bin/sh\necho sbatch: error: invalid partition >&2\nexit 1\n")
    options = {"interface": None}
    config = BagConfig(tmp_path / "out", FixedHosts(1), KIND)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    for mode, says in ((0o644, "sbatch"), (0o755, "invalid partition")):  # first as if there were none
        (tmp_path / "sbatch").chmod(mode)
        with (
            machines(DaskMachineSource("slurm", options, folder=tmp_path)) as place,
            pytest.raises(InputError, match=says),
        ):
            run_commands(["echo done"], config, place, say=lambda _: None)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # Dask's cluster, never whole
@pytest.mark.parametrize("options", [{"bogus": "1"}, {"cores": "two"}])
def test_an_option_that_no_slurm_cluster_takes_is_one_clear_line(options, tmp_path):
    pytest.importorskip("dask_jobqueue")
    with (
        pytest.raises(InputError, match="does not take this"),
        machines(DaskMachineSource("slurm", options, folder=tmp_path)),
    ):
        pass
    gc.collect()
