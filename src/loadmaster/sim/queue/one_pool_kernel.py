"""Which of like hosts each task gets: the free one with the lowest index."""
# mypy: disable-error-code="no-untyped-def"

from loadmaster.heap_kernel import drop_first, push
from loadmaster.kernels import LEAN, kept_njit


@kept_njit(**LEAN)
def lay_out(started, start_s, ended, end_s, first_task, host, keys, free):
    """Write the hosts of all tasks into `host`.

    Args:
        started: int64[S], the jobs in the order in which they start.
        start_s: float64[J].
        ended: int64[S], the same jobs in the order in which they end.
        end_s: float64[J].
        first_task: int64[J + 1].
        host: int32[T], written to.
        keys: float64[H], zeros; changed.
        free: int32[H], all hosts, in order: with `keys` a heap of those that are free; changed.
    """
    size, over = len(free), 0
    for job in started:
        while over < len(ended) and end_s[ended[over]] <= start_s[job]:
            for task in range(first_task[ended[over]], first_task[ended[over] + 1]):
                size = push(keys, free, size, 0.0, host[task])
            over += 1
        for task in range(first_task[job], first_task[job + 1]):
            host[task] = free[0]
            size = drop_first(keys, free, size)
