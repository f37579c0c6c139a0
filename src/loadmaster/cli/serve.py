"""`loadmaster serve`: the workbench in the browser."""

from loadmaster.cli.signature import taking
from loadmaster.verbs.serve import ServeOptions


@taking(ServeOptions)
def serve(options: ServeOptions) -> None:
    """Open the workbench in the browser: results, what is under way, why a job waited, a first comparison."""
    from loadmaster.verbs.serve import serve_with

    serve_with(options)
