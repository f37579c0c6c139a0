"""Accounts and QOS in the JSON of each release of Slurm that writes it, from 23.02 to 25.11."""

from dataclasses import replace
from pathlib import Path

import pytest

from loadmaster.model import InputError
from loadmaster.site.accounts import read_accounts

FOLDER = Path(__file__).parent / "releases"


def accounts(path):
    return replace(read_accounts(path, "c"), digest="")


@pytest.mark.parametrize("name", sorted(path.name for path in FOLDER.glob("sacctmgr-*.json")))
def test_json_says_what_the_table_says(name):
    assert accounts(FOLDER / name) == accounts(FOLDER / "sacctmgr-table.txt")


def test_what_they_say_is_what_was_set():
    found = accounts(FOLDER / "sacctmgr-table.txt")
    phys, ann, bob = (found.associations[k] for k in (1, 2, 4))
    assert (phys.parent, phys.shares, phys.limits.grp_tres) == ("root", 60, (("cpu", 64.0), ("gres/gpu", 8.0)))
    assert (ann.shares, ann.limits.max_jobs, ann.limits.max_wall_s, ann.qos) == (None, 4, 86400.0, ("normal", "high"))
    assert (bob.limits.max_tres, bob.priority) == ((("cpu", 16.0), ("mem", 2048.0)), 5)
    high = found.qos[1]
    assert (high.priority, high.grace_s, high.exempt_s, high.mode) == (100, 300.0, 600.0, ("requeue",))
    assert (high.flags, high.usage_factor, high.limits.max_jobs_pu) == (("noreserve", "denyonlimit"), 2.0, 2)
    assert (found.qos[0].mode, found.not_modelled) == (None, ())


@pytest.mark.parametrize("text", ['{"jobs": []}', '{"associations": 5}', '{"qos": [{}]}', '{"qos": [5]}', "{", "{} x"])
def test_json_without_accounts_is_refused_in_one_line(tmp_path, text):
    (tmp_path / "a.json").write_text(text)
    with pytest.raises(InputError) as error:
        read_accounts(tmp_path / "a.json")
    assert "\n" not in str(error.value)
