"""`open`: the result that a verb has stored in a folder."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from loadmaster.verbs.result import Result


def open(folder: str | Path) -> "Result":
    """The result that a verb has written into `folder`, of whatever verb; nothing is run again.

    Of a live cluster's folder it is the run, as `simulate` gives it.

    Raises:
        InputError: there is no such folder, no whole result in it, or it was changed.
    """
    from loadmaster.verbs.kept_folder import kind_of
    from loadmaster.verbs.simulate import opened

    path = Path(folder)
    return read_result(path) if kind_of(path) == "result" else opened(path)


def read_result(folder: Path) -> "Result":
    """The result in a folder that is known to hold one.

    Raises:
        InputError: it was changed, or is none.
    """
    from loadmaster.model.errors import InputError
    from loadmaster.report.chart_spec import CHARTS
    from loadmaster.results.values import read_value
    from loadmaster.verbs.result import Result

    result: Any = read_value(folder, CHARTS)[1]
    if not isinstance(result, Result):
        raise InputError(folder, "this file holds no result of a verb", fix="make it again")
    return result
