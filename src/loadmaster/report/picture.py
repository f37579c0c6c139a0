"""Pictures of charts: .png and .svg, drawn by vl-convert, which is in an extra because it is large."""

from importlib.util import find_spec
from pathlib import Path
from typing import Any

from loadmaster.model.errors import InputError, MissingExtra
from loadmaster.system.whole_file import whole_file


def can_draw() -> bool:
    """Whether what draws pictures is installed."""
    return find_spec("vl_convert") is not None


def write_picture(path: Path, chart: Any, scale: float = 2.0) -> None:
    """Write a chart as .png or .svg.

    Raises:
        InputError: another ending, or the file cannot be written.
        MissingExtra: what draws pictures is not installed.
    """
    check_picture(path)
    try:
        with whole_file(path) as part:
            chart.save(str(part), format=path.suffix[1:], scale_factor=scale)
    except OSError as error:
        raise InputError(path, f"this picture cannot be written: {error.strerror or error}") from error


def check_picture(path: Path) -> None:
    """See, before any work is done, that a picture can be written there.

    Raises:
        InputError: the name ends in neither .png nor .svg, or there is no such folder.
        MissingExtra: what draws pictures is not installed.
    """
    if path.suffix not in (".png", ".svg"):
        raise InputError(path, "a picture is written as .png or .svg", fix="end its name so")
    if not path.parent.is_dir():
        raise InputError(path, "no such folder for a picture", fix="make the folder first")
    if not can_draw():
        raise MissingExtra(f"the picture {path.name}", "pictures")
