import numpy as np
import pytest

from loadmaster.model import Cluster, InputError, Partition, SiteRules
from loadmaster.model.energy import HostPower
from loadmaster.traces.host_range import is_range, proportional, proportions_of, range_of


def test_hosts_come_in_their_proportions_and_more_of_them_hold_what_fewer_hold():
    mixed = Cluster(("cores",), np.array([[8.0]] * 6 + [[64.0]] * 2), price_per_hour=[1.0] * 6 + [6.0] * 2)
    total = [proportional(mixed, n).total[0] for n in range(1, 25)]
    assert total[7] == 176.0
    assert total[23] == 3 * 176.0
    assert total == sorted(total)
    assert proportional(mixed, 16).cost_per_hour == 2 * mixed.cost_per_hour


def test_one_group_has_numbers_and_the_others_are_always_there():
    machines = range_of("2..9x16c64g@1.5, 1x64c512g@4")
    assert (machines.least, machines.most) == (2, 9)
    assert machines.at(3).capacity[:, 0].tolist() == [16.0, 16.0, 16.0, 64.0]
    assert machines.at(3).cost_per_hour == 8.5
    assert not is_range("2x16c64g")


@pytest.mark.parametrize(("text", "why"), [
    ("2..9x16c,1..4x8c", "one group of hosts"), ("9..2x16c", "numbers of hosts"), ("0..2x16c", "numbers of hosts"),
    ("2..9xbig", "not a group of hosts"), ("1..99999999999x1c", "numbers of hosts"),
])  # fmt: skip
def test_a_range_that_is_none_is_refused(text, why):
    with pytest.raises(InputError, match=why):
        range_of(text)


def test_hosts_keep_their_power_and_the_cluster_its_licences_whatever_the_number():
    power = tuple(HostPower((host,), ((0.0, watts), (1.0, 2 * watts))) for host, watts in ((0, 50.0), (1, 80.0)))
    given = Cluster(("cores",), np.array([[8.0], [64.0]]), rules=SiteRules(power=power, licences=(("m", 3.0),)))
    machines = proportions_of(given, "given")
    assert [each.hosts for each in machines.at(1).rules.power] == [(0,)]
    assert [(each.hosts, each.idle_w) for each in machines.at(4).rules.power] == [((0, 2), 50.0), ((1, 3), 80.0)]
    assert machines.at(4).capacity[:, 0].tolist() == [8.0, 64.0, 8.0, 64.0]
    assert machines.at(4).rules.licences == (("m", 3.0),)


def test_machines_with_rules_of_a_site_are_not_multiplied():
    ruled = Cluster(("cores",), np.array([[8.0]]), rules=SiteRules(partitions=(Partition("a"),)))
    with pytest.raises(InputError, match="partitions"):
        proportions_of(ruled, "ruled")
