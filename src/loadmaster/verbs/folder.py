"""The folder that a verb writes into."""

from pathlib import Path


def make_folder(folder: Path) -> None:
    """Make `folder` if it is not there, and see that files can be written into it.

    Raises:
        InputError: they cannot.
    """
    import tempfile

    from loadmaster.model import InputError

    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return
    except OSError as error:
        raise InputError(folder, f"cannot write there: {error.strerror}", fix="give another folder with -o") from error
