"""Checks a Kubernetes and reports what prevents a live run; changes nothing."""

import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from loadmaster.live.kubernetes.api import UNAUTHORIZED, WHO, Api
from loadmaster.live.kubernetes.engine import NODES, PODS
from loadmaster.live.kubernetes.lease import LeaseTerms
from loadmaster.live.kubernetes.observation import KubernetesListings, KubernetesObserver, gang_reasons
from loadmaster.live.kubernetes.parsing import is_pod
from loadmaster.live.kubernetes.pod_places import OTHERS, kinds_named
from loadmaster.live.kubernetes.pods import PodScope
from loadmaster.live.session.engine import HELD, Observation
from loadmaster.live.session.finding import Finding, host_count, left_out, listing_time

SKEW_S = 2.0
_OLDEST = (1, 21)
_REVIEW = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"

_EXPLAINS, _MUTE = (("patch", "pods/status"), ("create", "events")), "pods do not say why they wait"
_CHANGED = ("persistentvolumeclaims", "persistentvolumes")
_NO_VOLUME = "pods whose volume waits for its first pod (WaitForFirstConsumer) do not start"


@dataclass(frozen=True)
class RequiredRight:
    """Something that a run needs to be allowed; `looking`: a shadow needs it too; `spared`: what follows without it."""

    verb: str
    resource: str
    group: str = ""
    space: str = ""
    looking: bool = False
    spared: str = ""

    def __str__(self) -> str:
        return f"{self.verb} {self.resource}" + (f" in {self.space}" if self.space else "")


def examine(
    api: Api,
    scope: PodScope = PodScope(),
    lease_namespace: str = LeaseTerms().namespace,
    *,
    moves: bool = False,
) -> list[Finding]:
    """Version, rights (to move pods too), latency, clocks, and which pods would be left out and why.

    Raises:
        EngineDown: the server stopped answering.
        InputError: it lets us look at nothing.
    """
    version = api.ask("GET", "/version")
    if version.status == UNAUTHORIZED:
        return [Finding("bad", f"{api.host} does not accept these credentials: {version.text}", WHO)]
    moving = needed_to_move(scope.namespaces) if moves else []
    rights, may_look = _rights(api, needed(scope.namespaces, lease_namespace) + moving)
    findings = [_version(api.host, version.body), *rights]
    return [*findings, *_pods(api, scope)] if may_look else findings


def needed(namespaces: Sequence[str], lease_namespace: str) -> list[RequiredRight]:
    """Every right that a run needs."""
    leases = [
        RequiredRight(verb, "leases", "coordination.k8s.io", lease_namespace) for verb in ("get", "create", "update")
    ]
    places = namespaces or ("",)
    acts = [
        RequiredRight(*what, space=space) for space in places for what in (("get", "pods"), ("create", "pods/binding"))
    ] + [RequiredRight(*what, space=space, spared=_MUTE) for space in places for what in _EXPLAINS]
    looks = [RequiredRight("list", what, looking=True) for what in ("nodes", "pods")]
    watches = [RequiredRight("watch", what, spared="everything is listed in every cycle") for what in ("nodes", "pods")]
    others = [_listing_right(path) for path in OTHERS.values()]
    changes = [RequiredRight("patch", what, spared=_NO_VOLUME) for what in _CHANGED]
    return [*looks, *watches, *others, *acts, *changes, *leases]


def _listing_right(path: str) -> RequiredRight:
    """To list what the API has at `/api/VERSION/RESOURCE` or `/apis/GROUP/VERSION/RESOURCE`."""
    _, _, *group, _, resource = path.split("/")
    return RequiredRight("list", resource, "".join(group), spared="pods that refer to them are left out")


def needed_to_move(namespaces: Sequence[str]) -> list[RequiredRight]:
    """What moves and preemption need beside."""
    evicts = [RequiredRight("create", "pods/eviction", space=space) for space in namespaces or ("",)]
    return [*evicts, RequiredRight("list", "poddisruptionbudgets", "policy")]


