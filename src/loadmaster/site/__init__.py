"""A real site's own configuration, read: `slurm.conf`, and what is only in its accounting database."""
