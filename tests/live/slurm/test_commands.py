"""What a Slurm that is not well says, and that it is waited for, whatever its words."""

import pytest

from loadmaster.live.session.engine import EngineDown
from loadmaster.live.slurm.commands import Commands
from loadmaster.live.slurm.engine import SlurmEngine
from loadmaster.model.errors import InputError

CONFIG = """\
ClusterName             = lm
SLURM_CONF              = {conf}
BOOT_TIME               = 1795406000
"""
CONF = """\
ClusterName=lm
SlurmctldHost=localhost
NodeName=n1 CPUs=4 RealMemory=8000
PartitionName=main Nodes=ALL Default=YES State=UP
"""
NODES = "NodeName=n1 CPUAlloc=0 CPUTot=4 RealMemory=8000 State=IDLE ThreadsPerCore=1\n"


@pytest.fixture
def says(tmp_path, monkeypatch):
    """Let a command of Slurm print a text, or fail with a line on stderr."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")

    def say(program, text="", error=""):
        (folder / f"{program}.txt").write_text(text)
        ending = f"echo '{error}' >&2; exit 1" if error else "exit 0"
        script = folder / program
        script.write_text(f"#!/bin/sh\ncat {folder / program}.txt\n{ending}\n")
        script.chmod(0o755)

    return say


@pytest.fixture
def engine(says, tmp_path):
    conf = tmp_path / "slurm.conf"
    conf.write_text(CONF)
    says("scontrol", CONFIG.format(conf=conf) + NODES)
    says("squeue")
    return SlurmEngine(conf, looks_on=True)


@pytest.mark.parametrize(
    "line",
    [
        "slurm_load_jobs error: Unable to contact slurm controller (connect failure)",
        "slurm_load_jobs error: Connection reset by peer",
        "slurm_load_jobs error: Connection timed out",
        "slurm_load_jobs error: Broken pipe",
        "slurm_load_jobs error: Protocol authentication error",
    ],
)
def test_a_controller_that_breaks_off_is_down_and_has_not_refused(says, line):
    says("squeue", error=line)
    with pytest.raises(EngineDown, match="squeue"):
        Commands().read("squeue")


def test_what_slurm_refuses_from_the_first_is_said_and_not_waited_for(says, engine):
    says("squeue", error="slurm_load_jobs error: Access denied")
    with pytest.raises(InputError, match="Access denied"):
        engine.observe()


def test_a_slurm_that_answered_before_is_waited_for_whatever_it_says(says, engine):
    assert engine.observe().cluster.names == ("n1",)
    says("squeue", error="slurm_load_jobs error: Some error of tomorrow")
    with pytest.raises(EngineDown, match="Some error of tomorrow"):
        engine.observe()


def test_a_slurm_whose_hosts_are_gone_from_one_listing_to_the_next_is_waited_for(says, engine):
    engine.observe()
    says("scontrol")
    with pytest.raises(EngineDown, match="no host"):
        engine.observe()


def test_a_slurm_that_was_reconfigured_is_said_in_the_notes_of_the_observation(says, engine, tmp_path):
    shown = CONFIG.format(conf=tmp_path / "slurm.conf") + "PriorityWeightAge       = {age}\n" + NODES
    says("scontrol", shown.format(age=1))
    assert engine.observe().notes == ()
    says("scontrol", shown.format(age=2).replace("1795406000", "1795409999"))
    restarted, note = engine.observe().notes
    assert "was restarted" in restarted
    assert note.startswith("Slurm was reconfigured (PriorityWeightAge from 1 to 2):")
