"""Max-Jobs (rule Q8): the first of the members that tie decides, and all of them are logged."""

import pytest
from snapshots import placed, snapshot

from loadmaster.place import POLICIES
from loadmaster.scheduling import MaxJobs, Scheduler
from loadmaster.scheduling import discipline_named as named

FIGURE_3_1 = snapshot([(4, 32)] * 2, [(4, 32)] * 2, [(1, 16)] * 2 + [(1, 4)] * 6)
WORSE_FIT_CORES, WORSE_FIT_MEMORY, MIX_FIT = 0b00100, 0b01000, 0b10000


def hosts(decision):
    return "".join("AB"[host] for _, host in placed(decision))


def test_the_first_member_in_the_list_wins_a_tie_and_all_winners_are_logged():
    decision = Scheduler(MaxJobs(), named("netbatch")).decide_plainly(FIGURE_3_1)
    assert hosts(decision) == "ABABABAB"
    assert decision.winners == WORSE_FIT_CORES | WORSE_FIT_MEMORY | MIX_FIT


def test_another_order_of_members_breaks_the_tie_otherwise():
    members = tuple(POLICIES[name] for name in ("mix-fit", "best-fit-cores", "worse-fit-cores"))
    decision = Scheduler(MaxJobs(members), named("netbatch")).decide_plainly(FIGURE_3_1)
    assert hosts(decision) == "ABAABBAB"
    assert decision.winners == 0b101


def test_without_the_log_of_ties_the_schedule_is_the_same():
    decision = Scheduler(MaxJobs(log_ties=False), named("netbatch")).decide_plainly(FIGURE_3_1)
    assert decision.place == Scheduler(MaxJobs(), named("netbatch")).decide_plainly(FIGURE_3_1).place
    assert decision.winners == WORSE_FIT_CORES


@pytest.mark.parametrize(("target", "starts"), [("jobs", [(0, 1), (2, 1), (3, 0)]), ("cores", [(0, 0), (1, 1)])])
def test_the_target_decides_what_counts(target, starts):
    """Best-fit keeps the large host whole for the job of four cores, worse-fit the memory for two of one core."""
    state = snapshot([(2, 8), (4, 10)], [(2, 8), (4, 10)], [(1, 2), (4, 1), (1, 8), (1, 8)])
    members = (POLICIES["best-fit-cores"], POLICIES["worse-fit-cores"])
    assert (
        placed(Scheduler(MaxJobs(members, target), named("netbatch(reservations=0)")).decide_plainly(state)) == starts
    )
