"""A real site's own configuration, read: `slurm.conf`, and what only its accounting database knows."""

from loadmaster.site.accounts import Accounts, read_accounts
from loadmaster.site.site import Site, read_site

__all__ = ["Accounts", "Site", "read_accounts", "read_site"]
