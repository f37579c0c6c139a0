"""The cluster that the jobs are given to: weights of every factor, partitions that overlap, both scheduling loops."""

HOSTS = (
    "CPUs=8 RealMemory=16000 Weight=1", "CPUs=8 RealMemory=32000 Weight=2", "CPUs=16 RealMemory=32000 Weight=3",
    "CPUs=4 RealMemory=8000 Weight=4",
)  # fmt: skip
SETTINGS = """\
PartitionName=main Nodes=ALL Default=YES MaxTime=60 PriorityJobFactor=1
PartitionName=short Nodes=n[3-4] MaxTime=2 PriorityJobFactor=4
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
ACCOUNTS = (
    "add account phys fairshare=5", "add account chem fairshare=3", "add account bio fairshare=2",
    "add qos high priority=100", "add user root account=phys,chem,bio qos=normal,high",
)  # fmt: skip
