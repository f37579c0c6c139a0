"""The same partitions in what each release of Slurm prints, from 20.11 to 25.11, beside the hosts."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from loadmaster.cli.app import app
from loadmaster.model import InputError
from loadmaster.model.site_rules import Partition
from loadmaster.site.machines import read_machines
from traces.logs import write

FOLDER = Path(__file__).parent / "releases"
NODES = (FOLDER / "scontrol-node-25.11.txt").read_text()
SHOWN = (FOLDER / "scontrol-partition-25.11.txt").read_text()


def read(tmp_path, *texts):
    return read_machines(write(tmp_path, "shown.txt", "\n".join(texts)))


@pytest.mark.parametrize("name", sorted(path.name for path in FOLDER.glob("scontrol-partition-*")))
@pytest.mark.parametrize("hosts_first", [True, False])
def test_partitions_are_the_same_in_each_release(tmp_path, name, hosts_first):
    texts = [NODES, (FOLDER / name).read_text()]
    cluster = read(tmp_path, *(texts if hosts_first else reversed(texts)))
    main, gpu = cluster.rules.partitions
    assert cluster.names == ("n1", "c1", "g1"), "hosts that are down are left out, also of partitions"
    assert cluster.rules.default_partition == "main"
    assert (main.name, main.hosts, main.max_time_s, main.state, main.exclusive) == (
        "main",
        (0, 1),
        172800,
        "up",
        "none",
    )
    limits = {"deny_accounts": ("guest",), "allow_qos": ("high", "normal"), "max_hosts": 2, "exclusive": "host"}
    assert gpu == Partition("gpu", (2,), 5, 10, None, state="drain", billing=gpu.billing, **limits)


@pytest.mark.parametrize(
    ("word", "other"),
    [
        ("QoS=N/A", "QoS=short"), ("AllowGroups=ALL", "AllowGroups=staff"), ("PreemptMode=OFF", "PreemptMode=REQUEUE"),
        ("JobDefaults=(null)", "JobDefaults=DefCpuPerGPU=2"), ("MaxMemPerNode=UNLIMITED", "MaxMemPerNode=9"),
        ("OverSubscribe=NO", "OverSubscribe=FORCE:4"), ("MaxCPUsPerNode=UNLIMITED", "MaxCPUsPerNode=4"),
    ],
)  # fmt: skip
def test_what_is_not_modelled_is_refused_by_name(tmp_path, word, other):
    with pytest.raises(InputError, match="not modelled in a list of hosts") as refused:
        read(tmp_path, NODES, SHOWN.replace(word, other, 1))
    assert other.partition("=")[0] in refused.value.value
    assert "--site slurm.conf" in refused.value.fix


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        (SHOWN, "partitions without their hosts"),
        (NODES + SHOWN.replace("Nodes=g1", "Nodes=g7"), "no line NodeName= has this host"),
        (NODES + SHOWN + SHOWN, "there already"),
        (NODES + SHOWN.replace("PriorityTier=5", "PriorityTier=high"), "a whole number"),
        (NODES + SHOWN.replace("State=DRAIN", "State=ODD"), "no such value"),
    ],
)
def test_what_is_missing_or_wrong_is_told_in_one_line(tmp_path, text, rule):
    with pytest.raises(InputError, match=rule):
        read(tmp_path, text)


def test_jobs_start_in_the_partitions_of_such_a_list_alone(tmp_path):
    hosts = str(write(tmp_path, "shown.txt", NODES + "\n" + SHOWN.replace("State=DRAIN", "State=UP")))
    log = "submit_s,runtime_s,cores,partition\n0,10,1,main\n0,10,20,gpu\n0,10,20,main\n"
    done = CliRunner().invoke(
        app, ["compare", str(write(tmp_path, "log.csv", log)), "--hosts", hosts, "--policies", "first-fit", "--json"]
    )
    assert done.exit_code == 0, done.output
    (row,) = json.loads(done.stdout)["rows"]
    assert row["never_run"] == {"no host has what it requests": 1}, "20 cores are on g1 alone, which is not in main"
    note = "The log has no limits of time: 2 jobs get the longest time that their partition allows."
    assert note in json.loads(done.stdout)["notes"]
