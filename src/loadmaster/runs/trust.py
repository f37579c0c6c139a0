"""Data never executes: a record that carries Python is run again only with --trust."""

from loadmaster.model import InputError
from loadmaster.rules.by_value import is_given
from loadmaster.rules.find import given
from loadmaster.runs.record import Record
from loadmaster.runs.setting import Setting


def check_trust(record: Record, trust: bool) -> None:
    """Refuse to go on if the run of `record` took a policy from a file, unless `trust`.

    The name of a file counts as well as its text, since any user may have written the file at that place.

    Raises:
        InputError: it did, and is not trusted; or it took an object of the process that made it.
    """
    for path in given(record.setting.specs):
        if is_given(path) and path not in record.sources:
            rule = "this rule was called in the process that made the run, and its state is not in the record"
            raise InputError(path, rule, fix="simulate again with the object")
    refuse_untrusted(record.setting, trust, "`sources` in run.json")


def refuse_untrusted(setting: Setting, trust: bool, where: str) -> None:
    """The same of a setting that was written down; `where` says in which file its Python can be read.

    Raises:
        InputError: it names a file, and is not trusted.
    """
    files = given(setting.specs)
    if files and not trust:
        raise InputError(
            ", ".join(files),
            "this record has Python code, which would be run",
            fix=f"read it under {where}; if you trust it, say --trust",
        )
