"""A part of the CPU and the quota that gives it, for control groups and for virtual machines."""

import pytest

from loadmaster.live.session.cpu_quota import NO_QUOTA, CpuQuota, quota_of, quota_of_share, share_of


@pytest.mark.parametrize("share", [0.001, 0.0123, 0.05, 0.3333, 0.5, 0.999, 1.0])
def test_a_share_and_its_quota_are_the_same_to_a_thousandth(share):
    quota = quota_of_share(share)
    assert share_of(quota) == pytest.approx(share, abs=5e-5)
    assert quota.quota_us == -1 or quota.quota_us >= 1000
    assert quota.period_us <= 1_000_000


def test_no_quota_is_all_of_the_cpu():
    quotas = [CpuQuota(-1, 100_000), CpuQuota(0, 0), CpuQuota(300_000, 100_000)]
    assert [share_of(each) for each in quotas] == [1.0] * 3
    assert quota_of_share(1.0) == NO_QUOTA


def test_several_cores_have_more_than_a_period_in_every_period():
    assert quota_of(2.5) == CpuQuota(50_000, 20_000)
