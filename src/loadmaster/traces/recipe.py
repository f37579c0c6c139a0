"""How a synthetic log was made: written into its file, read back, and made again with other draws (rule R3)."""

import inspect
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from loadmaster.traces.trace import Trace

LABEL = "Generator"
"""The label of the line in a log that says it."""


@dataclass(frozen=True)
class Recipe:
    """A generator with all its parameters.

    Attributes:
        kind: a name of `makers`.
        parameters: of the generator, but for its seed.
        seed: of this very log.

    Example:
        >>> recipe = Recipe("netbatch", {"pool": "A", "jobs": 50, "hosts": 3}, 7)
        >>> Recipe.of(recipe.text) == recipe
        True
        >>> recipe.make(8).workload.jobs
        50
    """

    kind: str
    parameters: Mapping[str, Any]
    seed: int

    @property
    def text(self) -> str:
        """The recipe in one line."""
        return f"{self.kind} {json.dumps({**self.parameters, 'seed': self.seed}, sort_keys=True)}"

    @classmethod
    def of(cls, text: str | None) -> "Recipe | None":
        """The recipe that `text` describes; None if it describes no known one."""
        kind, _, plain = (text or "").strip().partition(" ")
        try:
            parameters = json.loads(plain)
        except ValueError:
            return None
        if kind not in makers() or not isinstance(parameters, dict) or not _are_its_own(kind, parameters):
            return None
        seed = parameters.pop("seed")
        return cls(kind, parameters, seed)

    @property
    def jobs(self) -> int:
        """How many jobs it makes."""
        return int(self.parameters["jobs"])

    def make(self, seed: int) -> "Trace":
        """The log that the generator makes at another seed.

        Raises:
            InputError: a parameter is out of range.
        """
        return makers()[self.kind](**self.parameters, seed=seed)


def makers() -> "dict[str, Callable[..., Trace]]":
    """Every generator whose logs can be made again."""
    from loadmaster.traces.lublin import generate_lublin
    from loadmaster.traces.netbatch import generate_netbatch

    return {"lublin": generate_lublin, "netbatch": generate_netbatch}


def _are_its_own(kind: str, parameters: dict[str, Any]) -> bool:
    """Only parameters that the generator has, jobs and seed among them, and only plain values."""
    accepted = inspect.signature(makers()[kind]).parameters
    whole = all(type(parameters.get(name)) is int and parameters[name] >= 0 for name in ("jobs", "seed"))
    plain = all(value is None or type(value) in (int, float, str) for value in parameters.values())
    return whole and plain and set(parameters) <= set(accepted)
