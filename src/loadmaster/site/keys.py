"""The keys of a `slurm.conf` (rule L8): those of no bearing on any job, those that may have one, those read."""

_DAEMONS = """
AccountingStorageBackupHost AccountingStorageExternalHost AccountingStorageHost AccountingStorageParameters
AccountingStoragePass AccountingStoragePort AccountingStorageTRES AccountingStorageType AccountingStorageUser
AccountingStoreFlags AcctGatherEnergyType AcctGatherFilesystemType AcctGatherInterconnectType AcctGatherNodeFreq
AcctGatherProfileType AuthAltParameters AuthAltTypes AuthInfo AuthType BackupAddr BackupController BatchStartTimeout
BcastAddr BcastExclude BcastParameters CliFilterPlugins CommunicationParameters ControlAddr ControlMachine
CoreSpecPlugin CpuBind CpuFreqDef CpuFreqGovernors CredType CryptoType DebugFlags EioTimeout EpilogMsgTime
ExtSensorsFreq ExtSensorsType FirstJobId GetEnvTimeout GpuFreqDef GresTypes GroupUpdateForce GroupUpdateTime
HealthCheckInterval HealthCheckNodeState HealthCheckProgram Hidden InactiveLimit InteractiveStepOptions
JobAcctGatherFrequency JobAcctGatherParams JobAcctGatherType JobCompHost JobCompLoc JobCompParams JobCompPass
JobCompPort JobCompType JobCompUser JobContainerType JobCredentialPrivateKey JobCredentialPublicCertificate
JobFileAppend KillOnBadExit LaunchParameters LaunchType LogTimeFormat MailDomain MailProg MaxDBDMsgs MaxJobId
MaxNodeCount MaxStepCount MaxTasksPerNode MessageTimeout MinJobAge MpiDefault MpiParams NodeAddr NodeHostname
PluginDir PlugStackConfig Port PrEpParameters PrEpPlugins PrivateData ProctrackType PrologEpilogTimeout PrologFlags
PropagatePrioProcess PropagateResourceLimits PropagateResourceLimitsExcept Reason ReconfigFlags ReturnToService
RoutePlugin SlurmSchedLogFile SlurmSchedLogLevel SlurmUser SlurmctldAddr SlurmctldDebug SlurmctldHost
SlurmctldLogFile SlurmctldParameters SlurmctldPidFile SlurmctldPlugstack SlurmctldPort SlurmctldPrimaryOffProg
SlurmctldPrimaryOnProg SlurmctldSyslogDebug SlurmctldTimeout SlurmdDebug SlurmdLogFile SlurmdParameters
SlurmdPidFile SlurmdPort SlurmdSpoolDir SlurmdSyslogDebug SlurmdTimeout SlurmdUser SrunEpilog SrunPortRange
SrunProlog StateSaveLocation SwitchParameters SwitchType TCPTimeout TaskEpilog TaskPlugin TaskPluginParam
TaskProlog TmpDisk TmpFS TrackWCKey TreeWidth UnkillableStepProgram UnkillableStepTimeout UsePAM VSizeFactor
WaitTime X11Parameters
"""
"""Ports, logs, credentials, programs that account for steps: they place no job and delay none that is simulated."""
_MATTER = """
AllocNodes AllowGroups AllowSpecResourcesUsage Alternate BurstBufferType CompleteWait CoreSpecCount CpuSpecList
DefCpuPerGPU DependencyParameters DisableRootJobs Epilog EpilogSlurmctld FederationParameters FrontendAddr
FrontendName JobSubmitPlugins MCSParameters MCSPlugin MaxJobCount MaxMemPerCPU MaxMemPerNode MemSpecLimit
NodeFeaturesPlugins PowerParameters PowerPlugin PriorityParameters PrioritySiteFactorParameters
PrioritySiteFactorPlugin Prolog PrologSlurmctld RebootProgram ReqResv RequeueExit RequeueExitHold ResumeFailProgram
ResumeProgram ResumeRate ResumeTimeout ResvEpilog ResvOverRun ResvProlog RootOnly SchedulerTimeSlice ScronParameters
SuspendExcNodes SuspendExcParts SuspendProgram SuspendRate SuspendTime SuspendTimeout TopologyParam TopologyPlugin
"""
"""Slurm knows these, and they may matter; they are named to the user where a site sets them."""
_READ = """
AccountingStorageEnforce AllowAccounts AllowQos Boards CPUs ClusterName CoresPerSocket Default DefaultTime
DefMemPerCPU DefMemPerGPU DefMemPerNode DenyAccounts DenyQos DownNodes EnforcePartLimits ExclusiveUser
FairShareDampeningFactor Feature Features GraceTime Gres JobRequeue KillWait LLN Licenses MaxArraySize MaxCPUsPerNode
MaxNodes MaxTime MinNodes NodeName NodeSet Nodes OverSubscribe OverTimeLimit PartitionName PreemptExemptTime PreemptMode
PreemptType Priority PriorityCalcPeriod PriorityDecayHalfLife PriorityFavorSmall PriorityFlags PriorityJobFactor
PriorityMaxAge PriorityTier PriorityType PriorityUsageResetPeriod PriorityWeightAge PriorityWeightAssoc
PriorityWeightFairshare PriorityWeightJobSize PriorityWeightPartition PriorityWeightQOS PriorityWeightTRES Procs QOS
RealMemory SchedulerParameters SchedulerType SelectType SelectTypeParameters Shared Sockets SocketsPerBoard State
ThreadsPerCore TRESBillingWeights Weight
"""

NO_BEARING = frozenset(_DAEMONS.lower().split())
"""In lower case."""
ALL_KEYS = {key.lower(): key for key in (_DAEMONS + _MATTER + _READ).split()}
"""Every key that Slurm 22.05 documents, by its lower case; what is none of them may be a slip."""
_OF_OTHER_LINES = """
Boards CPUs ClusterName CoresPerSocket DownNodes Feature Features Gres NodeName NodeSet Procs RealMemory Sockets
SocketsPerBoard ThreadsPerCore Weight ExclusiveUser MaxCPUsPerNode
"""
_OF_PARTITIONS = """
AllowAccounts AllowQos Default DefaultTime DenyAccounts DenyQos GraceTime LLN MaxNodes MaxTime MinNodes Nodes
OverSubscribe Priority PriorityJobFactor PriorityTier QOS Shared State TRESBillingWeights
"""
OF_PARTITIONS = frozenset(_OF_PARTITIONS.lower().split())
"""Keys of partitions alone, in lower case."""
MODELLED = {key.lower(): key for key in _READ.split() if key not in _OF_OTHER_LINES.split()}
"""What a change may set, by its lower case: settings of the cluster and of partitions that the model uses."""
