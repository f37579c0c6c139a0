"""How long each job waited although it would have fitted into what was free: one walk over each wait."""
# mypy: disable-error-code="no-untyped-def"

from typing import NamedTuple

from loadmaster.jit.kernels import cached_njit
from loadmaster.model.arrays import Floats, Longs


class WaitsBesideRoom(NamedTuple):
    """J waits beside what was free in K spans of time.

    Attributes:
        since: float64[K], ascending; span k begins there, the last has no end.
        free: float64[K, R], of the whole cluster in each span.
        span: int64[J], the span in which each job arrived.
        submit, start: float64[J].
        need: float64[J, R], what the whole job requests.
    """

    since: Floats
    free: Floats
    span: Longs
    submit: Floats
    start: Floats
    need: Floats


@cached_njit(nogil=True, error_model="numpy")
def time_with_room(waiting, room_s):
    """Write into `room_s`, float64[J], the seconds of each wait in which all that the job requests was free."""
    spans, resources = waiting.free.shape
    for job in range(waiting.submit.shape[0]):
        now, span, total = waiting.submit[job], waiting.span[job], 0.0
        while now < waiting.start[job]:
            until = waiting.start[job]
            if span + 1 < spans and waiting.since[span + 1] < until:
                until = waiting.since[span + 1]
            fits = True
            for r in range(resources):
                fits = fits and waiting.need[job, r] <= waiting.free[span, r]
            if fits:
                total += until - now
            now = until
            span += 1
        room_s[job] = total
