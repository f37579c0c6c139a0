"""The hosts of a job's tasks, which stand side by side where several go to one host: runs of equal hosts."""
# mypy: disable-error-code="no-untyped-def"

import numpy as np

from loadmaster.kernels import inlined


@inlined
def next_run(hosts, first, end):
    """The host at `first` of `hosts` int32[T], and how many tasks stand there side by side before `end`."""
    host, tasks = hosts[first], np.int64(1)
    while first + tasks < end and hosts[first + tasks] == host:
        tasks += 1
    return np.int64(host), tasks
