"""The options that take a real site's configuration, written once, and what they come to."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from loadmaster.cli.options import MACHINES

if TYPE_CHECKING:
    from loadmaster.runs import Setting
    from loadmaster.runs.at_site import AtSite

Site = Annotated[
    Path | None,
    typer.Option(
        "--site", metavar="FILE", rich_help_panel=MACHINES,
        help="A real cluster's slurm.conf: its hosts, partitions and limits, and its queue as the discipline site.",
    ),
]  # fmt: skip
SiteAccounts = Annotated[
    Path | None,
    typer.Option(
        "--site-accounts", metavar="FILE", rich_help_panel=MACHINES,
        help="What `sacctmgr show assoc tree -P; sacctmgr show qos -P` or `sacctmgr dump` wrote.",
    ),
]  # fmt: skip


def site_of(site: Path | None, accounts: Path | None, hosts: str | None) -> "AtSite | None":
    """The site that the options name; None where they name none.

    Raises:
        InputError: its accounts without it, machines beside its own, or a file that cannot be read.
    """
    from loadmaster.model import InputError
    from loadmaster.runs.at_site import at_site

    if site is None:
        if accounts is not None:
            raise InputError("--site-accounts", "accounts without their site", fix="give its slurm.conf with --site")
        return None
    if hosts is not None:
        raise InputError("--hosts", "the site names its own machines", fix="leave out --hosts, or leave out --site")
    return at_site(site, accounts)


def usual(typed: "Sequence[str]", policy: str, discipline: str, at: "AtSite | None") -> tuple[str, str]:
    """Policy and discipline of a single run: under a site, where neither is typed, the site's own."""
    if at is None or {"policy", "discipline"} & set(typed):
        return policy, discipline
    return at.policy, "site"


def with_row(settings: "Sequence[Setting]", at: "AtSite | None") -> "list[Setting]":
    """`settings` with the site's own row behind those of each load, unless it is there already."""
    from dataclasses import replace

    from loadmaster.runs.setting import SITE

    if at is None:
        return list(settings)
    own = {
        each.beta: replace(each, policy=at.policy, discipline=SITE, site=at.discipline, interval_s=0.0)
        for each in reversed(settings)
    }
    return [*settings, *(row for row in reversed(own.values()) if row not in settings)]
