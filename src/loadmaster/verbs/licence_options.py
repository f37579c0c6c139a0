"""The option that says how many licences, and how large burst buffers, the whole cluster has."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Literal

from loadmaster.verbs.common_options import MACHINES
from loadmaster.verbs.log_options import LogOptions
from loadmaster.verbs.option import Option

if TYPE_CHECKING:
    from loadmaster.model import Cluster, Workload
    from loadmaster.model.limits import Amounts
    from loadmaster.traces import Trace


@dataclass(frozen=True, kw_only=True)
class LicenceOptions(LogOptions):
    """Jobs, machines, and amounts that belong to no host."""

    licences: Annotated[
        "str | Mapping[str, float]",
        Option(
            "Licences and burst buffers of the whole cluster: matlab=20,bb/scratch=10T. Jobs that request them wait "
            "until they are free.",
            metavar="NAME=AMOUNT,...",
            panel=MACHINES,
            typed=str,
        ),
    ] = ""

    def equipped(self, cluster: "Cluster") -> "Cluster":
        """The cluster with these licences; one of the same name replaces its own.

        Raises:
            InputError: a licence that does not read so.
        """
        from loadmaster.model.licences import with_licences

        cluster = super().equipped(cluster)
        return with_licences(cluster, self._given()) if self.licences else cluster

    def trace_read_for(
        self, cluster: "Cluster | None", spread: 'Literal["auto", "single-host", "any", "asked"]'
    ) -> "Trace":
        """The log, of which some job requests each of these licences.

        Raises:
            InputError: the log cannot be read, or no job requests one of them.
        """
        read = super().trace_read_for(cluster, spread)
        if self.licences:
            self._refuse_unasked(read.workload)
        return read

    def _refuse_unasked(self, workload: "Workload") -> None:
        from loadmaster.model import InputError
        from loadmaster.model.licences import parse_licences
        from loadmaster.rules.near import near_to

        column = None if workload.constraints is None else workload.constraints.licences
        asked = {name for text in (column.names if column is not None else ()) for name, _ in parse_licences(text)}
        for name, _ in self._given():
            if name not in asked:
                near = near_to(name, sorted(asked))
                fix = f"did you mean {near}?" if near else "leave it out"
                raise InputError(f"--licences {name}", "no job of the log requests it, so it changes nothing", fix=fix)

    def _given(self) -> "Amounts":
        from loadmaster.model import InputError
        from loadmaster.model.licences import parse_licences

        text = self.licences
        if isinstance(text, Mapping):
            text = ",".join(f"{name}={amount:.15g}" for name, amount in text.items())
        try:
            return parse_licences(text)
        except InputError as error:
            fix = "write it like --licences matlab=20,bb/scratch=10T"
            raise InputError(error.value, error.rule, fix=fix, where="--licences") from None
