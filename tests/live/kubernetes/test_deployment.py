"""The objects that run loadmaster in a cluster: printed, as the guide has them, and taken by an API server."""

import subprocess
from pathlib import Path

import pytest
import real_kubernetes as rk
import yaml
from test_real_kubernetes import until
from typer.testing import CliRunner

from loadmaster.cli.app import app
from loadmaster.live.kubernetes.deployment import rights
from loadmaster.model import InputError
from loadmaster.verbs.live_config import read_config
from loadmaster.verbs.live_kubernetes import KubernetesOptions

GUIDE = Path(__file__).parents[3] / "docs" / "how-to" / "run-on-kubernetes.md"


def printed(*words):
    result = CliRunner().invoke(app, ["live", "kubernetes", *words, "--print", "deployment"])
    assert result.exit_code == 0, result.output
    return result.stdout


def objects(text):
    return {each["kind"]: each for each in yaml.safe_load_all(text)}


def blocks():
    """The YAML of the guide, block by block."""
    return [each.partition("```")[0] for each in GUIDE.read_text().split("```yaml\n")[1:]]


def test_the_guide_has_the_rights_that_the_printed_role_has():
    role = next(each for each in map(yaml.safe_load, blocks()) if isinstance(each, dict) and each.get("rules"))
    assert role["rules"] == rights(evicts=False) == objects(printed())["ClusterRole"]["rules"]
    more = next(each for each in map(yaml.safe_load, blocks()) if isinstance(each, list))
    assert role["rules"] + more == rights(evicts=True) == objects(printed("--moves", "6"))["ClusterRole"]["rules"]


def test_the_options_of_the_line_are_in_the_file_that_the_replicas_read(tmp_path):
    text = printed("--policy", "first-fit", "--interval", "5s", "--kubeconfig", "/mine", "--metrics", "1", "-o", "x")
    (tmp_path / "live.toml").write_text(objects(text)["ConfigMap"]["data"]["live.toml"])
    assert read_config(KubernetesOptions, tmp_path / "live.toml") == {"policy": "first-fit", "interval": "5s"}
    (container,) = objects(text)["Deployment"]["spec"]["template"]["spec"]["containers"]
    assert container["args"][:5] == ["live", "kubernetes", "--config", "/etc/loadmaster/live.toml", "--standby"]


def test_all_of_it_is_in_the_namespace_of_the_lease():
    spaces = {each["metadata"].get("namespace") for each in objects(printed("--lease-namespace", "batch")).values()}
    assert spaces == {"batch", None}  # roles and their bindings are the cluster's


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--interval", "0"), "a live scheduler needs a time between its cycles"),
        (("--shadow",), "the second replica waits for the Lease"),
    ],
)
def test_what_would_fail_in_the_cluster_is_refused(words, says):
    with pytest.raises(InputError, match=says):
        CliRunner().invoke(app, ["live", "kubernetes", *words, "--print", "deployment"], catch_exceptions=False)


@pytest.mark.skipif(bool(rk.why_not(rk.MANAGER)), reason=rk.why_not(rk.MANAGER) or "there is one")
def test_an_api_server_takes_it_and_its_controllers_make_two_replicas(tmp_path):
    (path := tmp_path / "deployment.yaml").write_text(printed("--policy", "first-fit"))
    roles = "/apis/rbac.authorization.k8s.io/v1/cluster"
    account = "system:serviceaccount:kube-system:loadmaster"
    with rk.real_kubernetes(scheduler=False, controllers=["deployment", "replicaset", "serviceaccount"]) as real:
        for kind in ("roles", "rolebindings"):
            real.ask("DELETE", f"{roles}{kind}/loadmaster")

        def kubectl(*words):
            command = [rk.HOME / "bin" / "kubectl", "--kubeconfig", real.config("admin"), *words]
            return subprocess.run([*map(str, command)], capture_output=True, text=True, check=False)

        assert kubectl("apply", "--server-side", "--dry-run=server", "-f", path).returncode == 0
        applied = kubectl("apply", "-f", path)
        assert (applied.returncode, applied.stdout.count("created")) == (0, 5), applied.stderr
        until(lambda: sum("loadmaster" in each["metadata"]["name"] for each in real.items("pods")) == 2)
        assert kubectl("auth", "can-i", "update", "leases", "-n", "kube-system", f"--as={account}").stdout == "yes\n"
        assert kubectl("auth", "can-i", "delete", "pods", f"--as={account}").stdout == "no\n"
