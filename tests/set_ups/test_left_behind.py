"""What the tests start as real is gone at the end, also where they are told to end."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import real_libvirt
import real_slurm
from left_behind import end_sessions_of
from patience import until

AT_WORK = """\
import sys
sys.path[:0] = {path!r}
import {module} as real
with {start}:
    {work}
    print({folder}, flush=True)
    sys.stdin.read()
"""


def runs_at_start(module, start, work, folder):
    """A process with a real engine in it, and the folder of that."""
    text = AT_WORK.format(path=sys.path, module=module, start=start, work=work, folder=folder)
    process = subprocess.Popen(
        [sys.executable, "-c", text],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    return process, process.stdout.readline().strip()


def those_in(folder):
    """What the processes are called that name a folder, work in it, or have a file in it open."""
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        try:
            links = [place / "cwd", *(place / "fd").iterdir()]
            named = folder.encode() in (place / "cmdline").read_bytes()
            if named or any(os.readlink(link).startswith(folder) for link in links):
                found.append((place / "comm").read_text().strip())
        except OSError:
            continue
    return found


@pytest.mark.skipif(bool(real_slurm.why_not()), reason=real_slurm.why_not() or "there is one")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_slurm_that_is_told_to_end_leaves_no_job_of_its_own_behind(number):
    work = 'real_.run("sbatch", "-n1", "-o", "/dev/null", "--wrap", "sleep 1000")'
    start = "real.real_slurm(['CPUs=2'], 'PartitionName=main Nodes=ALL Default=YES') as real_"
    process, folder = runs_at_start("real_slurm", start, work, "real_.folder")
    with process:
        try:
            until(lambda: "slurmstepd" in those_in(folder) and "sleep" in those_in(folder), "the job runs")
        finally:
            process.send_signal(number)
    assert those_in(folder) == []
    assert not Path(folder).exists()


@pytest.mark.skipif(bool(real_libvirt.why_not()), reason=real_libvirt.why_not() or "there are some")
def test_libvirt_hosts_that_are_told_to_end_leave_no_machine_behind():
    process, folder = runs_at_start("real_libvirt", "real.real_hosts() as (a, b)", "a.start('vm1')", "a.folder.parent")
    with process:
        try:
            until(lambda: any("qemu" in name for name in those_in(folder)), "the machine runs")
        finally:
            process.send_signal(signal.SIGTERM)
    until(lambda: those_in(folder) == [], "the machine is gone")
    assert not Path(folder).exists()


def test_the_sessions_of_a_program_in_a_folder_are_ended_and_no_others(tmp_path):
    here, there = tmp_path / "here", tmp_path / "there"
    started = []
    for folder in (here, there):
        folder.mkdir()
        words = ["sh", "-c", "sleep 1000 & wait"]
        started.append(subprocess.Popen(words, cwd=folder, start_new_session=True))
    try:
        until(lambda: "sleep" in those_in(str(here)) and "sleep" in those_in(str(there)), "both are at work")
        end_sessions_of("sh", here)
        assert started[0].wait(timeout=60.0) == -signal.SIGKILL
        until(lambda: those_in(str(here)) == [], "the child of the shell is gone")
        assert sorted(those_in(str(there))) == ["sh", "sleep"]
    finally:
        end_sessions_of("sh", there)
        started[1].wait(timeout=60.0)
