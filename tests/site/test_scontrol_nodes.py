"""The same hosts in what each release of Slurm prints, from 20.11 to 25.11."""

from dataclasses import replace
from pathlib import Path

import pytest

from loadmaster.model import InputError
from loadmaster.model.gres import Gres
from loadmaster.site.machines import read_machines
from loadmaster.site.node import SiteNode
from loadmaster.site.scontrol_nodes import parse_shown_nodes
from loadmaster.site.scontrol_reservations import read_reservations

FOLDER = Path(__file__).parent / "releases"
HOSTS = (
    SiteNode("n1", 16, 64000, features=("intel",)),
    SiteNode("g1", 30, 127000, (Gres("gpu", "a100", 4),), ("intel", "big"), weight=5, threads=2),
    SiteNode("d1", 16, 64000, there=False),
    SiteNode("m1", 16, 64000, there=False),
    SiteNode("c1", 8, 32000, features=("cloud",), awake=False),
)
NO_SPECIAL_CORES = ("scontrol-node-20.11.txt", "scontrol-node-21.08.txt")
NOTHING_SPECIAL = ("sinfo-21.08.json", "sinfo-22.05.json")
"""Forms that do not say what is kept for the system."""


@pytest.mark.parametrize("name", sorted(path.name for path in (*FOLDER.glob("*-node-*"), *FOLDER.glob("sinfo-*"))))
def test_hosts_are_the_same_in_each_release(name):
    big = HOSTS[1]
    if name in (*NO_SPECIAL_CORES, *NOTHING_SPECIAL):
        big = replace(big, cpus=32, memory_mib=128000 if name in NOTHING_SPECIAL else big.memory_mib)
    assert parse_shown_nodes((FOLDER / name).read_text()) == (HOSTS[0], big, *HOSTS[2:])


@pytest.mark.parametrize("name", sorted(path.name for path in FOLDER.glob("*-reservation-*")))
def test_reservations_are_the_same_in_each_release(name):
    assert [(each.name, each.hosts, each.accounts, each.flags[0]) for each in read_reservations(FOLDER / name)] == [
        ("upkeep", ("n1", "n2"), (), "MAINT"),
        ("course", ("g1",), ("chem", "phys"), "FLEX"),
    ]


def test_a_file_of_json_describes_machines():
    cluster = read_machines(FOLDER / "scontrol-node-25.11.json")
    assert (cluster.names, cluster.resources) == (("n1", "c1", "g1"), ("cores", "memory", "gpus"))


@pytest.mark.parametrize("text", ['{"nodes": 5}', '{"nodes": [5]}', '{"jobs": []}', "{", '{"nodes": [{"name": "a"}]}'])
def test_json_without_hosts_is_refused(text):
    with pytest.raises(InputError):
        parse_shown_nodes(text)


def test_groups_of_hosts_are_refused(tmp_path):
    (tmp_path / "sinfo.json").write_text('{\n "sinfo": [{"node": {"state": ["IDLE"]}, "cpus": {"total": 8}}]\n}')
    with pytest.raises(InputError, match="scontrol show node --json"):
        read_machines(tmp_path / "sinfo.json")
