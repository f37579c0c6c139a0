"""The clusters that jobs are given to: weights of every factor, partitions that overlap, both scheduling loops."""

from dataclasses import dataclass

_QUEUE = """\
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU_Memory
SchedulerType=sched/backfill
SchedulerParameters=bf_interval=5,bf_resolution=1,bf_window=60,sched_interval=10,batch_sched_delay=1,sched_min_interval=0
PriorityType=priority/multifactor
PriorityWeightAge=1000
PriorityWeightFairshare=4000
PriorityWeightJobSize=500
PriorityWeightPartition=300
PriorityWeightQOS=1000
PriorityMaxAge=5
PriorityDecayHalfLife=2
PriorityCalcPeriod=1
AccountingStorageEnforce=limits,qos
KillWait=5
MinJobAge=600
"""
_ACCOUNTS = (
    "add account phys fairshare=5", "add account chem fairshare=3", "add account bio fairshare=2",
    "add qos high priority=100",
)  # fmt: skip


@dataclass(frozen=True)
class Set:
    """A cluster, and what its jobs draw from.

    Attributes:
        hosts: what each has; they are called n1, n2, ...
        settings: further lines of `slurm.conf`.
        accounts: commands of `sacctmgr`.
        wide: hosts that jobs request.
        qualities: of service, as often as they are to be drawn.
        reservation: what `scontrol create reservation` is told before the first job; "" for none. Some jobs name it.
    """

    hosts: tuple[str, ...]
    settings: str
    accounts: tuple[str, ...]
    wide: tuple[int, ...] = (1, 1, 1, 1, 2)
    qualities: tuple[str, ...] = ("normal", "normal", "high")
    reservation: str = ""


SETS = {
    "plain": Set(
        (
            "CPUs=8 RealMemory=16000 Weight=1", "CPUs=8 RealMemory=32000 Weight=2",
            "CPUs=16 RealMemory=32000 Weight=3", "CPUs=4 RealMemory=8000 Weight=4",
        ),
        "PartitionName=main Nodes=ALL Default=YES MaxTime=60 PriorityJobFactor=1\n"
        "PartitionName=short Nodes=n[3-4] MaxTime=2 PriorityJobFactor=4\n" + _QUEUE,
        (*_ACCOUNTS, "add user root account=phys,chem,bio qos=normal,high"),
    ),
    "bound": Set(
        (
            "CPUs=8 RealMemory=16000 Weight=1", "CPUs=8 RealMemory=16000 Weight=1",
            "CPUs=8 RealMemory=32000 Weight=2", "CPUs=16 RealMemory=32000 Weight=3",
            "CPUs=16 RealMemory=32000 Weight=3", "CPUs=4 RealMemory=8000 Weight=4",
        ),
        "PartitionName=main Nodes=ALL Default=YES MaxTime=60 MaxNodes=3 PriorityJobFactor=1\n"
        "PartitionName=short Nodes=n[4-6] MaxTime=2 PriorityJobFactor=4 PriorityTier=2\n" + _QUEUE,
        (
            *_ACCOUNTS, "add qos low MaxTRESPerAccount=cpu=8 GrpJobs=3",
            "add user root account=phys,chem,bio qos=normal,high,low",
        ),
        wide=(1, 1, 1, 2, 2, 3),
        qualities=("normal", "normal", "high", "low"),
        reservation="ReservationName=kept StartTime=now+40seconds Duration=3 Users=root Nodes=n[1-2]",
    ),
}  # fmt: skip
