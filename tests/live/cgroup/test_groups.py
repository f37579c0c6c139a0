"""Control groups of this machine, and the same code on a tree of files that looks like the other version's."""

import subprocess
import sys
import time
from pathlib import Path

import pytest

from loadmaster.live.cgroup import groups
from loadmaster.live.cgroup.groups import make_group, why_not
from loadmaster.model import InputError

real = pytest.mark.skipif(bool(why_not()), reason=why_not() or "they can be made")
SPIN = [sys.executable, "-c", "while True: pass"]


@real
@pytest.mark.parametrize("cores", [0.1, 0.4])
def test_a_process_has_as_much_cpu_as_its_cap(cores):
    group = make_group(f"loadmaster-test-{cores}")
    try:
        group.favour()
        group.cap(cores)
        with subprocess.Popen(SPIN) as process:
            group.add(process.pid)
            before, begun = group.used_s(), time.monotonic()
            while time.monotonic() - begun < 2.0:
                time.sleep(0.05)
            had = (group.used_s() - before) / (time.monotonic() - begun)
            process.kill()
        assert had <= cores + 0.02
        assert had > 0.0
    finally:
        group.remove()


@real
def test_a_group_takes_its_processes_with_it():
    group = make_group("loadmaster-test-gone")
    with subprocess.Popen(SPIN) as process:
        group.add(process.pid)
        assert group.processes() == [process.pid]
        group.remove()
        assert process.wait(timeout=10.0) == -9
    assert not group.path.exists()


@real
def test_a_second_group_of_one_name_is_refused():
    group = make_group("loadmaster-test-twice")
    try:
        with pytest.raises(InputError, match="there already"):
            make_group("loadmaster-test-twice")
    finally:
        group.remove()


@pytest.mark.parametrize("name", ["", "a/b", "..", ".x"])
def test_a_name_that_is_none_is_refused(name):
    with pytest.raises(InputError, match="no name for a control group"):
        make_group(name)


@pytest.fixture
def mounted(tmp_path, monkeypatch):
    def say(kind, words):
        table = tmp_path / "mounts"
        table.write_text(f"x {tmp_path} {kind} {words} 0 0\n")
        monkeypatch.setattr(groups, "MOUNTS", table)

    return say


def test_version_2_writes_quota_and_period(mounted, tmp_path):
    mounted("cgroup2", "rw")
    (tmp_path / "cgroup.controllers").write_text("cpu memory\n")
    (tmp_path / "cgroup.subtree_control").write_text("cpu\n")
    lines = Path("/proc/self/cgroup").read_text().splitlines()
    own = next(line for line in lines if line.startswith("0::"))[3:].lstrip("/")
    (tmp_path / own).mkdir(parents=True, exist_ok=True)
    for place in (tmp_path / own, *(tmp_path / own).parents):
        if place.is_relative_to(tmp_path):
            (place / "cgroup.subtree_control").write_text("cpu\n")
            (place / "cgroup.controllers").write_text("cpu\n")
    group = make_group("g")
    group.cap(0.25)
    assert (group.path / "cpu.max").read_text() == "5000 20000"
    group.cap(None)
    assert (group.path / "cpu.max").read_text() == "max 20000"
    (group.path / "cpu.stat").write_text("usage_usec 1500000\nuser_usec 1\n")
    assert group.used_s() == 1.5


def test_in_a_unit_of_version_2_that_was_handed_to_us_all_that_runs_there_steps_inside(mounted, tmp_path, monkeypatch):
    mounted("cgroup2", "rw")
    unit = tmp_path / "slice" / "unit"
    unit.mkdir(parents=True)
    for place, controllers in ((tmp_path, ""), (unit.parent, ""), (unit, "cpu memory")):
        (place / "cgroup.controllers").write_text(f"{controllers}\n")
        (place / "cgroup.subtree_control").write_text("\n")
        (place / "cgroup.procs").write_text("")
    (unit / "cgroup.procs").write_text("4711\n")
    (tmp_path / "own").write_text("0::/slice/unit\n")
    monkeypatch.setattr(groups, "OWN", tmp_path / "own")
    assert make_group("g").path == unit / "g"
    assert (unit / "loadmaster-own" / "cgroup.procs").read_text() == "4711"
    assert (unit / "cgroup.subtree_control").read_text() == "+cpu"


