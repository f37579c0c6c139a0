"""Which hosts of a site sleep, and how long they need to start (rule C17)."""

import pytest

from loadmaster.model import HostStartUp, InputError
from loadmaster.site.rules import cluster_of
from loadmaster.site.site import read_site

HOSTS = (
    "NodeName=n[1-2] CPUs=8\nNodeName=c[1-2] CPUs=8 State=CLOUD\nPartitionName=a Nodes=ALL\nPartitionName=b Nodes=n2\n"
)


def site(tmp_path, *lines):
    path = tmp_path / "slurm.conf"
    path.write_text(HOSTS + "SelectType=select/cons_tres\n" + "".join(f"{line}\n" for line in lines))
    return read_site(path)


@pytest.mark.parametrize(
    ("lines", "start_up"),
    [
        ((), HostStartUp((2, 3), 60.0)),
        (("ResumeTimeout=300", "SuspendTime=600"), HostStartUp((2, 3), 300.0, 600.0)),
        (("SuspendProgram=/off", "SuspendTime=600"), HostStartUp((0, 1, 2, 3), 60.0, 600.0)),
        (("SuspendProgram=/off", "SuspendTime=INFINITE"), HostStartUp((2, 3), 60.0)),
        (("SuspendProgram=/off", "SuspendTime=9", "SuspendExcNodes=n1,c[1-2]"), HostStartUp((1,), 60.0, 9.0)),
        (("SuspendProgram=/off", "SuspendTime=9", "SuspendExcParts=b"), HostStartUp((0, 2, 3), 60.0, 9.0)),
        (("SuspendProgram=/off", "SuspendTime=9", "SuspendExcNodes=n[1-2]:1"), HostStartUp((0, 1, 2, 3), 60.0, 9.0)),
    ],
)
def test_hosts_of_a_cloud_sleep_and_all_others_where_power_saving_is_on(tmp_path, lines, start_up):
    assert cluster_of(site(tmp_path, *lines)).cluster.rules.start_up == (start_up,)


def test_no_host_sleeps_without_them(tmp_path):
    path = tmp_path / "slurm.conf"
    path.write_text(HOSTS.replace(" State=CLOUD", "") + "SuspendTime=600\nResumeTimeout=90\n")
    read = read_site(path)
    assert cluster_of(read).cluster.rules.start_up == ()
    assert "ResumeTimeout" in read.not_modelled


def test_a_number_of_hosts_that_stay_awake_is_said_not_to_be_modelled(tmp_path):
    read = site(tmp_path, "SuspendProgram=/off", "SuspendTime=9", "SuspendExcNodes=n[1-2]:1", "SuspendTimeout=30")
    assert {"SuspendExcNodes", "SuspendTimeout"} <= {*read.not_modelled}
    assert "SuspendTime" not in read.not_modelled


def test_a_note_says_what_the_model_assumes(tmp_path):
    (note,) = [note for note in cluster_of(site(tmp_path, "SuspendTime=600")).facts if "sleep" in note]
    assert note.startswith("2 hosts sleep before the first job there, and after 600 s without a job (SuspendTime). ")
    assert "waits 60 s for such a host to start" in note


def test_a_time_that_is_none_is_refused(tmp_path):
    with pytest.raises(InputError, match="SuspendTime=soon"):
        site(tmp_path, "SuspendTime=soon")
