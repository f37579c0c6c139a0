"""A shadow beside the site: who started whom, counted by hand."""

from loadmaster.live.queue.agreement import AgreementCounter, agreement_of
from loadmaster.live.queue.listing import applied
from loadmaster.live.queue.record import CycleDecision, passes_of


def row(state, host=-1, cores=2.0, tasks=1):
    return {"state": [state] * tasks, "host": [host] * tasks, "demand": [cores, 0.0]}


def cycle(at_s, seen, starts=()):
    plain = {
        "starts": [[name, hosts, 0] for name, hosts in starts],
        "winners": 0,
        "queued": 0,
        "last_host": -1,
        "promises": {},
        "wake_s": "inf",
        "clock": ["inf"] * 3,
    }
    return {"cycle": at_s, "seen": {"at_s": at_s, **seen}, "passes": [plain] if starts else []}


LINES = [
    {"begin": 1},
    cycle(0.0, {"cluster": {"names": ["h0", "h1"]}, "new": {"a": row(0), "b": row(0), "c": row(0, tasks=2)}},
          [("a", ["h0"]), ("b", ["h1"])]),
    cycle(1.0, {"set": {"a": {"state": [2], "host": [0]}}, "new": {"d": row(2, 1)}},
          [("b", ["h1"]), ("c", ["h0", "h0"])]),
    cycle(2.0, {"set": {"b": {"state": [2], "host": [0]}, "c": {"state": [2, 2], "host": [0, 0]}}}),
]  # fmt: skip


def test_starts_are_counted_in_the_cycle_that_decided_on_them():
    first, second = agreement_of(LINES).cycles
    assert (first.queue, first.ours, first.theirs, first.both, first.alike, first.unseen) == (3, 2, 1, 1, 1, 1)
    assert (second.queue, second.ours, second.theirs, second.both, second.alike, second.unseen) == (2, 1, 2, 2, 1, 0)


def test_what_was_decided_last_counts_though_nothing_was_seen_to_change_since():
    assert agreement_of(LINES[:2]).summary()["our_starts"] == 2
    decided_again = cycle(3.0, {}, [("b", ["h1"])])
    assert agreement_of([*LINES, decided_again]).summary()["our_starts"] == 3


def test_sums_and_shares_are_of_what_the_site_started():
    summary = agreement_of(LINES).summary()
    assert summary == {
        "site_starts": 3,
        "our_starts": 3,
        "same_job": 1.0,
        "same_hosts": 2 / 3,
        "site_cores": 8.0,
        "our_cores": 8.0,
        "started_unseen": 1,
    }


def test_a_site_that_starts_nothing_has_no_share():
    assert agreement_of(LINES[:2]).summary()["same_job"] is None


def test_a_loop_at_work_counts_what_its_record_counts_and_keeps_sums_alone():
    agreeing, listing = AgreementCounter(), {}
    for line in LINES[1:]:
        listing = applied(listing, line["seen"])
        agreeing.look(line["cycle"], listing, CycleDecision(passes_of(line)))
        agreeing.look(line["cycle"] + 0.5, {**listing, "at_s": line["cycle"] + 0.5}, CycleDecision())
    assert agreeing.agreement.summary() == agreement_of(LINES).summary()
    assert len(agreeing.agreement.cycles) == 1
