"""GPUs that a `gres.conf` beside `slurm.conf` names."""

import pytest
from sites import site_of

from loadmaster.model import InputError
from loadmaster.site.rules import cluster_of

HOSTS = "NodeName=a[1-2] CPUs=8 Gres=gpu:4\nNodeName=v CPUs=8 Gres=gpu:v100:2\nNodeName=c CPUs=8\n"
CONF = HOSTS + "PartitionName=main Nodes=ALL\nGresTypes=gpu\nSelectType=select/cons_tres\n"


def beside(folder, gres, conf=CONF):
    (folder / "gres.conf").write_text(gres)
    return site_of(folder, conf)


def models(site):
    return {node.name: {each.model: each.number for each in node.gres} for node in site.nodes}


def test_models_come_from_the_lines_of_a_host(tmp_path):
    site = beside(
        tmp_path,
        "NodeName=a1 Name=gpu Type=a100 File=/dev/nvidia[0-2]\nNodeName=a1 Name=gpu Type=T4 File=/dev/nvidia3\n"
        "NodeName=a2 Name=gpu Type=a100 Count=4\nNodeName=a2 Name=mps Count=400\nNodeName=other Name=gpu Count=1\n",
    )
    assert models(site) == {"a1": {"a100": 3, "t4": 1}, "a2": {"a100": 4}, "v": {"v100": 2}, "c": {}}
    made = cluster_of(site)
    assert made.cluster.rules.features == (("gpu:a100:3", "gpu:t4:1"), ("gpu:a100",), ("gpu:v100",), ())
    assert not any("models of GPUs" in text for text in made.unmodelled)
    assert not site.notes


def test_a_line_without_a_host_holds_for_all_hosts(tmp_path):
    site = beside(tmp_path, "Name=gpu Type=a100 File=/dev/nvidia[0-3]\n")
    assert models(site) == {"a1": {"a100": 4}, "a2": {"a100": 4}, "v": {"v100": 2}, "c": {}}


def test_each_line_of_a_part_of_a_gpu_is_one(tmp_path):
    conf = "NodeName=m CPUs=8 Gres=gpu:3\nPartitionName=p Nodes=m\n"
    lines = "".join(
        f"NodeName=m Name=gpu Type={part} MultipleFiles=/dev/nvidia0,/dev/nvidia-caps/nvidia-cap{cap}\n"
        for part, cap in (("1g.10gb", 66), ("1g.10gb", 75), ("3g.40gb", 21))
    )
    assert models(beside(tmp_path, lines, conf)) == {"m": {"1g.10gb": 2, "3g.40gb": 1}}


def test_more_gpus_than_slurm_conf_has_name_no_model(tmp_path):
    site = beside(tmp_path, "NodeName=a1 Name=gpu Type=a100 Count=8\n")
    assert models(site)["a1"] == {"": 4}
    assert cluster_of(site).cluster.rules.features[0] == ("gpu:unknown",)
    assert not site.notes


def test_fewer_gpus_than_slurm_conf_has_are_noted(tmp_path):
    lines = "NodeName=a[1-2] Name=gpu Type=a100 Count=3\nNodeName=v Name=gpu Type=v100 File=/dev/nvidia0\n"
    site = beside(tmp_path, lines)
    assert [node.gpus for node in site.nodes] == [4, 4, 2, 0]
    (note,) = site.notes
    assert note.startswith("3 hosts have fewer GPUs in gres.conf")


def test_gpus_that_slurm_conf_does_not_have_are_noted(tmp_path):
    site = beside(tmp_path, "NodeName=c Name=gpu Type=a100 Count=4\n")
    assert site.nodes[-1].gpus == 0
    assert site.notes[0].startswith("1 host has GPUs in gres.conf but none in slurm.conf (such as c)")


def test_models_that_only_the_machine_knows_are_not_modelled(tmp_path):
    site = beside(tmp_path, "AutoDetect=nvml\nNodeName=a2 AutoDetect=off Name=gpu Type=a100 Count=4\n")
    text = "models of GPUs by AutoDetect=nvml of gres.conf"
    assert text in site.not_modelled
    assert site.scopes[text].kind == "gpus"
    assert models(site)["a1"] == {"": 4}
    assert not site.notes


def test_detection_that_is_off_where_it_matters_is_not_named(tmp_path):
    assert not beside(tmp_path, "AutoDetect=nvml\nNodeName=a[1-2] AutoDetect=off\n").not_modelled


def test_the_cores_of_a_gpu_are_not_modelled(tmp_path):
    site = beside(tmp_path, "NodeName=v Name=gpu Type=v100 File=/dev/nvidia[0-1] COREs=0-3\n")
    assert site.scopes["Cores and Links of gres.conf"].kind == "gpus"


@pytest.mark.parametrize("gres", ["Type=a100 Count=4\n", "Name=gpu Count=many\n", "Name=gpu Type=a,b\n", "gpu a100\n"])
def test_a_line_that_is_none_is_refused_with_its_place(tmp_path, gres):
    with pytest.raises(InputError, match=r"gres\.conf:1"):
        beside(tmp_path, gres)


def test_an_empty_file_says_nothing(tmp_path):
    assert models(beside(tmp_path, ""))["a1"] == {"": 4}
