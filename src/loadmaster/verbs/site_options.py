"""The options that take a real site's configuration, and the values that they give."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from loadmaster.verbs.common_options import MACHINES
from loadmaster.verbs.log_options import LogOptions
from loadmaster.verbs.option import Option

if TYPE_CHECKING:
    from loadmaster.runs import Setting
    from loadmaster.runs.site_case import SiteCase
    from loadmaster.site.changes import SiteChange


@dataclass(frozen=True, kw_only=True)
class SiteOptions(LogOptions):
    """Jobs and machines, these also of a real site."""

    site: Annotated[
        "str | Path | None",
        Option(
            "A real cluster's slurm.conf, or what `fit` wrote: its hosts, its limits, its queue as the row site.",
            metavar="FILE",
            panel=MACHINES,
            reads=True,
            typed=Path | None,
        ),
    ] = None
    site_accounts: Annotated[
        "str | Path | None",
        Option(
            "What `sacctmgr show assoc tree -P; sacctmgr show qos -P` or `sacctmgr dump` wrote.",
            metavar="FILE",
            panel=MACHINES,
            reads=True,
            typed=Path | None,
        ),
    ] = None

    @property
    def files(self) -> list[Path]:
        """Those of the inputs that are files."""
        named = [Path(each) for each in (self.site, self.site_accounts) if each is not None]
        return [*super().files, *(path for path in named if path.is_file())]

    @property
    def change(self) -> "SiteChange | None":
        """What of the site is changed before it is used; a verb without such options changes nothing."""
        return None

    def at_site(self) -> "SiteCase | None":
        """The site, with its change; None where none is named.

        Raises:
            InputError: its accounts without it, machines beside its own, or a file that cannot be read.
        """
        from loadmaster.model import InputError

        change = self.change
        if self.site is None:
            if self.site_accounts is not None:
                fix = "give its slurm.conf with --site"
                raise InputError("--site-accounts", "accounts without their site", fix=fix)
            return None
        return self.site_with(change)

    def site_with(self, change: "SiteChange | None") -> "SiteCase":
        """The site with a change, whatever else is asked of it.

        Raises:
            InputError: machines beside its own, or a file or a change that cannot be used.
        """
        from loadmaster.model import InputError
        from loadmaster.runs.site_case import site_case
        from loadmaster.site.fitted_queue import is_fitted

        if self.machines is not None and not is_fitted(Path(str(self.site))):
            fix = "leave out --hosts, or leave out --site"
            raise InputError("--hosts", "the site names its own machines", fix=fix)
        assert self.site is not None
        accounts = None if self.site_accounts is None else Path(self.site_accounts)
        case = site_case(Path(self.site), accounts, self.machines, change)
        return replace(case, cluster=self.unnamed_cluster(case.cluster))


def with_row(settings: "Sequence[Setting]", at: "SiteCase | None") -> "list[Setting]":
    """`settings` with the site's own row behind those of each load, unless it is there already."""
    if at is None:
        return list(settings)
    own = {each.beta: at.own(replace(each, policy=at.policy)) for each in reversed(settings)}
    return [*settings, *(row for row in reversed(own.values()) if row not in settings)]
