"""The options of a reader of logs."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from loadmaster.model import Cluster

SwfMemory = Literal["per-processor", "job-total"]
SwfPartition = Literal["16", "15"]
SwfFeedback = Literal["ignore", "closed"]


@dataclass(frozen=True)
class ReadOptions:
    """How to read a log; the defaults follow each format's own standard.

    Attributes:
        format: a name of `loadmaster.traces.FORMATS`, or `auto` to tell it by the content.
        swf_memory: what the memory fields of SWF mean; the standard says per processor.
        swf_partition: the field of SWF that names the partition; by the standard 16, in some logs 15, the queue.
        swf_feedback: what fields 17 and 18 of SWF, a job before and the think time behind it, do to the arrivals.
        memory_unit: unit of memory given as plain numbers, such as `KB`, `MB` or `B`; None for the format's own
            (KB in SWF, bytes in CSV and Parquet).
        strict: the first bad line is an `InputError` that names it; else bad lines are counted.
        limit: read only the first so many jobs of the file; None for all.
        hosts: machines of the log, or in any form `read_hosts` knows; None to look for them in and beside the log.
        find_hosts: False not to look for them.
        ignore: columns of `Constraints` that are left aside, such as `exclusive`; `all` for every one.
        columns: for CSV and Parquet, our name -> the name in the file. Other columns of the file are then left
            aside; without it, an unknown column is an error.
        all_fields: also read what a workload has no place for (in SWF the waits, states, queues, ...) into
            `Trace.extra`.
        use: also read what jobs really used, into `Trace.extra`: `cpu_time_s`, seconds of processor time for each core,
            and `used_memory`, bytes for each task; -1 where that is unknown.
        cluster: of a Slurm log with jobs of several clusters, the one whose jobs are read; None for all.
        progress: called now and then with the part of the file that has been read, from 0 to 1.
    """

    format: str = "auto"
    swf_memory: SwfMemory = "per-processor"
    memory_unit: str | None = None
    strict: bool = False
    limit: int | None = None
    hosts: str | Cluster | None = None
    columns: Mapping[str, str] = field(default_factory=dict)
    all_fields: bool = False
    use: bool = False
    find_hosts: bool = True
    swf_partition: SwfPartition = "16"
    swf_feedback: SwfFeedback = "ignore"
    ignore: tuple[str, ...] = ()
    cluster: str | None = None
    progress: Callable[[float], None] | None = field(default=None, compare=False)
