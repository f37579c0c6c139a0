"""The hook at submission, the sign of life, the unit files, the lease."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from loadmaster.live.session.lease import Lease, MachineLock
from loadmaster.live.slurm.hook import Heartbeat, heartbeat_path, hook_text
from loadmaster.live.slurm.units import unit_files
from loadmaster.model import InputError


def test_the_hook_names_heartbeat_patience_and_partitions():
    text = hook_text(Path("/var/lib/lm/x.heartbeat"), 600.0, 64030, ["main"], default="main")
    assert 'local HEARTBEAT = "/var/lib/lm/x.heartbeat"' in text
    assert "local PATIENCE_S = 600" in text
    assert '["main"] = true, ["*"] = true' in text
    assert "@" not in text.replace("--", "")


@pytest.mark.parametrize("name", ['a"b', "a\nb", "a\\b"])
def test_a_name_that_would_end_the_text_is_refused(name):
    with pytest.raises(InputError, match="cannot stand in the hook"):
        hook_text(Path("/x"), 600.0, 0, [name])


def test_a_heartbeat_tells_its_age_and_its_end(tmp_path):
    beat = Heartbeat(heartbeat_path("lm", tmp_path))
    assert beat.age_s() == float("inf")
    beat.beat()
    assert beat.age_s() < 60.0
    assert beat.path.stat().st_mode & 0o777 == 0o644
    beat.path.write_text(f"{time.time() - 900:.0f}\n")
    assert 899.0 <= beat.age_s() < 960.0
    beat.stop()
    assert beat.age_s() == float("inf")


HOLDS = """
import sys, time
from pathlib import Path
from loadmaster.live.session.lease import Lease, MachineLock
lease = Lease("slurm-lm", Path(sys.argv[1]))
print("has it", flush=True)
time.sleep(600)
"""


def test_only_one_holds_the_lease_and_a_dead_one_gives_it_back(tmp_path):
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen(
        [sys.executable, "-c", HOLDS, str(tmp_path)], stdout=subprocess.PIPE, text=True, env=environment
    ) as other:
        try:
            assert other.stdout.readline() == "has it\n"
            with pytest.raises(InputError, match="another loadmaster runs this cluster"):
                Lease("slurm-lm", tmp_path)
        finally:
            other.kill()
    lease = Lease("slurm-lm", tmp_path)
    lease.release()
    Lease("slurm-lm", tmp_path).release()


LOCKS = """
import time
from loadmaster.live.session.lease import MachineLock
lock = MachineLock("slurm-test-hook@head:1")
print("has it", flush=True)
time.sleep(600)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="Linux alone has names of sockets that are no files")
def test_one_process_of_the_machine_has_a_cluster_and_a_dead_one_gives_it_back():
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen([sys.executable, "-c", LOCKS], stdout=subprocess.PIPE, text=True, env=environment) as other:
        try:
            assert other.stdout.readline() == "has it\n"
            with pytest.raises(InputError, match=f"another loadmaster runs this cluster .process {other.pid} of user"):
                MachineLock("slurm-test-hook@head:1")
            MachineLock("slurm-test-hook@other:1").release()
        finally:
            other.kill()
    for _ in range(2):
        MachineLock("slurm-test-hook@head:1").release()


def test_unit_files_start_the_service_and_its_watchdog():
    units = unit_files("/usr/bin/loadmaster", "--state /var/lib/lm", "--policy mix-fit", Path("/srv"), 600.0, "slurm")
    command = "ExecStart=/usr/bin/loadmaster live slurm --state /var/lib/lm"
    assert f"{command} --policy mix-fit\n" in units["loadmaster.service"]
    assert f"{command} --watchdog --fail-open 600s\n" in units["loadmaster-watchdog.service"]
    with pytest.raises(InputError, match="one line"):
        unit_files("/x", "--state /x", "a\nExecStartPost=evil", Path("/"), 600.0, "slurm")


def test_who_starts_the_service_may_say_how_it_runs():
    words = ("--policy mine.py:rule", Path("/home/me/50%"), 600.0, "slurm")
    units = unit_files("/usr/bin/loadmaster", "--state /s", *words)
    assert "WorkingDirectory=/home/me/50%%\n" in units["loadmaster.service"]
    assert "SuccessExitStatus=130\n" in units["loadmaster.service"]


def test_units_run_as_the_user_that_printed_them_and_call_its_command_when_they_fail():
    words = ("/usr/bin/loadmaster", "--state /s", "--on-alert '/bin/page $HOME 5%'", Path("/srv"), 600.0, "slurm")
    plain, units = unit_files(*words), unit_files(*words, "/bin/page $HOME 5%")
    for name in ("loadmaster.service", "loadmaster-watchdog.service"):
        assert "User=slurm\n" in units[name]
        head, _ = units[name].split("[Service]")
        assert "OnFailure=loadmaster-failed@%N.service\n" in head
        assert "StartLimitBurst=" in head
        assert "OnFailure=" not in plain[name]
    assert "--on-alert '/bin/page $$HOME 5%%'\n" in units["loadmaster.service"]
    assert "ExecStart=/bin/page $$HOME 5%%\n" in units["loadmaster-failed@.service"]
    assert plain.keys() == units.keys() - {"loadmaster-failed@.service"}


def test_others_may_look_into_a_folder_that_was_named_for_the_heartbeat(tmp_path):
    """Slurm's controller is another user."""
    Lease("slurm-lm", tmp_path / "state").release()
    assert (tmp_path / "state").stat().st_mode & 0o777 == 0o755


def test_the_users_own_state_stays_private(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    Lease("slurm-lm").release()
    assert (tmp_path / "loadmaster").stat().st_mode & 0o777 == 0o700
