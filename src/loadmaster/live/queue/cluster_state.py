"""The state of a cluster as a live scheduler sees it: the last observation and its own claims; without I/O or a clock.

The next observation is the only truth (rules X1 to X9): whatever it says of a job takes the place of what was believed
here, and a claim that it never confirms is given up.
"""

import math
from collections import Counter

from loadmaster.live.queue.allocations import ADOPTED, FOREIGN, ROOM, Allocation, Carryover, ObservedChanges
from loadmaster.live.queue.eligibility import EligibleJobs
from loadmaster.live.queue.listing import Listing, cluster_in
from loadmaster.live.queue.order_state import OrderState
from loadmaster.live.queue.rows import (
    Row,
    as_known,
    began_s,
    expected_s,
    hosts_in,
    row_on_run_clock,
    state_of,
    what_it_is,
)
from loadmaster.live.session.disruption import AGAIN_S
from loadmaster.live.session.engine import CLAIMED, HELD, KEPT_ROOM, NOWHERE, RUNNING
from loadmaster.model import Cluster
from loadmaster.order import AnyOrder

PATIENCE_S = 10.0
"""A job that was asked to start and does not run after so long is asked again (rule X4)."""


class ClusterState:
    """What observations, one after the other, come to.

    Attributes:
        runs: by the engine's name of the job, what holds hosts or has them kept for it, in the order of starts.
        aside: jobs that are not decided on for now: until when, and why.
        now_s: the nominal cycle, in seconds from `origin_s`.
    """

    def __init__(self, order: AnyOrder, origin_s: float = 0.0, seed: int = 0) -> None:
        self.origin_s, self.seed = origin_s, seed
        self.order_state = OrderState(order)
        self.listing: Listing = {}
        self.cluster: Cluster | None = None
        self.rows: dict[str, Row] = {}
        self.runs: dict[str, Allocation] = {}
        self.aside: dict[str, tuple[float, str]] = {}
        self.carried = Carryover()
        self.now_s = self.decided_s = -math.inf
        self.early_end = self.arrived = self.ended = False
        self.waiting = EligibleJobs()
        self._eligible_before: set[str] = set()
        self._first_s: dict[str, float] = {}
        self._number: dict[str, int] = {}
        self._tasks = 0
        self._tries: Counter[str] = Counter()
        self._held_back: dict[str, float] = {}  # by job, when the engine was asked to hold it
        self._beside: set[str] = set()  # jobs that we asked to start beside the rule

    def see(self, listing: Listing, now_s: float, *, forgetful: bool = False) -> ObservedChanges:
        """An observation, newer than the last (rule X2), in the cycle at `now_s`.

        Args:
            listing: what was observed.
            now_s: the nominal cycle.
            forgetful: the engine or we were away: what it does not confirm now is given up at once (rule X3).
        """
        opened = self.waiting.moments_between(self.now_s, now_s)
        before, self.listing, self.now_s = self.listing, listing, now_s
        restarted = bool(before) and before["token"] != listing["token"]
        changes = ObservedChanges(restarted=restarted)
        self._note_hosts(before, changes)
        changes.hosts |= opened
        self.ended |= opened
        self._note_ends(changes)
        self._note_runs(changes, forgetful or restarted, first=not before)
        self._note_jobs(before, changes)
        for name, _ in changes.found:
            self.order_state.started(name, now_s)
        self._refresh()
        return changes

    # What one observation changes, in the order in which a simulated moment goes (rule Q1).

    def _note_hosts(self, before: Listing, changes: ObservedChanges) -> None:
        if not before or before["cluster"] != self.listing["cluster"]:
            self.cluster = cluster_in(self.listing["cluster"]).calendar_moved(-self.origin_s)
        changes.hosts = not before or any(
            before.get(part) != self.listing.get(part) for part in ("cluster", "up", "rules")
        )
        self.ended |= bool(before) and changes.hosts

    def _note_ends(self, changes: ObservedChanges) -> None:
        jobs, ends = self.listing["jobs"], {name: (end_s, how) for name, end_s, how in self.listing["over"]}
        for name in [name for name in self.rows if name not in jobs]:
            end_s, how = ends.get(name, (math.inf, ""))
            end_s = min(max(end_s - self.origin_s, self._first_s[name]), self.now_s)
            if name in self.runs:
                changes.ended.append((name, max(end_s, self.runs[name].start_s), how or "ok"))
            else:
                changes.withdrawn.append(name)
            if changes.restarted and not how:
                changes.lost.append(name)
        changes.ended.sort(key=lambda end: (end[1], self.rows[end[0]]["submit_s"]))
        for name, end_s, _ in changes.ended:
            run = self.runs.pop(name)
            self.early_end |= end_s < run.expected_end_s
            self.order_state.ended(name, end_s)
            self.ended = True
        for name in [name for name in self.rows if name not in jobs]:
            del self.rows[name]
            self._forget(name)

    def _note_runs(self, changes: ObservedChanges, forgetful: bool, *, first: bool) -> None:
        up = dict(zip(self.listing["cluster"]["names"], self.listing["up"], strict=True))
        for name, row in self.listing["jobs"].items():
            run = self.runs.get(name)
            state = state_of(row)
            if state == RUNNING:
                self._note_running(name, row, run, changes)
                continue
            if state == HELD:
                self._held_back.pop(name, None)
                if self.aside.get(name, (0.0, ""))[0] == math.inf:
                    del self.aside[name]
            if run is not None and (run.running or not all(up.get(host, False) for host in run.hosts)):
                self._give_up(name, changes)
                self._tries[name] += 1
            elif run is not None and state == HELD and self._is_unconfirmed(run, forgetful):
                self._give_up(name, changes)
            if name not in self.runs and state == CLAIMED:
                self._note_claimed(name, row, up, changes, first=first)
        for name in list(self.aside):
            if self.aside[name][0] <= self.now_s or name not in self.listing["jobs"]:
                del self.aside[name]
                self._tries[name] = 0
                self.arrived = True

    def _note_running(self, name: str, row: Row, run: Allocation | None, changes: ObservedChanges) -> None:
        hosts = self._hosts_of(row)
        if run is None:
            start_s = began_s(row)
            start_s = self.now_s if start_s is None else max(0.0, min(start_s - self.origin_s, self.now_s))
            by = ADOPTED if all(pin != NOWHERE for pin in row["pin"]) else FOREIGN
            if name in self._beside or name.startswith(KEPT_ROOM):
                by = ROOM
            run = self.runs[name] = Allocation(hosts, start_s, start_s + self._expected_s(name, hosts), NOWHERE, by)
            changes.found.append((name, run))
            self.ended = True  # what is free has changed
        elif run.hosts != hosts:
            run.hosts = hosts
            changes.moved.append(name)
            self.ended = True
        run.running, run.partition = True, self._partition_of(row, run.partition)
        self._tries.pop(name, None)
        self.aside.pop(name, None)

    def _note_claimed(self, name: str, row: Row, up: dict[str, bool], changes: ObservedChanges, *, first: bool) -> None:
        """A release without our decision: our pin of an earlier session, or an act of others (rules X1, X7)."""
        if NOWHERE in row["pin"]:
            if name not in self.aside:
                changes.released.append(name)
            self.aside[name] = (math.inf, "released by someone else")
            return
        hosts = self._hosts_of(row, pinned=True)
        if name in self._held_back or name in self.aside or not all(up.get(host, False) for host in hosts):
            return
        if not first and name in {each for each, _ in changes.stopped}:
            return
        run = Allocation(hosts, self.now_s, self.now_s + self._expected_s(name, hosts), NOWHERE, ADOPTED, self.now_s)
        self.runs[name] = run
        changes.found.append((name, run))

    def _note_jobs(self, before: Listing, changes: ObservedChanges) -> None:
        """Which jobs have come, and what has changed of those that are here."""
        jobs, changed, jobs_before = self.listing["jobs"], changes.hosts, before.get("jobs", {})
        for name, row in jobs.items():
            if jobs_before.get(name) is row:
                continue  # nothing of it has changed
            if name not in self._first_s:
                self._first_s[name] = self.now_s
                changes.arrived.append(name)
            mine = row_on_run_clock(row, self.origin_s, self._first_s[name])
            mine = as_known(self.rows.get(name), mine, self.now_s, waited=name in self._eligible_before)
            changed |= what_it_is(self.rows.get(name)) != what_it_is(mine)
            self.rows[name] = mine
        changes.arrived.sort(key=lambda name: self.rows[name]["submit_s"])
        for name in changes.arrived:
            self._number[name] = self._tasks
            self._tasks += len(self.rows[name]["state"])
        assert self.cluster is not None
        changes.jobs = changed or bool(changes.ended or changes.withdrawn)
        if changes.jobs:
            self.order_state.know(self.rows, self.cluster, self.listing["names"])
            self.waiting.know(self.cluster, self.rows, self.listing)
        self.order_state.tick(self.now_s)
        for name in changes.arrived:
            self.order_state.submitted(name, self.now_s)
            self.arrived |= name not in self.runs

    def _refresh(self) -> None:
        """Work out which jobs may start now; the order learns of those that waited for more than their arrival."""
        self.waiting.look(self.runs, self.away(), self.listing["up"], self.now_s)
        for name in self.waiting.eligible_ids():
            if name not in self._eligible_before:
                self._eligible_before.add(name)
                if self.waiting.ready_s(name) > self.rows[name]["submit_s"]:
                    self.order_state.submitted(name, self.now_s)
                    self.arrived = True

    def away(self) -> set[str]:
        """Jobs that wait and are not ours to decide on."""
        others = {name for name in self.rows if self._state(name) not in (HELD, CLAIMED)}
        return others | self.aside.keys()

    def _give_up(self, name: str, changes: ObservedChanges | None = None) -> None:
        """A job has its hosts no more, and waits."""
        run = self.runs.pop(name)
        self.order_state.ended(name, self.now_s)
        self.order_state.submitted(name, self.now_s)
        self.arrived = self.ended = True
        if changes is not None:
            changes.stopped.append((name, run.running))

    def _put_aside(self, name: str, why: str) -> None:
        self.aside[name] = (self.now_s + AGAIN_S, why)

    def _forget(self, name: str) -> None:
        for book in (self._first_s, self._number, self._tries, self._held_back, self.aside, self.carried.promises):
            book.pop(name, None)
        self._eligible_before.discard(name)
        self._beside.discard(name)

    def _is_unconfirmed(self, run: Allocation, forgetful: bool) -> bool:
        return forgetful or self.now_s - run.sent_s >= PATIENCE_S

    def _expected_s(self, name: str, hosts: tuple[str, ...]) -> float:
        assert self.cluster is not None
        return expected_s(self.listing["jobs"][name], hosts, self.cluster)

    def _partition_of(self, row: Row, decided: int) -> int:
        """The number of the partition in which a job runs, as the engine tells it; else that which was decided."""
        rules = None if self.cluster is None else self.cluster.rules
        names = [] if rules is None else [each.name for each in rules.partitions]
        return names.index(row["partition"]) if row.get("partition") in names else decided

    def _hosts_of(self, row: Row, *, pinned: bool = False) -> tuple[str, ...]:
        return hosts_in(row, self.listing["cluster"]["names"], pinned=pinned)

    def _state(self, name: str) -> int:
        return state_of(self.rows[name]) if name in self.rows else HELD

    def _pinned(self, name: str) -> bool:
        return NOWHERE not in self.rows[name]["pin"]
