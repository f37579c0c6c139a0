"""A real site's own configuration, read: `slurm.conf`, and what only its accounting database knows."""
