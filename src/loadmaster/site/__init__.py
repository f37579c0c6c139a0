"""A real site's own configuration, read: `slurm.conf`, and what only its accounting database knows."""

from loadmaster.site.site import Site, read_site

__all__ = ["Site", "read_site"]
