"""PVM against Enhanced PVM on control groups: placements and CPU time are asserted, never seconds."""

import numpy as np
import pytest

from loadmaster.live.cgroup.groups import why_not
from loadmaster.papers.amir2000 import on_groups
from loadmaster.papers.amir2000.on_groups import Placed, claims, measured, without


@pytest.mark.skipif(bool(why_not()), reason=why_not() or "they can be made")
def test_real_commands_go_where_the_simulator_sends_them_and_have_the_cpu_time_they_were_made_to_take():
    ((pvm, e_pvm),) = measured(seed=3, streams=1)
    assert pvm.host.tolist() == [0, 1, 0, 1, 0, 1]
    assert e_pvm.on_large > pvm.on_large
    for each in (pvm, e_pvm):
        assert each.host.tolist() == each.simulated_host.tolist()
        assert (each.cpu_s >= each.work_s).all()
        assert (each.cpu_s <= each.work_s + 0.1).all()


def placed(host, slowdown, simulated_host=None):
    host = np.array(host, np.int32)
    work_s = np.full(len(host), 0.3)
    other = host if simulated_host is None else np.array(simulated_host, np.int32)
    return Placed(work_s, host, other, np.array(slowdown, float), np.array(slowdown, float), work_s)


@pytest.mark.parametrize(
    ("e_pvm", "slowdown", "simulated", "verdicts"),
    [
        ([0, 0], [2.0, 2.0], None, ["ordering holds, size differs", "holds", "holds"]),
        ([0, 0], [9.0, 9.0], None, ["differs", "holds", "holds"]),
        ([0, 1], [2.0, 2.0], [1, 0], ["ordering holds, size differs", "differs", "differs"]),
    ],
)  # fmt: skip
def test_each_verdict_can_say_no(e_pvm, slowdown, simulated, verdicts):
    pairs = [(placed([0, 1], [3.0 + extra, 5.0]), placed(e_pvm, slowdown, simulated)) for extra in (0.0, 0.1, 0.2, 0.3)]
    assert [claim.verdict for claim in claims(pairs)] == verdicts


def test_without_live_the_claim_has_its_place():
    assert without().verdict == "not measured"
    assert without().where == claims([(placed([0, 1], [3, 5]), placed([0, 0], [2, 2]))] * 2)[0].where


def test_a_command_that_fails_tells_nothing(monkeypatch):
    if why_not():
        pytest.skip(why_not())
    monkeypatch.setattr(on_groups, "_burning", lambda work_s: "false")
    with pytest.raises(on_groups.LoadmasterError, match="failed"):
        measured(seed=0, streams=1)
