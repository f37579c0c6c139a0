"""Small nodes, pods and other objects of Kubernetes for tests."""

REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"


def node(name, cpu="4", pods="110", labels=None, taints=(), closed=False):
    allocatable = {"cpu": cpu, "memory": "16Gi", "pods": pods}
    spec = {"taints": [dict(each) for each in taints]} | ({"unschedulable": True} if closed else {})
    status = {"allocatable": allocatable, "conditions": [{"type": "Ready", "status": "True"}]}
    meta = {"name": name, "labels": {"kubernetes.io/hostname": name, **(labels or {})}}
    return {"apiVersion": "v1", "kind": "Node", "metadata": meta, "spec": spec, "status": status}


def pod(name, host="", cpu="2", app="", kind="ReplicaSet", annotations=None, **spec):
    meta = {"name": name, "namespace": "web", "labels": {"app": app} if app else {}, "annotations": annotations or {}}
    meta |= {"ownerReferences": [{"kind": kind, "name": f"of-{name}", "controller": True}]} if kind else {}
    requests = {"cpu": cpu, "memory": "1Gi"}
    spec = {"containers": [{"name": "c", "resources": {"requests": requests}}]} | spec
    spec |= {"nodeName": host} if host else {}
    status = {"phase": "Running" if host else "Pending"}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": meta, "spec": spec, "status": status}


def of_app(app, key):
    return {"labelSelector": {"matchLabels": {"app": app}}, "topologyKey": key}


def near(app, key="kubernetes.io/hostname"):
    return {"affinity": {"podAffinity": {REQUIRED: [of_app(app, key)]}}}


def apart(app, key="kubernetes.io/hostname"):
    return {"affinity": {"podAntiAffinity": {REQUIRED: [of_app(app, key)]}}}


def spread(app, key="zone", most=1, **more):
    term = of_app(app, key) | {"maxSkew": most, "whenUnsatisfiable": "DoNotSchedule"} | more
    return {"topologySpreadConstraints": [term]}


def budget(app, name="b", **limits):
    spec = {"selector": {"matchLabels": {"app": app}}} | limits
    meta = {"name": name, "namespace": "web"}
    return {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": meta, "spec": spec}
