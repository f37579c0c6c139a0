from loadmaster.model import Preemption, SiteRules
from loadmaster.sim.queue.plain.victims import Victim, victims

RULES = SiteRules(preemption=Preemption("qos", "requeue"))


def candidates(*sizes):
    """Jobs (worth, hosts) on hosts of their own, one after another."""
    found, first = [], 0
    for job, (worth, hosts) in enumerate(sizes):
        found.append(Victim(job, worth, frozenset(range(first, first + hosts)), float(job)))
        first += hosts
    return found


def room_for(hosts, free, among):
    """Room on whole hosts: those free beyond all candidates', then those of the stopped, the last stopped first."""
    spare = tuple(range(1000, 1000 + free))

    def room(jobs):
        have = [*spare, *(host for job in reversed(jobs) for host in sorted(among[job].hosts))]
        return tuple(have[:hosts]) if len(have) >= hosts else None

    return room


def test_a_second_round_hits_fewer():
    among = candidates((0, 2), (0, 4), (0, 8))
    assert victims(among, room_for(8, 0, among), RULES) == [2]
    once = SiteRules(preemption=Preemption("qos", "requeue", reorder_count=0))
    assert victims(among, room_for(14, 0, among), once) == [0, 1, 2]


def test_those_of_less_worth_go_first():
    among = candidates((1, 1), (0, 2), (0, 2))
    assert sorted(victims(among, room_for(4, 1, among), RULES)) == [1, 2]


def test_nobody_is_stopped_in_vain():
    among = candidates((0, 2), (0, 2))
    assert victims(among, room_for(5, 0, among), RULES) == []


def test_the_youngest_may_go_first():
    among = candidates((0, 2), (5, 2))
    rules = SiteRules(preemption=Preemption("qos", "requeue", youngest_first=True))
    assert victims(among, room_for(2, 0, among), rules) == [1]
