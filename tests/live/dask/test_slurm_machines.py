"""The cluster of Slurm jobs, as far as it can be looked at without a Slurm: its job script and what it listens on."""

import shlex
from pathlib import Path

import pytest

pytest.importorskip("dask_jobqueue")

from distributed import Client

from loadmaster.live.dask.slurm_machines import slurm_cluster
from loadmaster.model.errors import InputError

OPTIONS = {"queue": "short", "walltime": "00:30:00", "interface": None}


def flag(script, name):
    words = shlex.split(script.splitlines()[-1])
    return words[words.index(name) + 1]


def test_the_job_script_asks_for_one_core_and_starts_a_worker(tmp_path):
    with slurm_cluster(OPTIONS, tmp_path) as cluster:
        script = cluster.job_script()
    assert "#SBATCH -p short" in script
    assert "#SBATCH -t 00:30:00" in script
    assert "#SBATCH --cpus-per-task=1" in script
    assert "distributed.cli.dask_worker" in script


def test_jobs_find_the_certificates_in_a_folder_that_nobody_else_may_open_and_that_goes_with_the_run(tmp_path):
    with slurm_cluster(OPTIONS, tmp_path) as cluster:
        script = cluster.job_script()
        files = [Path(flag(script, f"--tls-{what}")) for what in ("ca-file", "cert", "key")]
        assert {file.parent.parent for file in files} == {tmp_path}
        assert all(file.parent.stat().st_mode & 0o777 == 0o700 for file in files)
        assert all(file.stat().st_mode & 0o777 == 0o600 for file in files)
        key = files[2].read_text()
        assert key.splitlines()[0] == "-----BEGIN PRIVATE KEY-----"
        assert key.splitlines()[1] not in script
        assert flag(script, "--protocol") == "tls://"
    assert list(tmp_path.iterdir()) == []


def test_the_scheduler_listens_on_one_address_encrypted_and_shows_no_pages_to_the_network(tmp_path):
    with slurm_cluster(OPTIONS, tmp_path) as cluster:
        script = cluster.job_script()
        address = cluster.scheduler.listeners[0].listen_address
        assert address.startswith("tls://")
        assert "0.0.0.0" not in address
        assert cluster.scheduler.http_server.address == "127.0.0.1"
        assert not cluster.scheduler.http_application.applications
        with pytest.raises(OSError):
            Client(cluster.scheduler_address.replace("tls://", "tcp://"), timeout="2s", set_as_default=False)
    assert "--no-dashboard" in script
    assert flag(script, "--dashboard-address") == "127.0.0.1:0"


def test_the_chosen_interface_is_the_one_that_is_listened_on(tmp_path):
    with slurm_cluster({**OPTIONS, "interface": "lo"}, tmp_path) as cluster:
        assert cluster.scheduler.listeners[0].listen_address.startswith("tls://127.0.0.1:")
        assert flag(cluster.job_script(), "--interface") == "lo"


def test_what_the_user_wants_in_a_job_stays_there(tmp_path):
    options = {**OPTIONS, "job_script_prologue": "module load python", "worker_extra_args": ["--lifetime", "1h"]}
    with slurm_cluster(options, tmp_path) as cluster:
        script = cluster.job_script()
    assert "\nmodule load python\n" in script
    assert flag(script, "--lifetime") == "1h"


@pytest.mark.parametrize("option", ["protocol", "security", "shared_temp_directory"])
def test_no_option_can_open_what_the_certificates_protect(tmp_path, option):
    with (
        pytest.raises(InputError, match="cannot change how a run is protected"),
        slurm_cluster({option: "tcp://"}, tmp_path),
    ):
        pass
