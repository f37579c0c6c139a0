"""The option that says how many licences, and how large burst buffers, the whole cluster has."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from loadmaster.verbs.common_options import MACHINES
from loadmaster.verbs.log_options import LogOptions
from loadmaster.verbs.option import Option

if TYPE_CHECKING:
    from loadmaster.model import Cluster


@dataclass(frozen=True, kw_only=True)
class LicenceOptions(LogOptions):
    """Jobs, machines, and amounts that belong to no host."""

    licences: Annotated[
        "str | Mapping[str, float]",
        Option(
            "Licences and burst buffers of the whole cluster: matlab=20,bb/scratch=10T. Jobs that ask for them wait "
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
        from loadmaster.model import InputError
        from loadmaster.model.licences import parse_licences, with_licences

        if not self.licences:
            return cluster
        text = self.licences
        if isinstance(text, Mapping):
            text = ",".join(f"{name}={amount:.15g}" for name, amount in text.items())
        try:
            return with_licences(cluster, parse_licences(text))
        except InputError as error:
            fix = "write it like --licences matlab=20,bb/scratch=10T"
            raise InputError(error.value, error.rule, fix=fix, where="--licences") from None
