"""What tests on a real API server of Kubernetes do to it."""

import time
from contextlib import contextmanager

import real_kubernetes as rk
from typer.testing import CliRunner

from loadmaster.cli.app import app
from loadmaster.live.kubernetes.api import Api
from loadmaster.live.kubernetes.engine import KubernetesEngine


@contextmanager
def engine(real, user="loadmaster", **more):
    made = KubernetesEngine(Api(real.config(user)), **more)
    try:
        yield made
    finally:
        made.close()


def add(real, *items):
    """Nodes and pods as the API takes them; the uids of the pods."""
    found = {}
    for item in items:
        if "containers" in item["spec"]:
            item["metadata"] = {key: value for key, value in item["metadata"].items() if value}
            item["metadata"].pop("creationTimestamp"), item["metadata"].pop("uid", None)
            item["metadata"]["annotations"] = {rk.SECONDS: item["metadata"]["annotations"]["runs_s"]}
            item["spec"]["containers"][0] |= {"image": "none"}
            resources = item["spec"]["containers"][0]["resources"]
            resources["limits"] = {key: value for key, value in resources["requests"].items() if "/" in key}
            found[item["metadata"]["name"]] = real.add_pod(item)
        else:
            item["status"]["capacity"] = item["status"]["allocatable"]
            real.add_node(item)
    return found


def named(uids, name):
    return f"default/{name}@{uids[name]}"


def host_of(real, name):
    return real.ask("GET", f"/api/v1/namespaces/default/pods/{name}").body["spec"].get("nodeName", "")


def until(holds, patience_s=60.0):
    end = time.monotonic() + patience_s
    while not holds():
        assert time.monotonic() < end, "not within its time"
        time.sleep(0.05)


def verb(*words):
    return CliRunner().invoke(app, [*map(str, words)])


class Behind:
    """The server's API, whose first watch begins at a version that the server has forgotten."""

    def __init__(self, api):
        self._api, self.late = api, True

    def read(self, path):
        return self._api.read(path)

    def follow(self, path):
        if self.late:
            self.late = False
            path = path.rpartition("=")[0] + "=1"
        return self._api.follow(path)
