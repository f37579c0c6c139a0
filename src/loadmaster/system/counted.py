"""A number with the noun that it counts: `1 job`, `2 jobs`."""


def counted(number: float, one: str, several: str = "") -> str:
    """`number`, with the words for it.

    Args:
        number: a whole number.
        one: the words behind 1, such as `job` or `job has`.
        several: the words behind any other number; without them `one` with an s.

    Example:
        >>> counted(1, "job"), counted(1200, "job"), counted(0, "job has", "jobs have")
        ('1 job', '1,200 jobs', '0 jobs have')
    """
    return f"{int(number):,} {one if number == 1 else several or f'{one}s'}"
