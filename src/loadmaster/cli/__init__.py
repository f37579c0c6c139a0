"""The command line: one thin file a verb; heavy imports wait until a verb runs."""

import sys


def main() -> None:
    """Run `loadmaster`; bad input ends in one line on stderr and exit code 2."""
    from loadmaster.cli.app import app
    from loadmaster.model.errors import LoadmasterError

    try:
        app()
    except LoadmasterError as error:
        print(f"loadmaster: {error}", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        print("loadmaster: stopped; the same command goes on where it was", file=sys.stderr)
        sys.exit(130)
