"""Data never executes: a record that carries Python of its own is run again only by who says that it may."""

from loadmaster.model import InputError
from loadmaster.rules.find import given
from loadmaster.runs.record import Record


def check_trust(record: Record, trust: bool) -> None:
    """Refuse to go on if the run of `record` took a policy from a file, unless `trust`.

    The name of a file counts as well as its text: what stands at that place may be anybody's.

    Raises:
        InputError: it did, and is not trusted.
    """
    files = given(record.setting.specs)
    if files and not trust:
        raise InputError(
            ", ".join(files), "this record carries Python, which would be run",
            fix="read it under `sources` in run.json; if you trust it, say --trust",
        )  # fmt: skip
