"""The scheduler: all that a decision needs beside its snapshot; `decide(snapshot) -> decision` is pure."""

from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Protocol

from loadmaster.model.snapshot import Decision, Snapshot
from loadmaster.place import Policy
from loadmaster.scheduling.discipline import Discipline
from loadmaster.scheduling.job_rules import serve_under_rules
from loadmaster.scheduling.meta_rule import AnyPolicy, Serve, follow, is_meta, members_of

WORTHWHILE = 400
"""Rows of the queue times hosts from which on a decision is compiled: below, only milliseconds could be saved."""


@dataclass(frozen=True)
class Scheduler:
    """A placement policy, or a meta-rule over several, under a discipline; simulator and live adapters drive it."""

    policy: AnyPolicy
    discipline: Discipline

    def decide(self, snapshot: Snapshot) -> Decision:
        """The jobs to start now; compiled where that is possible and worthwhile, with the same result bit for bit."""
        quickly = self._may_be_compiled and _is_worthwhile(snapshot)
        return self._decide(snapshot, _Quickly(self.discipline).serve if quickly else self._plainly)

    def decide_plainly(self, snapshot: Snapshot) -> Decision:
        """The same in plain Python: the definition, and the way of policies that listen or are not compiled."""
        return self._decide(snapshot, self._plainly)

    @cached_property
    def _may_be_compiled(self) -> bool:
        return is_plain_data(self.policy)

    def _decide(self, snapshot: Snapshot, serve: Serve) -> Decision:
        serve = serve if snapshot.rules is None else partial(serve_under_rules, serve)
        if is_meta(self.policy):
            return follow(self.policy, snapshot, serve)
        return serve(snapshot, self.policy)  # type: ignore[arg-type]

    def _plainly(self, snapshot: Snapshot, policy: Policy) -> Decision:
        return self.discipline.serve(snapshot, policy)


class _Serves(Protocol):
    """Serves a queue with any placement policy: a discipline, plain or compiled for the snapshot."""

    def serve(self, snapshot: Snapshot, policy: Policy) -> Decision:
        """Choose the jobs to start now; pure."""
        ...


@dataclass
class _Quickly:
    """Serves with a discipline, compiled where worthwhile; a snapshot is laid out once for all policies."""

    discipline: Discipline
    seen: Snapshot | None = None
    this_pass: _Serves = field(init=False)

    def serve(self, snapshot: Snapshot, policy: Policy) -> Decision:
        """Choose the jobs to start now; pure."""
        if snapshot is not self.seen:
            self.seen, self.this_pass = snapshot, self._pass_arrays(snapshot)
        return self.this_pass.serve(snapshot, policy)

    def _pass_arrays(self, snapshot: Snapshot) -> _Serves:
        if not _is_worthwhile(snapshot):
            return self.discipline
        from loadmaster.scheduling.compiled_decide import compiled  # Numba is loaded only if needed

        return compiled(self.discipline, snapshot) or self.discipline


def _is_worthwhile(snapshot: Snapshot) -> bool:
    """Whether a decision on the snapshot is compiled, if it can be; only the plain pass knows cards."""
    return snapshot.queue.cards is None and len(snapshot.queue) * snapshot.cluster.hosts >= WORTHWHILE


def is_plain_data(policy: AnyPolicy) -> bool:
    """Whether all placement policies are plain data; a subclass has methods, which only Python runs."""
    return all(type(member) is Policy for member in members_of(policy))
