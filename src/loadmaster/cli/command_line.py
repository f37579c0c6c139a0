"""The command that is running, in words."""


def command_line() -> str:
    """The command that is running, as one would type it."""
    import sys

    from loadmaster.report.console import as_typed

    return as_typed(["loadmaster", *sys.argv[1:]])
