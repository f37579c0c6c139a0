"""The request to the API server for each action, and the meaning of its answer."""

from collections.abc import Mapping
from typing import Any

from loadmaster.live.kubernetes.api import Answer, Api
from loadmaster.live.kubernetes.pods import parts_of
from loadmaster.live.session.engine import EngineDown, Kind, Refusal
from loadmaster.model.actions import Action, Hold, Repin, Start, Withdraw

_KINDS: dict[int, Kind] = {401: "denied", 403: "denied", 404: "gone", 409: "busy", 422: "busy", 429: "busy"}
_AWAY = (502, 503, 504)
_KEPT = "a pod's schedulerName never changes: it waits for us"


def act(api: Api, action: Action, version: str = "") -> Refusal | None:
    """Do it, or say why not; a pod that is bound is bound in the state that it had at resource version `version`.

    Raises:
        EngineDown: it is not known whether the action was done.
        NotImplementedError: Kubernetes cannot do it, and says so in `Capabilities`.
    """
    if isinstance(action, Start):
        return bind(api, action, version)
    if isinstance(action, Repin):
        return _retry(api, action, version)
    if isinstance(action, Hold):
        node, refusal = _node_of(api, action, action.id)
        return refusal or (Refusal(action, "busy", "a bound pod cannot be unbound") if node else None)
    if isinstance(action, Withdraw):
        return Refusal(action, "denied", _KEPT)
    raise NotImplementedError(type(action).__name__)


def binding(name: str, node: str, version: str = "") -> Mapping[str, Any]:
    """The object that binds a pod to a node: only the pod that was seen, in its state of that resource version."""
    space, pod, uid = parts_of(name)
    meta = {"namespace": space, "name": pod, "uid": uid} | ({"resourceVersion": version} if version else {})
    return {
        "apiVersion": "v1",
        "kind": "Binding",
        "metadata": meta,
        "target": {"apiVersion": "v1", "kind": "Node", "name": node},
    }


def path_of(name: str, beneath: str = "") -> str:
    """Where the API has a pod."""
    space, pod, _ = parts_of(name)
    return f"/api/v1/namespaces/{space}/pods/{pod}{beneath}"


def bind(api: Api, action: Start | Repin, version: str = "") -> Refusal | None:
    """Bind a pod that waits to its node; servers since 1.21 see that it is as it was at `version`.

    Raises:
        EngineDown: it is not known whether the action was done.
    """
    answer = api.ask("POST", path_of(action.id, "/binding"), binding(action.id, action.hosts[0], version))
    if not answer.good:
        return refusal_of(action, answer)
    _, refusal = _node_of(api, action, action.id)  # a server before 1.21 binds a pod of that name with any uid
    return refusal


def _retry(api: Api, action: Repin, version: str) -> Refusal | None:
    """A pod that was asked to start and was not seen to: bound there it is well, not bound it is bound."""
    node, refusal = _node_of(api, action, action.id)
    if refusal is not None or node == action.hosts[0]:
        return refusal
    if node:
        return Refusal(action, "busy", f"it is bound to {node}")
    return bind(api, action, version)


def _node_of(api: Api, action: Action, name: str) -> tuple[str, Refusal | None]:
    """Where the very pod that was seen is bound."""
    answer = api.ask("GET", path_of(name))
    if not answer.good:
        return "", refusal_of(action, answer)
    if answer.body["metadata"]["uid"] != parts_of(name)[2]:
        return "", Refusal(action, "gone", "another pod has its name now")
    return str(answer.body["spec"].get("nodeName") or ""), None


def refusal_of(action: Action, answer: Answer) -> Refusal:
    """What an answer means that was not good.

    Raises:
        EngineDown: a server that is not there has done it, or not.
    """
    if answer.status in _AWAY:
        raise EngineDown(answer.text)
    text = answer.text
    if answer.status == 409 and "UID in precondition" in text:
        return Refusal(action, "gone", text)
    return Refusal(action, _KINDS.get(answer.status, "unknown"), text)
