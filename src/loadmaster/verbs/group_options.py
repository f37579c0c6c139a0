"""The option that breaks results down by partition, user and so on."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from loadmaster.verbs.option import Option, Options

if TYPE_CHECKING:
    from loadmaster.model import Workload


@dataclass(frozen=True, kw_only=True)
class GroupOptions(Options):
    """By what jobs are grouped."""

    by: Annotated[
        str | Sequence[str],
        Option(
            "Show waits, use, losses and stranded GPUs by partition, qos, account, user, size, gpu, hour, weekday, "
            "month.",
            metavar="A,B,...",
            typed=str,
        ),
    ] = ""

    def groupings_of(self, workload: "Workload") -> tuple[str, ...]:
        """The groupings that were chosen; () where none was.

        Raises:
            InputError: one is no grouping, or the log has nothing of the kind.
        """
        from loadmaster.measure.job_groups import chosen_groupings

        names = self.by.split(",") if isinstance(self.by, str) else self.by
        return chosen_groupings(workload, [name.strip() for name in names if name.strip()])
