"""Hosts of a site."""

import pytest
from sites import site_of

from loadmaster.model import InputError
from loadmaster.site.scontrol_nodes import parse_shown_nodes

END = "\nPartitionName=p Nodes=ALL\n"


def test_processors_are_counted_or_multiplied(tmp_path):
    nodes = site_of(
        tmp_path,
        "NodeName=a CPUs=6\nNodeName=b Sockets=2 CoresPerSocket=8 ThreadsPerCore=2\n"
        "NodeName=c Boards=2 SocketsPerBoard=2\n"
        "NodeName=d Procs=3 Sockets=9\nNodeName=e" + END,
    ).nodes
    assert [node.cpus for node in nodes] == [6, 32, 4, 3, 1]
    assert nodes[1].threads == 2


def test_gpus_of_all_models_are_counted_and_letters_multiply(tmp_path):
    nodes = site_of(
        tmp_path,
        "NodeName=a Gres=gpu:a100:4,gpu:K80:2,bw:lustre:no_consume:4G\n"
        "NodeName=b Gres=gpu:3\nNodeName=c Gres=gpu" + END,
    ).nodes
    assert nodes[0].gres == (("gpu", "a100", 4), ("gpu", "k80", 2), ("bw", "lustre", 4 << 30))
    assert [node.gpus for node in nodes] == [6, 3, 1]


def test_parts_of_gpus_and_the_sockets_where_they_sit_are_read(tmp_path):
    nodes = site_of(
        tmp_path, "NodeName=a Gres=gpu:1g.10gb:7(S:0-1),gpu:3g.40gb:2\nNodeName=b Gres=gpu:a100:4(S:0,2)" + END
    ).nodes
    assert [node.gpus for node in nodes] == [9, 4]
    assert nodes[0].gres == (("gpu", "1g.10gb", 7), ("gpu", "3g.40gb", 2))


@pytest.mark.parametrize(
    ("gres", "gpus"),
    [("gpu:1g.10gb:7(S:0-1)", 7), ("gpu:a100:4(S:0,2),nic:1", 4), ("gpu:h100:2(S:0),gpu:h100:2(S:1)", 4)],
)
def test_shown_hosts_have_them_in_the_same_spelling(gres, gpus):
    assert parse_shown_nodes(f"NodeName=n1 CPUTot=8 Gres={gres} State=IDLE")[0].gpus == gpus


@pytest.mark.parametrize("gres", ["gpu:a:b:c", "gpu:", "gpu:9999999P"])
def test_what_is_no_generic_resource_is_refused_with_its_line(tmp_path, gres):
    with pytest.raises(InputError, match=r"slurm\.conf:1: "):
        site_of(tmp_path, f"NodeName=a Gres={gres}" + END)


def test_hosts_that_are_down_by_their_line_or_another_are_not_there(tmp_path):
    site = site_of(
        tmp_path,
        "NodeName=a[1-4]\nNodeName=b State=FUTURE\n"
        "NodeName=c State=CLOUD\nDownNodes=a[2-3] State=DRAIN Reason=fan" + END,
    )
    assert [node.name for node in site.nodes if not node.there] == ["a2", "a3", "b"]


def test_sets_of_hosts_are_named_or_told_by_a_feature(tmp_path):
    site = site_of(
        tmp_path,
        "NodeSet=fast Nodes=n4 Feature=new\nNodeName=n[1-2] Feature=new,big\nNodeName=n[3-4] Features=old\n"
        "PartitionName=p Nodes=fast\nPartitionName=q Nodes=n3,fast\nPartitionName=r Nodes=\n",
    )
    assert [part.nodes for part in site.partitions] == [("n1", "n2", "n4"), ("n1", "n2", "n3", "n4"), ()]
    assert site.nodes[0].features == ("new", "big")


def test_hosts_are_named_by_a_set_of_all_or_by_a_function_of_a_feature(tmp_path):
    text = "NodeName=a[1-2] CPUs=1 Feature=big\nNodeName=b CPUs=1\nNodeSet=every Nodes=ALL\n"
    text += "PartitionName=p Nodes=every\nPartitionName=q Nodes=feature{big}\nPartitionName=r Nodes=feature{none},b\n"
    assert [part.nodes for part in site_of(tmp_path, text).partitions] == [("a1", "a2", "b"), ("a1", "a2"), ("b",)]


def test_cores_for_the_system_are_none_for_jobs(tmp_path):
    text = (
        "NodeName=a Sockets=2 CoresPerSocket=8 ThreadsPerCore=2 CoreSpecCount=2\n"
        "NodeName=b CPUs=16 Sockets=2 CoresPerSocket=8 ThreadsPerCore=2 CoreSpecCount=2\n"
        "NodeName=c CPUs=8 CoreSpecCount=1\n"
    )
    assert [node.cpus for node in site_of(tmp_path, text + END).nodes] == [28, 14, 7]
    with pytest.raises(InputError, match="CoreSpecCount"):
        site_of(tmp_path, "NodeName=a CPUs=4 CoreSpecCount=4" + END)
