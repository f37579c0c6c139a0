"""Masked names: what was equal stays equal, and nothing of the old names is left."""

import re
from dataclasses import replace

import numpy as np
import pytest
from typer.testing import CliRunner

import loadmaster as lm
from loadmaster.cli.app import app
from loadmaster.model import Cluster, Constraints, Named, Workload
from loadmaster.model.limits import Limits
from loadmaster.model.site_rules import Account, CalendarRow, SiteRules
from loadmaster.traces import read_trace
from loadmaster.traces.masking import masked
from loadmaster.traces.trace import Trace
from traces.logs import write

NAMED = Workload.of(
    submit_s=[0, 1, 2],
    runtime_s=[1, 1, 1],
    cores=[1, 1, 1],
    user=[0, 1, 0],
    project=[0, 0, 0],
    source="secret.log",
    constraints=Constraints(
        name=Named.of(["merger", None, "merger"]),
        partition=Named.of(["long", "long", "short"]),
        reservation=Named.of([None, "eve_3", None]),
        user_names=("eve", "bob"),
        account_names=("phys",),
    ),
)


def test_equal_names_have_equal_masks_and_the_rest_stays():
    work = masked(Trace(NAMED), b"key").workload
    bound = work.constraints
    assert np.array_equal(work.user, NAMED.user)
    assert bound.partition.words() == ["long", "long", "short"]
    first, second, third = bound.name.words()
    assert (first == third, second) == (True, None)
    assert all(
        re.fullmatch(r"(user|account|job|reservation)-[0-9a-f]{12}", name)
        for name in (
            *bound.user_names,
            *bound.account_names,
            first,
            bound.reservation[1],
        )
    )
    assert work.source == "a log with masked names"


def test_masks_depend_on_the_key():
    one, other = (masked(Trace(NAMED), key).workload.constraints.user_names for key in (b"a", b"b"))
    assert not set(one) & set(other)
    assert one == masked(Trace(NAMED), b"a").workload.constraints.user_names


def test_numbers_are_dealt_anew_and_unknown_ones_stay_unknown():
    users = [*range(100, 160), -1]
    jobs = Workload.of(submit_s=range(61), runtime_s=[1] * 61, cores=[1] * 61, user=users)
    extra = {"executable": np.array(users, np.int32)}
    found = masked(Trace(jobs, extra=extra), b"key")
    new = found.workload.user.tolist()
    assert (sorted(new), new[-1]) == ([-1, *range(60)], -1)
    assert new[:60] != list(range(60))
    assert new != masked(Trace(jobs), b"other").workload.user.tolist()
    assert found.extra["executable"].tolist() != new


def test_nothing_of_the_names_is_in_the_file(tmp_path):
    log = write(
        tmp_path,
        "secret.log",
        "JobID|JobName|User|Account|Submit|Elapsed|ReqCPUS|Reservation\n"
        "1|merger|eve|phys|2024-01-01T00:00:00|00:01:00|1|night\n2|merger|bob|phys|2024-01-01T00:00:09|00:01:00|1|\n",
    )
    for ending in (".csv", ".swf"):
        out = tmp_path / f"out{ending}"
        result = CliRunner().invoke(app, ["convert", str(log), str(out), "--anonymise"])
        assert result.exit_code == 0
        assert not re.search("merger|eve|bob|phys|night|secret", out.read_text())
    assert read_trace(tmp_path / "out.csv").workload.user.tolist() == [0, 1]


SITE = SiteRules(
    accounts=(
        Account("root"), Account("phys", parent="root", limits=Limits(grp_jobs=1)), Account("phys", user="eve"),
        Account("phys", user="bob"),
    ),
    calendar=(CalendarRow(0.0, 50.0, "reserved", hosts=(1,), name="eve_3", users=("eve", "bob")),),
)  # fmt: skip


@pytest.fixture(autouse=True)
def state(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


def test_a_sites_limits_and_reservations_bind_the_same_jobs_under_masks(tmp_path):
    cluster = Cluster(("cores",), np.array([[4.0], [4.0]]), rules=SITE)
    log = Trace(replace(NAMED, runtime_s=np.array([10.0, 10.0, 10.0]), project=np.zeros(3, np.int32)))
    plain = lm.simulate(log, cluster, discipline="easy", interval="0")
    dark = lm.simulate(log, cluster, discipline="easy", interval="0", anonymise=True, out=tmp_path / "run")
    assert dark.frame["start_s"].to_list() == plain.frame["start_s"].to_list()
    assert plain.frame["start_s"].n_unique() == 3, "the limit of one job of the account binds"
    dark.report(tmp_path / "run" / "page.html")
    said = b"".join(path.read_bytes() for path in (tmp_path / "run").iterdir())
    assert not [name for name in (b"merger", b"eve_3", b"phys", b'"bob"') if name in said]
    assert b"user-" in said


def test_a_name_has_the_same_mask_in_every_verb():
    masks = [lm.info(Trace(NAMED), anonymise=True).read.workload.constraints.user_names for _ in range(2)]
    assert masks[0] == masks[1] != NAMED.constraints.user_names
    assert (
        lm.compare(
            Trace(NAMED), "2x4c", policies="first-fit", disciplines="easy", anonymise=True
        ).comparison.case.workload.constraints.user_names
        == masks[0]
    )
