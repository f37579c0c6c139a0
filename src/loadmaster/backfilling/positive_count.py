"""The check of a number of jobs that a backfilling takes: it must be at least one."""

from loadmaster.model.errors import InputError


def refuse_none(name: str, jobs: int | None, fix: str) -> None:
    """Refuse a parameter of fewer than one job; None is all of them.

    Raises:
        InputError: it is below 1.

    Example:
        >>> refuse_none("heads", 0, "skip promises nothing")
        Traceback (most recent call last):
        loadmaster.model.errors.InputError: 'heads=0': a whole number from 1 up; skip promises nothing
    """
    if jobs is not None and jobs < 1:
        raise InputError(f"{name}={jobs}", "a whole number from 1 up", fix=fix)
