"""Quality of service, models of GPUs and how pods ended, in Alibaba's openb."""

from loadmaster.scheduling.resolved_constraints import binds
from loadmaster.traces import read_hosts, read_trace
from traces.logs import write

PODS = (
    "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,deletion_time,scheduled_time\n"
    "openb-pod-0001,6000,12288,1,460,{first},LS,Failed,0,90,10\n"
    "openb-pod-0002,6000,12288,0,0,,BE,Running,5,90,10\n"
)
NODES = "sn,cpu_milli,memory_mib,gpu,model\nopenb-node-1,32000,262144,2,V100M16\nopenb-node-2,32000,262144,0,\n"


def test_a_model_of_a_gpu_is_a_feature_of_jobs_and_hosts(tmp_path):
    work = read_trace(write(tmp_path, "openb_pod_list.csv", PODS.format(first="V100M16|V100M32"))).workload
    hosts = read_hosts(str(write(tmp_path, "nodes.csv", NODES)))
    assert work.constraints.features.words() == ["V100M16|V100M32", None]
    assert (work.constraints.qos.words(), work.constraints.status.tolist()) == (["LS", "BE"], [1, 0])
    assert hosts.rules.features == (("V100M16",), ())
    assert binds(work, hosts)


def test_hosts_with_features_that_nobody_asks_for_bind_nobody(tmp_path):
    work = read_trace(write(tmp_path, "openb_pod_list.csv", PODS.format(first=""))).workload
    assert not binds(work, read_hosts(str(write(tmp_path, "nodes.csv", NODES))))
