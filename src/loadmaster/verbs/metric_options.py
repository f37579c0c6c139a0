"""Which metrics a verb shows: built-in ones by name, and the user's own functions."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from loadmaster.verbs.option import Option, Options
from loadmaster.verbs.rules import Naming, names_of

if TYPE_CHECKING:
    from loadmaster.runs import Setting


@dataclass(frozen=True, kw_only=True)
class MetricOptions(Options):
    """Which metrics are shown."""

    metrics: Annotated[
        str | Sequence[str | Callable[[Any], float]],
        Option("Metrics that are shown beside the mean wait; also file.py:function.", metavar="A,B,...", typed=str),
    ] = ""

    def metric_names(self, name: Naming) -> tuple[str, ...]:
        """The metrics that were chosen, by name; functions given in Python are named by `name`.

        Raises:
            InputError: no such metric.
        """
        from loadmaster.measure.metric import metric_named

        if not self.metrics:
            return ()
        return tuple(metric_named(each).name for each in names_of(self.metrics, "--metrics", name))


def refuse_metrics_of_no_resource(metrics: Sequence[str], resources: Sequence[str]) -> None:
    """Refuse a metric of a resource that the hosts do not have.

    Raises:
        InputError: it is one.
    """
    from loadmaster.measure.metric import resource_of
    from loadmaster.rules.near import no_such

    for name in metrics:
        resource = resource_of(name)
        if resource is not None and resource not in resources:
            prefix = name.removesuffix(resource)
            known = [f"{prefix}{each}" for each in resources]
            raise no_such(name, known, what="metric", see=f"the hosts have {', '.join(resources)}")


def measuring(settings: "Sequence[Setting]", metrics: Sequence[str]) -> "list[Setting]":
    """The settings with the user's own metrics, which are worked out as a run is made."""
    from dataclasses import replace

    from loadmaster.measure.metric import built_in

    own = tuple(each for each in metrics if built_in(each) is None)
    return [replace(setting, metrics=own) for setting in settings]
