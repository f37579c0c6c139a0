"""Hosts from `slurm.conf` and from what `scontrol show node` prints."""

import numpy as np
import pytest

from loadmaster.model import InputError
from loadmaster.packing.read import read_tasks
from loadmaster.site.machines import read_machines, slurm_machines
from loadmaster.site.scontrol_nodes import parse_shown_nodes

MIB = 2**20
SHOWN = """\
NodeName=n1 Arch=x86_64 CoresPerSocket=1
   CPUAlloc=0 CPUEfctv=7 CPUTot=8 CPULoad=6.40
   AvailableFeatures=intel,big
   ActiveFeatures=intel
   Gres=gpu:a100:2(S:0-1)
   OS=Linux 6.1 #1 SMP
   RealMemory=16000 AllocMem=0 FreeMem=20910 Sockets=8 Boards=1
   State=IDLE+CLOUD+POWERED_DOWN ThreadsPerCore=1 TmpDisk=0 Weight=2 Owner=N/A
   Partitions=long,short

NodeName=n2 Arch=x86_64 CoresPerSocket=1
   CPUAlloc=0 CPUTot=4 CPULoad=N/A
   AvailableFeatures=(null)
   Gres=(null)
   RealMemory=8000 State=MIXED ThreadsPerCore=1 Weight=1

NodeName=n3 CPUTot=4 RealMemory=8000 State=IDLE+DRAIN Weight=1
NodeName=n4 CPUTot=4 RealMemory=8000 State=DOWN* Weight=1
"""
CONF = "NodeName=DEFAULT CPUs=4\nNodeName=n[1-2] RealMemory=8000 Feature=a\nNodeName=n3\nDownNodes=n2 State=DOWN\n"


def write(tmp_path, text, name="nodes.txt"):
    (tmp_path / name).write_text(text)
    return tmp_path / name


@pytest.mark.parametrize("one_line", [False, True])
def test_hosts_that_are_up_come_in_the_order_of_their_weight(tmp_path, one_line):
    text = SHOWN.replace("\n  ", "") if one_line else SHOWN
    cluster = read_machines(write(tmp_path, text))
    assert (cluster.names, cluster.resources) == (("n2", "n1"), ("cores", "memory", "gpus"))
    assert cluster.capacity.tolist() == [[4.0, 8000 * MIB, 0.0], [7.0, 16000 * MIB, 2.0]]
    assert cluster.rules.features == ((), ("intel", "gpu:a100"))
    assert cluster.rules.partitions == ()


@pytest.mark.parametrize(
    ("said", "there", "awake"),
    [("IDLE", True, True), ("MIXED+PLANNED", True, True), ("IDLE*", False, True), ("DOWN*", False, True),
     ("IDLE+DRAIN", False, True), ("IDLE+CLOUD+POWERED_DOWN", True, False), ("ALLOCATED+REBOOT_REQUESTED", True, False),
     ("RESERVED", True, True), ("IDLE+MAINT", False, True), ("DOWN Reason=bad disk State=IDLE", False, True)],
)  # fmt: skip
def test_the_state_of_a_host_is_what_slurm_says_first(said, there, awake):
    (node,) = parse_shown_nodes(f"NodeName=n1 CPUTot=4 RealMemory=8000 State={said}\nPartitionName=p State=DOWN\n")
    assert (node.there, node.awake) == (there, awake)


def test_jobs_do_not_have_what_is_kept_for_the_system():
    (node,) = parse_shown_nodes("NodeName=n1 CPUEfctv=7 CPUTot=8 RealMemory=8000 MemSpecLimit=1000 State=IDLE\n")
    assert (node.cpus, node.memory_mib) == (7, 7000)


def test_a_host_without_processors_is_not_there():
    (node,) = parse_shown_nodes("NodeName=n1 CPUTot=0 RealMemory=8000 State=IDLE\n")
    assert not node.there


def test_slurm_conf_gives_its_hosts_also_without_partitions(tmp_path):
    cluster = read_machines(write(tmp_path, CONF, "slurm.conf"))
    assert (cluster.names, cluster.rules.features) == (("n1", "n3"), (("a",), ()))
    assert cluster.capacity.tolist() == [[4.0, 8000 * MIB], [4.0, MIB]]


def test_other_files_are_not_slurms(tmp_path):
    assert slurm_machines(write(tmp_path, "cores,memory_gb\n4,8\n")) is None
    assert slurm_machines("2x4c8g") is None
    assert read_machines("2x4c8g").hosts == 2


def test_tasks_are_packed_on_such_hosts(tmp_path):
    tasks = write(tmp_path, "cores,memory_gb\n1,1\n", "tasks.csv")
    assert read_tasks(tasks, str(write(tmp_path, SHOWN))).instance.host_names == ("n2", "n1")


@pytest.mark.parametrize(
    ("old", "new", "rule"),
    [("CPUTot=4 CPULoad", "CPUTot=many CPULoad", "CPUTot"), ("NodeName=n3", "NodeName=n1", "there already"),
     ("gpu:a100:2", "gpu::", "generic resources"), ("NodeName=n3 CPUTot=4", "NodeName=n3", "NodeName and CPUTot")],
)  # fmt: skip
def test_what_breaks_a_rule_is_refused_with_its_line(tmp_path, old, new, rule):
    with pytest.raises(InputError, match=rf"nodes\.txt:\d+: .*{rule}"):
        read_machines(write(tmp_path, SHOWN.replace(old, new)))


def test_a_file_without_hosts_that_are_up_is_refused(tmp_path):
    with pytest.raises(InputError, match="all hosts are down"):
        read_machines(write(tmp_path, "NodeName=n3 CPUTot=4 State=DOWN\n"))


def test_random_bytes_are_read_or_refused_in_one_line(tmp_path):
    draw = np.random.default_rng(3)
    messages = []
    for _ in range(150):
        text = bytearray(SHOWN.encode())
        for at in draw.integers(0, len(text), draw.integers(1, 30)):
            text[at] = draw.integers(1, 256)
        path = tmp_path / "broken.txt"
        path.write_bytes(bytes(text))
        messages.append(refusal(path))
    assert not any("\n" in message or len(message) > 400 for message in messages)


def refusal(path):
    try:
        read_machines(path)
    except InputError as error:
        return str(error)
    return ""
