"""The network that files beside `slurm.conf` describe."""

import pytest
from sites import SMALL, site_of

from loadmaster.model import InputError

TREE = "SwitchName=s1 Nodes=n[1-2]\nSwitchName=s2 Nodes=n[3-4] LinkSpeed=100\nSwitchName=top Switches=s[1-2]\n"
YAML = """
- topology: main
  cluster_default: true
  tree:
    switches:
      - {switch: root, children: "s[1-2]"}
      - {switch: s1, nodes: "n[1-2]"}
      - {switch: s2, nodes: "n[3-4]"}
- topology: gpus
  block: {block_sizes: [2], blocks: [{block: b1, nodes: "n[1-4]"}]}
- topology: rest
  flat: true
"""


@pytest.mark.parametrize(
    ("plugin", "text", "words"),
    [
        ("tree", TREE, "topology.conf: 3 switches on 2 levels"),
        ("topology/tree", "SwitchName=s[1-2] Nodes=n[1-4]\n", "topology.conf: 2 switches"),
        (
            "topology/block",
            "BlockName=b1 Nodes=n[1-2]\nBlockName=b2 Nodes=n[3-4]\nBlockSizes=2,4\n",
            "topology.conf: 2 blocks",
        ),
        ("topology/ring", "RingName=r Nodes=n[1-4]\n", "topology.conf: 1 rings"),
    ],
)
def test_the_network_is_named_and_concerns_jobs_on_several_hosts(tmp_path, plugin, text, words):
    (tmp_path / "topology.conf").write_text(text)
    site = site_of(tmp_path, SMALL + f"TopologyPlugin={plugin}\n")
    assert [words] == list(site.not_modelled)
    assert site.scopes[words].kind == "several hosts"


def test_yaml_counts_before_the_plugin(tmp_path):
    (tmp_path / "topology.yaml").write_text(YAML)
    (tmp_path / "topology.conf").write_text(TREE)
    assert site_of(tmp_path, SMALL + "TopologyPlugin=topology/flat\n").not_modelled == (
        "topology.yaml: main of 3 switches on 2 levels",
        "topology.yaml: gpus of 1 blocks",
    )


def test_without_its_file_the_plugin_is_named(tmp_path):
    assert site_of(tmp_path, SMALL + "TopologyPlugin=topology/tree\n").not_modelled == ("TopologyPlugin",)


@pytest.mark.parametrize("plugin", ["", "TopologyPlugin=topology/flat\n", "TopologyPlugin=topology/none\n"])
def test_a_network_that_slurm_does_not_use_is_not_named(tmp_path, plugin):
    (tmp_path / "topology.conf").write_text(TREE)
    assert not site_of(tmp_path, SMALL + plugin).not_modelled


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("topology.conf", "Switch=s1 Nodes=n1\n"),
        ("topology.conf", "SwitchName=s[1- Nodes=n1\n"),
        ("topology.conf", "SwitchName=a Switches=b\nSwitchName=b Switches=a\n"),
        ("topology.yaml", "tree: yes\n"),
        ("topology.yaml", "- topology: a\n  tree: 5\n"),
        ("topology.yaml", "- topology: a\n  tree: {switches: [s1]}\n"),
        ("topology.yaml", "- topology: &a x\n- topology: *a\n"),
    ],
)
def test_a_file_that_is_none_is_refused(tmp_path, name, text):
    (tmp_path / name).write_text(text)
    with pytest.raises(InputError):
        site_of(tmp_path, SMALL + "TopologyPlugin=topology/tree\n")
