"""Evictions by the API, which keeps PodDisruptionBudgets; its versions are what the server says it has."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from loadmaster.live.kubernetes.actions import path_of, refusal_of
from loadmaster.live.kubernetes.api import Api
from loadmaster.live.kubernetes.parsing import NOT_READ, name_of, why_unread
from loadmaster.live.kubernetes.pods import parts_of
from loadmaster.live.session.engine import Refusal
from loadmaster.model.actions import Move, Stop
from loadmaster.packing.kubernetes_affinity import check_selector, selects

VERSIONS = ("v1", "v1beta1")


class Evictions:
    """Evicts pods, one at a time.

    Args:
        api: of the cluster.
    """

    def __init__(self, api: Api) -> None:
        self._api = api
        self._version = ""
        self.unread: list[tuple[str, str]] = []
        """Budgets that could not be read when last requested: name and why. The API keeps them all the same."""

    def version(self) -> str:
        """The API version of an eviction, such as `policy/v1`; "" where the server has none."""
        if not self._version:
            resources = self._api.ask("GET", "/api/v1").body.get("resources") or ()
            resource = next((each for each in resources if each.get("name") == "pods/eviction"), None)
            self._version = "" if resource is None else f"{resource.get('group')}/{resource.get('version')}"
        return self._version

    def evict(self, action: Move | Stop) -> Refusal | None:
        """Ask for it; a budget that allows no disruption now refuses it as `busy`.

        Raises:
            EngineDown: it is not known whether the action was done.
        """
        if not self.version():
            return Refusal(action, "denied", "this server evicts no pods")
        space, name, uid = parts_of(action.id)
        answer = self._api.ask(
            "POST",
            path_of(action.id, "/eviction"),
            {
                "apiVersion": self.version(),
                "kind": "Eviction",
                "metadata": {"namespace": space, "name": name},
                "deleteOptions": {"preconditions": {"uid": uid}},
            },
        )
        return None if answer.good else refusal_of(action, answer)

    def budgets(self) -> list["Budget"]:
        """PodDisruptionBudgets of all namespaces; none where we may not look: the API keeps them all the same."""
        group = self._api.ask("GET", "/apis/policy")
        served = {each.get("version") for each in group.body.get("versions") or ()} if group.good else set()
        version = next((each for each in VERSIONS if each in served), None)
        if version is None:
            return []
        answer = self._api.ask("GET", f"/apis/policy/{version}/poddisruptionbudgets")
        budgets_read: list[Budget] = []
        self.unread = []
        for item in answer.body.get("items") or () if answer.good else ():
            try:
                budgets_read.append(Budget(item, version))
            except NOT_READ as error:
                self.unread.append((name_of(item), why_unread(error, "PodDisruptionBudget")))
        return budgets_read


class Budget:
    """A PodDisruptionBudget as it stands.

    Attributes:
        allows: so many pods may be disrupted now, as the cluster's disruption controller last wrote it.

    Raises:
        KeyError, TypeError, AttributeError, ValueError: it is not as an API server writes it.
    """

    def __init__(self, item: Mapping[str, Any], version: str) -> None:
        self._selector, self._version = (item.get("spec") or {}).get("selector"), version
        self._space = item["metadata"]["namespace"]
        self.allows = int((item.get("status") or {}).get("disruptionsAllowed") or 0)
        check_selector(self._selector)

    def covers(self, item: Mapping[str, Any]) -> bool:
        """Whether a pod counts for it; an empty selector chooses nothing before `policy/v1`."""
        if not self._selector and self._version != "v1":
            return False
        here = self._space == item["metadata"].get("namespace", "default")
        return bool(here and selects(self._selector, item["metadata"].get("labels") or {}))


def barred(item: Mapping[str, Any], budgets: Sequence[Budget]) -> str:
    """Why budgets keep a pod where it is; empty if they do not."""
    mine = [each for each in budgets if each.covers(item)]
    if len(mine) > 1:
        return "it counts for several PodDisruptionBudgets, which the API does not evict"
    return "its PodDisruptionBudget allows no disruption now" if mine and mine[0].allows < 1 else ""


def together(names: Iterable[str], budget_of: Mapping[str, int], allows: Sequence[int]) -> list[str]:
    """Of pods that count for one budget, the first so many as it lets go now.

    Args:
        names: of pods, those that should rather go first.
        budget_of: which budget each counts for; those that are not here count for none.
        allows: of each budget, how many may go.

    Example:
        >>> together(["a", "b", "c"], {"a": 0, "b": 0}, [1])
        ['a', 'c']
    """
    left, chosen = list(allows), []
    for name in names:
        budget = budget_of.get(name)
        if budget is not None:
            left[budget] -= 1
        if budget is None or left[budget] >= 0:
            chosen.append(name)
    return chosen
