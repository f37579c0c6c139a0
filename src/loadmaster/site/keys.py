"""The keys of a `slurm.conf` (rule L8): those of no bearing on any job, those that may have one, those read."""

_DAEMONS = """
AccountingStorageBackupHost AccountingStorageExternalHost AccountingStorageHost AccountingStorageLoc
AccountingStorageParameters AccountingStoragePass AccountingStoragePort AccountingStorageTRES AccountingStorageType
AccountingStorageUser AccountingStoreFlags AccountingStoreJobComment AcctGatherEnergyType AcctGatherFilesystemType
AcctGatherInfinibandType AcctGatherInterconnectType AcctGatherNodeFreq AcctGatherProfileType AuthAltParameters
AuthAltTypes AuthInfo AuthType BackupAddr BackupController BatchStartTimeout BcastAddr BcastExclude BcastParameters
CacheGroups CertgenParameters CertgenType CertmgrParameters CertmgrType CheckpointType CliFilterParameters
CliFilterPlugins CommunicationParameters ControlAddr ControlMachine CoreSpecPlugin CpuBind CpuFreqDef
CpuFreqGovernors CredType CryptoType DataParserParameters DebugFlags DefaultStorageHost DefaultStorageLoc
DefaultStoragePass DefaultStoragePort DefaultStorageType DefaultStorageUser EioTimeout EpilogMsgTime EpilogTimeout
ExtSensorsFreq ExtSensorsType FastSchedule FirstJobId GetEnvTimeout GpuFreqDef GresTypes GroupUpdateForce
GroupUpdateTime HashPlugin HealthCheckInterval HealthCheckNodeState HealthCheckProgram HealthCheckTimeout Hidden
HttpParserType InactiveLimit InteractiveStepOptions JobAcctGatherFrequency JobAcctGatherParams JobAcctGatherType
JobCheckpointDir JobCompHost JobCompLoc JobCompParams JobCompPass JobCompPassScript JobCompPort JobCompType
JobCompUser JobContainerType JobCredentialPrivateKey JobCredentialPublicCertificate JobFileAppend KeepAliveTime
KillOnBadExit LaunchParameters LaunchType Location LogTimeFormat MailDomain MailProg MaxBatchRequeue MaxDBDMsgs
MaxJobId MaxNodeCount MaxStepCount MaxTasksPerNode MemLimitEnforce MessageTimeout MetricsAuthUsers MetricsParameters
MetricsType MinJobAge MpiDefault MpiParams NamespaceType NodeAddr NodeHostname Parameters PlugStackConfig PluginDir
Port PowerAction PrEpParameters PrEpPlugins PrivateData ProctrackType Program PrologEpilogTimeout PrologFlags
PrologTimeout PropagatePrioProcess PropagateResourceLimits PropagateResourceLimitsExcept Reason ReconfigFlags
ReturnToService RoutePlugin SallocDefaultCommand SbcastParameters SchedulerAuth SchedulerPort SchedulerRootFilter
SerializerParameters SerializerPlugins SlurmSchedLogFile SlurmSchedLogLevel SlurmUser SlurmctldAddr SlurmctldDebug
SlurmctldHost SlurmctldHttpAuthParameters SlurmctldLogFile SlurmctldParameters SlurmctldPidFile SlurmctldPlugstack
SlurmctldPort SlurmctldPrimaryOffProg SlurmctldPrimaryOnProg SlurmctldSyslogDebug SlurmctldTimeout SlurmdDebug
SlurmdHttpAuthParameters SlurmdLogFile SlurmdParameters SlurmdPidFile SlurmdPort SlurmdSpoolDir SlurmdSyslogDebug
SlurmdTimeout SlurmdUser SlurmrestdHttpAuthParameters SlurmrestdParameters SlurmstepdParameters SrunEpilog
SrunPortRange SrunProlog StateSaveLocation SwitchParameters SwitchType TCPTimeout TLSParameters TLSType TaskEpilog
TaskPlugin TaskPluginParam TaskProlog TmpDisk TmpFS TrackWCKey TreeWidth UnkillableStepProgram UnkillableStepTimeout
UrlParserType UsePAM VSizeFactor WaitTime X11Parameters
"""
"""Ports, logs, credentials, programs that account for steps: they place no job and delay none that is simulated."""
_MATTER = """
AllocNodes AllowGroups AllowSpecResourcesUsage AllowUsers Alternate BurstBufferParameters BurstBufferType CompleteWait
CpuSpecList DefCpuPerGPU DefRuntimePlugin DenyGroups DenyUsers DependencyParameters DisableRootJobs Epilog
EpilogSlurmctld FederationParameters FrontendAddr FrontendName GresConf JobSubmitPlugins LicenseParameters
MCSParameters MCSPlugin MaxCPUsPerSocket MaxJobCount MaxMemPerCPU MaxMemPerNode MemSpecLimit NodeFeaturesPlugins
PowerDownOnIdle PowerParameters PowerPlugin PreemptParameters PriorityParameters PrioritySiteFactorParameters
PrioritySiteFactorPlugin Prolog PrologSlurmctld RebootProgram ReqResv RequeueExit RequeueExitHold RestrictedCoresPerGPU
ResumeFailProgram ResumeRate ResvEpilog ResvOverRun ResvProlog RootOnly SchedulerTimeSlice ScronParameters
SuspendExcStates SuspendRate SuspendTimeout TRESWeights Topology TopologyParam TopologyPlugin
"""
"""Slurm knows these, and they may matter; they are named to the user where a site sets them."""
_READ = """
AccountingStorageEnforce AllowAccounts AllowQos Boards CPUs ClusterName CoreSpecCount CoresPerSocket DefMemPerCPU
DefMemPerGPU DefMemPerNode Default DefaultTime DenyAccounts DenyQos DownNodes EnforcePartLimits Exclusive ExclusiveTopo
ExclusiveUser FairShareDampeningFactor Feature Features GraceTime Gres JobRequeue KillWait LLN Licenses MaxArraySize
MaxCPUsPerNode MaxNodes MaxTime MinNodes NodeName NodeSet Nodes OverSubscribe OverTimeLimit PartitionName
PreemptExemptTime PreemptMode PreemptType Priority PriorityCalcPeriod PriorityDecayHalfLife PriorityFavorSmall
PriorityFlags PriorityJobFactor PriorityMaxAge PriorityTier PriorityType PriorityUsageResetPeriod PriorityWeightAge
PriorityWeightAssoc PriorityWeightFairshare PriorityWeightJobSize PriorityWeightPartition PriorityWeightQOS
PriorityWeightTRES Procs QOS RealMemory ResumeProgram ResumeTimeout SchedulerParameters SchedulerType SelectType
SelectTypeParameters Shared Sockets SocketsPerBoard State SuspendExcNodes SuspendExcParts SuspendProgram SuspendTime
TRESBillingWeights ThreadsPerCore Weight
"""

NO_BEARING = frozenset(_DAEMONS.lower().split())
"""In lower case."""
ALL_KEYS = {key.lower(): key for key in (_DAEMONS + _MATTER + _READ).split()}
"""Every key of the releases 20.11 to 26.05 of Slurm, by its lower case; what is none of them may be a slip."""
_OF_OTHER_LINES = """
Boards CPUs ClusterName CoresPerSocket DownNodes Feature Features Gres NodeName NodeSet Procs RealMemory Sockets
SocketsPerBoard ThreadsPerCore Weight CoreSpecCount ExclusiveTopo ExclusiveUser MaxCPUsPerNode
"""
_OF_PARTITIONS = """
AllowAccounts AllowQos Default DefaultTime DenyAccounts DenyQos Exclusive GraceTime LLN MaxNodes MaxTime MinNodes Nodes
OverSubscribe Priority PriorityJobFactor PriorityTier QOS Shared State TRESBillingWeights
"""
OF_PARTITIONS = frozenset(_OF_PARTITIONS.lower().split())
"""Keys of partitions alone, in lower case."""
MODELLED = {key.lower(): key for key in _READ.split() if key not in _OF_OTHER_LINES.split()}
"""What a change may set, by its lower case: settings of the cluster and of partitions that the model uses."""
