"""Small configurations for the tests of this folder."""

from loadmaster.site.site import read_site

SMALL = "NodeName=n[1-4] CPUs=8\nPartitionName=main Nodes=ALL Default=YES\n"


def site_of(folder, text):
    """The site of a configuration with this text."""
    path = folder / "slurm.conf"
    path.write_text(text)
    return read_site(path)
