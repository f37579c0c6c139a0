"""What a process may use, as the files of Linux tell it."""

import os
import subprocess
import sys

import pytest

from loadmaster.system.process import UNKNOWN_BYTES, free_memory_bytes, identity_of, is_alive, usable_cores

GIB = 1 << 30


@pytest.fixture
def system(tmp_path):
    """Writes files of a made-up machine, and requests its free memory."""

    def ask(files):
        for name, text in files.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return free_memory_bytes(tmp_path)

    return ask


MACHINE = {"proc/meminfo": f"MemTotal: 99 kB\nMemAvailable:   {8 * GIB // 1024} kB\n"}
V2 = {
    "proc/self/cgroup": "0::/user.slice/job\n",
    "proc/self/mountinfo": "30 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw,nsdelegate\n",
}
JOB = "sys/fs/cgroup/user.slice/job/"
AROUND = "sys/fs/cgroup/user.slice/"
V1 = {
    "proc/self/cgroup": "4:memory:/slurm/job\n3:cpuset:/\n0::/\n",
    "proc/self/mountinfo": "35 31 0:32 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory\n"
    "36 31 0:33 / /sys/fs/cgroup/cpuset rw - cgroup cgroup rw,cpuset\n",
}


def group(folder, limit, used=0, inactive=0):
    return {
        f"{folder}memory.max": f"{limit}\n",
        f"{folder}memory.current": f"{used}\n",
        f"{folder}memory.stat": f"anon 5\ninactive_file {inactive}\n",
    }


def test_a_machine_without_limits_gives_what_it_has_free(system):
    assert system(MACHINE) == 8 * GIB
    assert system(V2 | group(JOB, "max")) == 8 * GIB


def test_the_limit_of_the_own_group_counts_less_what_it_holds_and_cannot_give_back(system):
    assert system(MACHINE | V2 | group(JOB, 3 * GIB, used=2 * GIB, inactive=GIB // 2)) == 3 * GIB // 2


def test_the_smallest_limit_of_all_groups_around_counts(system):
    assert system(MACHINE | V2 | group(JOB, 4 * GIB) | group(AROUND, 2 * GIB, used=GIB)) == GIB
    assert system(group(JOB, GIB // 2)) == GIB // 2


def test_version_1_counts_as_well(system):
    folder = "sys/fs/cgroup/memory/slurm/"
    files = {
        f"{folder}job/memory.limit_in_bytes": f"{1 << 63}\n",
        f"{folder}job/memory.usage_in_bytes": "5\n",
        f"{folder}memory.limit_in_bytes": f"{2 * GIB}\n",
        f"{folder}memory.usage_in_bytes": f"{GIB}\n",
        f"{folder}memory.stat": f"inactive_file 7\ntotal_inactive_file {GIB // 4}\n",
    }
    assert system(MACHINE | V1 | files) == GIB + GIB // 4


def test_a_group_that_is_mounted_as_the_top_is_found(system):
    inside = {
        "proc/self/cgroup": "0::/docker/4711\n",
        "proc/self/mountinfo": "30 23 0:26 /docker/4711 /sys/fs/cgroup ro - cgroup2 cgroup rw\n",
    }
    assert system(MACHINE | inside | group("sys/fs/cgroup/", GIB)) == GIB


def test_a_group_over_its_limit_leaves_nothing(system):
    assert system(MACHINE | V2 | group(JOB, GIB, used=2 * GIB)) == 0


def test_a_system_that_tells_nothing_is_taken_at_a_terabyte(system):
    assert system({}) == UNKNOWN_BYTES


def test_this_process_has_cores_and_memory():
    assert usable_cores() >= 1
    assert free_memory_bytes() > 0


def test_a_process_has_a_name_that_no_later_one_has(tmp_path):
    ours = identity_of(os.getpid())
    assert ours.startswith(f"{os.getpid()}.")
    assert is_alive(ours)
    assert not is_alive(f"{os.getpid()}.1")
    assert not any(is_alive(name) for name in ("", "x", "0", "-1", "99999999999999999999.1"))


def test_a_process_that_has_ended_is_gone_even_before_anybody_asked_for_its_exit_code():
    ended = subprocess.Popen([sys.executable, "-c", ""], stdout=subprocess.PIPE)
    assert ended.stdout.read() == b""  # it has closed it
    os.waitid(os.P_PID, ended.pid, os.WEXITED | os.WNOWAIT)
    assert identity_of(ended.pid) == ""
    ended.wait()
    ended.stdout.close()


def test_where_the_system_has_no_proc_a_process_is_named_by_its_number(tmp_path):
    assert identity_of(os.getpid(), tmp_path) == str(os.getpid())
    assert identity_of((1 << 22) + 1, tmp_path) == ""
