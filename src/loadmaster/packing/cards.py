"""Cards: the GPUs of hosts as units of their own, and which of them each task may take (rule K22)."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from loadmaster.model.arrays import Bools, Floats, Ints, Longs, frozen_bools, frozen_floats, frozen_ints, frozen_longs
from loadmaster.model.errors import InputError
from loadmaster.model.exact_amounts import exact_demand
from loadmaster.model.features import hosts_that_serve, parse_features
from loadmaster.model.gpu_kinds import CardKind


@dataclass(frozen=True, eq=False)
class Cards:
    """The cards of H hosts and what T tasks request of them: several whole cards each, or a part of one.

    Attributes:
        wanted: int64[T], cards that each task takes; 0 for none.
        share: float64[T], of each of them, in (0, 1]; 0 where a task takes none.
        kind: int32[H, C], the kind of each card of each host; -1 where the host has fewer cards.
        kinds: the names of each of the K kinds.
        accepts: int64[T], the row of `accepted` that holds for each task.
        accepted: bool[S, K], the kinds that a task of each of S requests may take.
        requests: the text of each of the S requests; "" for any kind.
    """

    wanted: Longs
    share: Floats
    kind: Ints
    kinds: tuple[CardKind, ...]
    accepts: Longs
    accepted: Bools
    requests: tuple[str, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "wanted", frozen_longs(self.wanted))
        object.__setattr__(self, "share", frozen_floats(self.share))
        object.__setattr__(self, "kind", frozen_ints(self.kind))
        object.__setattr__(self, "accepts", frozen_longs(self.accepts))
        object.__setattr__(self, "accepted", frozen_bools(self.accepted))

    @property
    def tasks(self) -> int:
        """Number of tasks, T."""
        return len(self.wanted)

    @property
    def hosts(self) -> int:
        """Number of hosts, H."""
        return len(self.kind)

    def free(self) -> Floats:
        """float64[H, C]: what is free of each card of empty hosts; -1 where the host has fewer cards."""
        return np.where(self.kind >= 0, 1.0, -1.0)

    def of_tasks(self, tasks: Bools | Longs) -> "Cards":
        """The same hosts with some of the tasks, by number or as a mask."""
        return Cards(
            self.wanted[tasks],
            self.share[tasks],
            self.kind,
            self.kinds,
            self.accepts[tasks],
            self.accepted,
            self.requests,
        )

    def of_hosts(self, hosts: Longs) -> "Cards":
        """The same tasks with some of the hosts, by number."""
        return Cards(self.wanted, self.share, self.kind[hosts], self.kinds, self.accepts, self.accepted, self.requests)


def cards_of(
    asked: Floats,
    hosts: Sequence[Sequence[tuple[CardKind, int]]],
    requests: Sequence[str] | None = None,
    names: Sequence[str] = (),
) -> Cards:
    """The cards of hosts, and what tasks request of them.

    Args:
        asked: float64[T], the GPUs that each task requests: at most 1 is a part of one card, more are whole cards.
        hosts: for each host its kinds of cards and how many it has of each.
        requests: for each task the kinds that it accepts, `A|B`, each of one or more names, `A&B`; "" or None for any.
        names: of the tasks, for messages; their numbers where there are none.

    Raises:
        InputError: a task requests several cards and a part of one, or a request is not written as above.

    Example:
        >>> cards = cards_of(np.array([0.5, 2.0]), [[(("a100",), 2)], [(("t4",), 1)]], ["t4", ""])
        >>> cards.wanted.tolist(), cards.share.tolist(), cards.kind.tolist(), cards.accepted[cards.accepts].tolist()
        ([1, 2], [0.5, 1.0], [[0, 0], [1, -1]], [[False, True], [True, True]])
    """
    asked = exact_demand(np.asarray(asked, np.float64).reshape(-1, 1))[:, 0]
    broken = (asked > 1) & (asked != np.floor(asked))
    if broken.any():
        task = int(np.argmax(broken))
        rule = f"task {names[task] if names else task} must request part of one GPU, or whole ones"
        raise InputError(f"{asked[task]:g} gpus", rule, fix="round it up")
    kinds = list(dict.fromkeys(kind for host in hosts for kind, count in host if count)) or [()]
    number = {kind: k for k, kind in enumerate(kinds)}
    of_host = [[number[kind] for kind, count in host for _ in range(count)] for host in hosts]
    most = max((len(row) for row in of_host), default=0)
    kind = np.array([row + [-1] * (most - len(row)) for row in of_host], np.int32).reshape(len(hosts), most)
    texts = [""] * len(asked) if requests is None else [text or "" for text in requests]
    distinct = list(dict.fromkeys(["", *texts]))
    row_of = {text: row for row, text in enumerate(distinct)}
    return Cards(
        np.ceil(asked).astype(np.int64),
        np.minimum(asked, 1.0),
        kind,
        tuple(kinds),
        np.array([row_of[text] for text in texts], np.int64),
        np.array([_accepted(text, kinds) for text in distinct], bool).reshape(len(distinct), len(kinds)),
        tuple(distinct),
    )


def _accepted(request: str, kinds: Sequence[CardKind]) -> list[bool]:
    """For each kind whether a task with this request may take it."""
    if not request:
        return [True] * len(kinds)
    return hosts_that_serve(parse_features(request), [""] * len(kinds), kinds)
