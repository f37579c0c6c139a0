"""The interface of a sharing model: how a host divides its CPU among the tasks on it (rule S12)."""

from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np

from loadmaster.model.arrays import Floats
from loadmaster.model.errors import InputError

SLACK = 1e-9
"""Part by which the yields of a host may be more than its cores allow, for rounding."""


class Claims(NamedTuple):
    """What the n tasks of a host may claim beyond what they request; float64[n] each, in cores."""

    low: Floats  # what each is promised, as far as it can use it
    high: Floats  # the most that each may get
    share: Floats  # relative claim on what is left, more than 0

    @classmethod
    def alike(cls, demand: Floats) -> "Claims":
        """Tasks of demand float64[n, R] that are promised nothing, limited by nothing, and count alike."""
        n = len(demand)
        return cls(np.zeros(n), np.full(n, np.inf), np.ones(n))


@runtime_checkable
class SharingModel(Protocol):
    """A host's division of its CPU; pure. Every engine calls it again whenever anything has changed on a host."""

    @property
    def name(self) -> str:
        """As on the command line."""
        ...

    def yields(self, demand: Floats, capacity: Floats, claims: Claims) -> Floats:
        """float64[n]: CPU that each task gets over CPU that it requests, from 0 to 1.

        Args:
            demand: float64[n, R], what each task on the host requests, the CPU first; in the order of their arrival
                there. One that is still on its way has its memory here already, and requests no CPU.
            capacity: float64[R], what the host has. How fast its cores are is no matter of the model.
            claims: minima, maxima and shares of the tasks.

        Some task must get something, and all together no more than the host has. CPU that a host loses, such as by
        thrashing, counts as given to no task.
        """
        ...


def divided(model: SharingModel, demand: Floats, capacity: Floats, claims: Claims | None = None) -> Floats:
    """The yields that `model` gives, as every plain engine takes them: checked, the arguments read-only.

    Raises:
        InputError: the model fails, writes into its arguments, or divides what is not there.

    Example:
        >>> from loadmaster.sharing import ProcessorSharing
        >>> threads, host = np.array([[1.0], [3.0]]), np.array([2.0])
        >>> divided(ProcessorSharing(), threads, host).tolist()
        [0.5, 0.5]
    """
    claims = Claims.alike(demand) if claims is None else claims
    shown = [_read_only(column) for column in (demand, capacity, *claims)]
    try:
        yields = np.asarray(model.yields(shown[0], shown[1], Claims(*shown[2:])), dtype=np.float64)
    except InputError:
        raise
    except Exception as error:  # a user's function may fail in any way
        raise _failed(model.name, error) from error
    _check(model.name, yields, demand, capacity)
    return yields


def check_model(model: object) -> None:
    """Refuse what is no sharing model.

    Raises:
        InputError: it has no name, or no `yields`.
    """
    if not isinstance(model, SharingModel):
        raise InputError(
            type(model).__name__,
            "this is not a sharing model: it has no method that gives yields",
            fix="give it name and yields(demand, capacity, claims)",
        )


def stuck(name: str) -> InputError:
    """The refusal of a model under which the jobs that run would never end."""
    return InputError(name, "under this sharing model some jobs get no CPU for ever", fix="give every task a part")


def _check(name: str, yields: Floats, demand: Floats, capacity: Floats) -> None:
    if yields.shape != (len(demand),):
        rule = f"a sharing model gives one yield a task: {len(demand)} here, not an array of shape {yields.shape}"
        raise InputError(name, rule, fix="return one number for each row of the demand")
    if not len(yields):
        return
    if not ((yields >= 0.0) & (yields <= 1.0 + SLACK)).all():
        worst = yields[np.argmin((yields >= 0.0) & (yields <= 1.0 + SLACK))]
        raise InputError(name, f"a yield lies between 0 and 1, and this is {worst:g}", fix="divide CPU by demand")
    if float(yields @ demand[:, 0]) > capacity[0] * (1.0 + SLACK):
        rule = f"gives {yields @ demand[:, 0]:g} cores of a host that has {capacity[0]:g}"
        raise InputError(name, rule, fix="let yields x demand add up to the cores or less")
    if not (yields > 0.0).any():
        raise InputError(name, "gives no task of a host any CPU", fix="give one of them a part")


def _failed(name: str, error: Exception) -> InputError:
    if "read-only" in str(error):
        return InputError(name, "a sharing model must not change its arguments", fix="work on a copy")
    return InputError(name, f"this sharing model fails: {type(error).__name__}: {str(error)[:120]}")


def _read_only(column: Floats) -> Floats:
    view = np.asarray(column).view()
    view.flags.writeable = False
    return view