@pytest.mark.parametrize("kind", ["cgroup", "cgroup2"])
def test_a_cap_that_stays_equal_is_not_written_again(mounted, tmp_path, monkeypatch, kind):
    mounted(kind, "rw,cpu,cpuacct")
    (tmp_path / "cgroup.controllers").write_text("cpu\n")
    (tmp_path / "cgroup.subtree_control").write_text("cpu\n")
    (tmp_path / "own").write_text("0::/\n")
    monkeypatch.setattr(groups, "OWN", tmp_path / "own")
    group, written = make_group("g"), []
    write = type(group)._write
    monkeypatch.setattr(type(group), "_write", lambda self, *words: (written.append(words[0]), write(self, *words)))
    group.cap(0.25)
    assert written
    for cores, writes in ((0.25, False), (0.250001, False), (0.5, True), (None, True), (None, False)):
        written.clear()
        make_group("g", again=True).cap(cores)
        assert bool(written) == writes, cores


def test_version_1_keeps_caps_and_accounts_in_two_trees(mounted, tmp_path):
    (tmp_path / "cpu").mkdir()
    (tmp_path / "acct").mkdir()
    table = tmp_path / "mounts"
    mounted("cgroup", "rw,cpu")
    table.write_text(f"x {tmp_path}/cpu cgroup rw,cpu 0 0\nx {tmp_path}/acct cgroup rw,cpuacct 0 0\n")
    group = make_group("g")
    group.cap(0.5)
    assert (group.path / "cpu.cfs_quota_us").read_text() == "10000"
    group.cap(0.00001)
    assert (group.path / "cpu.cfs_quota_us").read_text() == "1000"
    group.cap(None)
    assert (group.path / "cpu.cfs_quota_us").read_text() == "-1"
    group.add(12)
    assert (tmp_path / "acct" / "g" / "cgroup.procs").read_text() == "12"
    (tmp_path / "acct" / "g" / "cpuacct.usage").write_text("2500000000\n")
    assert group.used_s() == 2.5


def test_a_very_small_part_has_a_longer_period_rather_than_more_than_it_may(mounted, tmp_path):
    mounted("cgroup", "rw,cpu,cpuacct")
    group = make_group("small")
    for cores, quota, period in (
        (0.5, 10000, 20000),
        (0.01, 1000, 100000),
        (0.001, 1000, 1000000),
        (0.25, 5000, 20000),
    ):
        group.cap(cores)
        assert (group.path / "cpu.cfs_quota_us").read_text() == str(quota)
        assert (group.path / "cpu.cfs_period_us").read_text() == str(period)


def test_groups_inside_a_group_are_found_again_and_go_with_it(mounted, tmp_path):
    mounted("cgroup", "rw,cpu,cpuacct")
    top = make_group("top")
    top.within("a")
    assert (top.inner(), top.holds("a"), top.holds("b")) == (["a"], True, False)
    assert make_group("top", again=True).within("a").path == top.path / "a"
    assert groups.groups_named("to") == ["top"]


def test_version_2_hands_the_cpu_on_to_groups_inside(mounted, tmp_path, monkeypatch):
    monkeypatch.setattr(groups, "_folders", lambda: (2, tmp_path, tmp_path))
    top = make_group("top")
    inner = top.within("a")
    inner.cap(0.01)
    assert (top.path / "cgroup.subtree_control").read_text() == "+cpu"
    assert (inner.path / "cpu.max").read_text() == "1000 100000"
    assert inner.process_files() == [inner.path / "cgroup.procs"]


@real
def test_a_group_inside_has_no_more_than_the_group_around_it():
    top = make_group("loadmaster-test-around")
    try:
        top.cap(0.2)
        inner = top.within("a")
        with subprocess.Popen(SPIN) as process:
            inner.add(process.pid)
            before, begun = top.within("a").used_s(), time.monotonic()
            time.sleep(1.0)
            had = (inner.used_s() - before) / (time.monotonic() - begun)
            process.kill()
        assert 0.0 < had <= 0.23
    finally:
        top.remove_all()
    assert not top.path.exists()


def test_without_control_groups_it_says_so(mounted):
    mounted("ext4", "rw")
    assert "no control groups" in why_not()