def _version(host: str, about: Mapping[str, Any]) -> Finding:
    text = f"Kubernetes {about.get('gitVersion', 'without a version')} at {host}"
    digits = ["".join(sign for sign in str(about.get(part, "")) if sign.isdigit()) for part in ("major", "minor")]
    if all(digits) and tuple(map(int, digits)) < _OLDEST:
        return Finding("note", f"{text}: it may bind a new pod of the same name; each binding is checked afterwards")
    return Finding("ok", text)


def _rights(api: Api, rights: Sequence[RequiredRight]) -> tuple[list[Finding], bool]:
    """What we may, and whether that is enough to look on."""
    missing = [right for right in rights if not _may(api, right)]
    if not missing:
        return [Finding("ok", f"you may {', '.join(map(str, rights))}")], True
    return [_lacking(right) for right in missing], not any(right.looking for right in missing)


def _lacking(right: RequiredRight) -> Finding:
    fix = "see the ClusterRole in the guide"
    if right.spared:
        return Finding("note", f"you may not {right}: {right.spared}", fix)
    return Finding("bad", f"you may not {right}", fix)


def _may(api: Api, right: RequiredRight) -> bool:
    resource, _, beneath = right.resource.partition("/")
    attributes = {"verb": right.verb, "resource": resource, "group": right.group, "namespace": right.space}
    attributes |= {"subresource": beneath} if beneath else {}
    body = {
        "apiVersion": "authorization.k8s.io/v1",
        "kind": "SelfSubjectAccessReview",
        "spec": {"resourceAttributes": attributes},
    }
    answer = api.ask("POST", _REVIEW, body)
    return answer.good and bool((answer.body.get("status") or {}).get("allowed"))


def _pods(api: Api, scope: PodScope) -> list[Finding]:
    """How long listing takes, and what a live run and a shadow would find."""
    begun, now_s = time.perf_counter(), time.time()
    answer = api.look(PODS)
    took_s = time.perf_counter() - begun
    items = [item for item in answer.body.get("items") or () if is_pod(item)]
    replies = {kind: api.ask("GET", OTHERS[kind]) for kind in kinds_named(items)}
    listings = KubernetesListings(
        now_s,
        api.read(NODES).get("items") or (),
        answer.body.get("items") or (),
        others={kind: reply.body.get("items") or () for kind, reply in replies.items() if reply.good},
    )
    findings = [listing_time(took_s, "pods"), *_skew(answer.server_s - now_s, took_s)]
    ours = KubernetesObserver(scope)
    live = ours.see(listings)
    text = host_count(live.up, "node", "pods")
    findings.append(Finding("ok", f"{text}; resources: {', '.join(live.jobs.resources)}"))
    findings += _whose(f"pods with schedulerName {scope.scheduler}", live)
    findings += [Finding("note", gang_reasons(gang, pods)) for gang, pods in ours.gangs.items()]
    return findings + _whose("pods of any scheduler", KubernetesObserver(scope._replace(everyone=True)).see(listings))


def _whose(whose: str, seen: Observation) -> list[Finding]:
    waiting = int((seen.tasks.state == HELD).sum())
    findings = [Finding("ok", f"{whose}: {waiting:,} wait and can be placed, {len(seen.left_out):,} left out")]
    return findings + left_out(seen.left_out, lambda name: name.partition("@")[0])


def _skew(skew_s: float, took_s: float) -> list[Finding]:
    """A clock that is not told is none that is wrong."""
    if math.isnan(skew_s) or abs(skew_s) <= SKEW_S + took_s:
        return []
    what = f"the server's clock is {abs(skew_s):.0f} s {'ahead' if skew_s > 0 else 'behind'}"
    return [Finding("bad", what, "set the clocks: leases and arrivals depend on them")]
