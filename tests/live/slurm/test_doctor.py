"""What the doctor says of the hook and of its sign of life."""

import os
import pwd
from types import SimpleNamespace

import numpy as np
import pytest

from loadmaster.live.slurm.doctor import _gpus, _hook, _jobs
from loadmaster.live.slurm.hook import heartbeat_path, hook_text
from loadmaster.model.gres import parse_gres
from loadmaster.site.node import SiteNode

OTHER = next(each for each in pwd.getpwall() if each.pw_uid not in (0, os.geteuid()))
"""Somebody as whom a controller might run."""


@pytest.fixture
def site(tmp_path):
    """Settings of a Slurm whose controller is somebody else, and the heartbeat of a run."""
    for folder in (tmp_path, *tmp_path.parents):
        if not folder.stat().st_mode & 0o001 and folder.stat().st_uid == os.geteuid():
            folder.chmod(folder.stat().st_mode | 0o011)
    state = tmp_path / "state"
    state.mkdir(mode=0o755)
    settings = {
        "JobSubmitPlugins": "lua",
        "SLURM_CONF": str(tmp_path / "slurm.conf"),
        "SlurmUser": f"{OTHER.pw_name}({OTHER.pw_uid})",
    }
    return SimpleNamespace(settings=settings, conf=tmp_path / "slurm.conf"), heartbeat_path("lm", state)


def levels(engine, heartbeat):
    return [(each.level, each.what) for each in _hook(engine, heartbeat)]


def test_a_hook_that_looks_at_this_heartbeat_is_fine(site, tmp_path):
    engine, beat = site
    (tmp_path / "job_submit.lua").write_text(hook_text(beat, 600.0, 0, ()))
    assert [level for level, _ in levels(engine, beat)] == ["ok"]


def test_a_hook_printed_for_another_state_holds_nothing(site, tmp_path):
    engine, beat = site
    (tmp_path / "job_submit.lua").write_text(hook_text(tmp_path / "slurm-lm.heartbeat", 600.0, 0, ()))
    ((level, what),) = levels(engine, beat)
    assert level == "bad"
    assert f"does not look at {beat}" in what


def test_two_names_of_one_folder_are_the_same(site, tmp_path):
    engine, beat = site
    (tmp_path / "link").symlink_to(beat.parent)
    (tmp_path / "job_submit.lua").write_text(hook_text(tmp_path / "link" / beat.name, 600.0, 0, ()))
    assert [level for level, _ in levels(engine, beat)] == ["ok"]
    (tmp_path / "job_submit.lua").write_text(hook_text(beat.parent / ".." / "state" / beat.name, 600.0, 0, ()))
    assert [level for level, _ in levels(engine, beat)] == ["ok"]


def test_a_hook_that_a_site_has_merged_into_its_own_is_found(site, tmp_path):
    engine, beat = site
    (tmp_path / "loadmaster.lua").write_text(hook_text(beat, 600.0, 0, ()))
    ours = f'dofile("{tmp_path}/loadmaster.lua")'
    (tmp_path / "job_submit.lua").write_text(f"-- the site's own\nlocal loadmaster = {ours}\n")
    assert [level for level, _ in levels(engine, beat)] == ["ok"]
    (tmp_path / "job_submit.lua").write_text(f"-- the site's own\n-- local loadmaster = {ours}\n")
    assert [level for level, _ in levels(engine, beat)] == ["bad"]


def test_a_heartbeat_that_the_controller_may_not_read_is_said(site, tmp_path):
    engine, beat = site
    (tmp_path / "job_submit.lua").write_text(hook_text(beat, 600.0, 0, ()))
    beat.parent.chmod(0o700)
    (_, (level, what)) = levels(engine, beat)
    assert level == "bad"
    assert f"may not read {beat.parent}" in what


def test_a_hook_on_the_controllers_machine_alone_is_believed(site):
    assert [level for level, _ in levels(*site)] == ["ok"]


def test_without_the_plugin_there_is_no_hook(site):
    engine, beat = site
    engine.settings["JobSubmitPlugins"] = "(null)"
    assert [level for level, _ in levels(engine, beat)] == ["bad"]


def test_gpus_are_told_by_type_and_host_and_whether_accounting_tracks_them():
    nodes = tuple(
        SiteNode(name, 8, 1000, gres=parse_gres(gres))
        for name, gres in [("n1", "gpu:a100:2"), ("n2", "gpu:1g.10gb:4"), ("n3", ""), ("n4", "gpu:a100:1,gpu:3090:1")]
    )
    engine = SimpleNamespace(settings={"AccountingStorageTRES": "cpu,mem,gres/gpu:a100"}, nodes=nodes)
    assert [(each.level, each.what.partition(": counted")[0]) for each in _gpus(engine)] == [
        ("ok", "GPUs 1g.10gb: 4 on n2"),
        ("note", "GPUs 3090 and a100: 2 on n4"),
        ("ok", "GPUs a100: 2 on n1"),
        ("ok", "AccountingStorageTRES has gres/gpu: accounting knows the GPUs of jobs"),
    ]
    untracked = SimpleNamespace(settings={"AccountingStorageTRES": "cpu,mem,energy"}, nodes=nodes)
    assert _gpus(untracked)[-1].level == "note"
    assert _gpus(SimpleNamespace(settings={}, nodes=nodes[2:3])) == []


def test_what_is_not_modelled_is_said_once():
    seen = SimpleNamespace(up=np.ones(2, bool), hosts=("n1", "n2"), jobs=SimpleNamespace(jobs=0), left_out=())
    site, notes = SimpleNamespace(not_modelled=("MaxJobCount",)), ("Of the site not modelled: MaxJobCount.",)
    engine = SimpleNamespace(observe=lambda: seen, senseless=0, site=site, notes=notes)
    assert [each.what for each in _jobs(engine) if "MaxJobCount" in each.what] == list(notes)
