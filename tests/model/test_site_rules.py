"""What a site says is checked as it is made."""

import pytest

from loadmaster.model import CalendarRow, InputError, Partition, Preemption, Qos, SiteRules


@pytest.mark.parametrize(
    "given",
    [
        {"qos": (Qos("low"), Qos("high", preempts=("low",))), "preemption": Preemption("qos", "suspend")},
        {"qos": (Qos("low", preempt_mode="suspend"),), "preemption": Preemption("qos", "requeue")},
        {"partitions": (Partition("a", preempt_mode="suspend"),), "preemption": Preemption("partition", "cancel")},
    ],
)
def test_jobs_are_not_suspended_on_hosts_that_go_down(given):
    drained, down = (CalendarRow(5.0, 9.0, kind, hosts=(0,)) for kind in ("drained", "down"))
    SiteRules(calendar=(drained,), **given)
    SiteRules(calendar=(down,), **{**given, "preemption": Preemption()})
    with pytest.raises(InputError, match=r"^'?suspend'?: .*rule C8\); .") as refusal:
        SiteRules(calendar=(drained, down), **given)
    assert "\n" not in str(refusal.value)
