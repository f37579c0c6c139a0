"""A small valid file of every format that is read."""

import io
import json

SWF = (
    "; Version: 2.2\n; MaxNodes: 2\n; MaxProcs: 8\n; MaxMemory: 1048576\n; UnixStartTime: 1000\n"
    "1 0 5 60 2 -1 1024 2 120 2048 1 1 1 1 0 1 -1 -1\n2 10 0 30 1 -1 1024 1 60 1024 1 2 1 2 0 1 -1 -1\n"
    "3 20 0 300 4 -1 512 4 600 1024 1 1 2 1 1 1 -1 -1\n4 30 9 45 8 -1 512 8 60 512 1 3 2 1 1 1 -1 -1\n"
)
JOBS = (
    "job_id,submit_s,runtime_s,cores,memory_gb,tasks,estimate_s,user,project\n1,0,60,2,4,1,120,ann,a\n2,10,30,1,2,2,60,bob,a\n"
    "3,20,300,4,8,1,600,ann,b\n4,30,45,0.5,1,1,60,cy,b\n"
)
SACCT = (
    "JobID|User|Account|Submit|Start|End|Elapsed|State|NNodes|ReqCPUS|ReqMem|ReqTRES|AllocTRES|Timelimit\n"
    "1|eve|phys|2024-01-01T00:00:00|2024-01-01T00:00:30|2024-01-01T00:01:30|00:01:00|COMPLETED|1|2|4Gn|cpu=2,mem=4G|cpu=2|00:10:00\n"
    "1.batch||phys|2024-01-01T00:00:00|2024-01-01T00:00:30|2024-01-01T00:01:30|00:01:00|COMPLETED|1|2|||cpu=2|\n"
    "2|bob|chem|2024-01-01T00:01:00|2024-01-01T00:01:00|2024-01-01T00:03:00|00:02:00|FAILED|1|4|8G|cpu=4,mem=8G,gres/gpu=1||UNLIMITED\n"
)
ALIBABA = "6459,6524,3,4,15,Terminated,50,0.025\n6457,6533,3,5,1,Running,100,0.05\n6036,6046,4,7,3,Waiting,,\n"
EVENTS = "0,11,add,,64,0.5,1\n0,12,add,,64,1,1\n77,11,softerror,agent_check,0,0,0\n"
PODS = (
    "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,deletion_time,scheduled_time\n"
    "openb-pod-0017,8800,32768,8,1000,,Burstable,Succeeded,100,1000,150\n"
    "openb-pod-0022,4100,15258,1,220,,BE,Running,90,2000,90\nopenb-pod-0061,1908,4104,1,1000,,BE,Pending,95,300,\n"
)
NODES = "sn,cpu_milli,memory_mib,gpu,model\nopenb-node-1,32000,262144,0,\nopenb-node-2,128000,786432,8,G3\n"
HOSTS_CSV = "name,count,cores,memory_gb,gpus,speed\na,2,8,32,0,1\nb,1,16,64,0,1\n"
HOSTS_YAML = (
    "hosts:\n  - name: a\n    count: 2\n    cores: 8\n    memory_gb: 32\n  - {name: b, cores: 16, memory_gb: 64}\n"
)
MACHINES = "1 a 2 8 1.0 33554432\n2 b 1 16 1.0 67108864\n"
TASKS = "name,cpu,memory,job,weight,min_yield\nweb-1,4,8GiB,web,2,0.5\nweb-2,4,8GiB,web,2,0.5\nbatch,6,4GiB,batch,1,\n"
STATE = "name,cpu,memory,host\nweb-1,4,8GiB,0\nweb-2,4,8GiB,0\nbatch,6,4GiB,1\nnew,1,1GiB,\n"
CLOUD = json.dumps(
    {
        "computerList": [{"id": i, "cpuPower": 8, "memory": 32, "networkBandwidth": 10, "cost": 5} for i in range(3)],
        "processList": [
            {"id": i, "requiredCpuPower": 2, "requiredMemory": 4, "requiredNetworkBandwidth": 1} for i in range(5)
        ],
    }
)
BAG = "duration_s\n10\n20\n?\n300\n45\n"
BAG_TEXT = "10\n20\n?\n300\n45\n"
PRICES = (
    "name,price_per_h,speed,boot_s,unit_s,minimum_s,interruptions_per_h,limit\n"
    "standard,0.10,1.0,45,1,60,0,100\nspot,0.03,1.0,60,1,60,0.05,100\n"
)
COMMANDS = "# a bag\ntrue\n: a word\ntrue and more\n"
POLICY = "def mine(demand, free, capacity):\n    return free[0] - demand[0]\n"
SLURM_CONF = (
    "# a site\nClusterName=lm\nSlurmctldPort=6817\nInclude nodes.conf\nNodeName=DEFAULT CPUs=8 RealMemory=32000\n"
    "NodeName=n[1-2] Weight=2 Feature=a,b Gres=gpu:k80:2 \\\n  State=UNKNOWN\n"
    'PartitionName=main Nodes=ALL Default=YES MaxTime=1-0 TRESBillingWeights="CPU=1.0,Mem=0.25G"\n'
    "PartitionName=low Nodes=n[1,3] MaxTime=2:00:00 PriorityTier=2 AllowAccounts=phys,chem QOS=high\n"
    "SelectType=select/cons_tres\nSelectTypeParameters=CR_Core_Memory\nDefMemPerCPU=100\n"
    "SchedulerParameters=bf_interval=60,bf_max_job_test=50,defer\nPriorityType=priority/multifactor\n"
    "PriorityWeightAge=1000\nPriorityWeightFairshare=10000\nPriorityWeightTRES=CPU=300\nPriorityMaxAge=2-12\n"
    "PriorityFlags=NO_FAIR_TREE\nPreemptType=preempt/qos\nPreemptMode=REQUEUE\nAccountingStorageEnforce=limits\n"
)
ACCOUNTS = (
    "Cluster|Account|User|Partition|Share|GrpJobs|GrpTRES|MaxJobs|MaxWall|QOS|Def QOS|GrpTRESRunMins\n"
    "lm|root|||1||||||normal||\nlm| phys|||50|4|cpu=8,mem=10G|||normal||cpu=600\n"
    "lm|  phys|eve||parent|||3|1-00:00:00|high,normal|high|\nlm| chem|||30||||||normal||\nlm|  chem|bob||1||||||||\n"
    "Name|Priority|GraceTime|Preempt|PreemptMode|Flags|UsageFactor|MaxTRESPU|MaxJobsPU\n"
    "normal|0|00:00:00||cluster||1.000000||\nhigh|100|00:00:30|normal|requeue|NoReserve|0.500000|cpu=10|3\n"
)
DUMP = (
    "Cluster - 'lm':Fairshare=1:QOS='normal'\nParent - 'root'\nAccount - 'phys':Fairshare=50:GrpTRES=cpu=8\n"
    "Account - 'chem':Fairshare=30\nParent - 'phys'\nUser - 'eve':Fairshare=2147483647:MaxWallDurationPerJob=60\n"
    "Parent - 'chem'\nUser - 'bob':Fairshare=2:MaxJobs=3\n"
)

LOGS = {
    "log.swf": SWF,
    "log.csv": JOBS,
    "log.sacct": SACCT,
    "batch_task.csv": ALIBABA,
    "pods.csv": PODS,
    "log.parquet": JOBS,
}
HOSTS = {
    "hosts.csv": HOSTS_CSV,
    "hosts.yaml": HOSTS_YAML,
    "log.machines": MACHINES,
    "server_event.csv": EVENTS,
    "openb_node_list.csv": NODES,
    "hosts.parquet": HOSTS_CSV,
}
PACKED = {"tasks.csv": TASKS, "pods.csv": PODS, "cloud.json": CLOUD, "tasks.parquet": TASKS}


def content(name: str, text: str) -> bytes:
    """The file's bytes; a table of text becomes Parquet where the name says so."""
    if not name.endswith(".parquet"):
        return text.encode()
    import polars as pl

    packed = io.BytesIO()
    pl.read_csv(text.encode()).write_parquet(packed)
    return packed.getvalue()
