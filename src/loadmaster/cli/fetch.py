"""`loadmaster fetch`: a log of the Parallel Workloads Archive, by name."""

from loadmaster.cli.options import AsJson
from loadmaster.cli.signature import taking
from loadmaster.verbs.fetch import FetchOptions


@taking(FetchOptions)
def fetch(options: FetchOptions, as_json: AsJson = False) -> None:
    """Fetch a log of the Parallel Workloads Archive into your cache, and print where it lies."""
    from loadmaster.cli.command_line import command_line
    from loadmaster.report.console import for_notes, for_results
    from loadmaster.report.document import document, print_document
    from loadmaster.verbs.fetch import fetch_with

    fetched = fetch_with(options)
    if as_json:
        content = {
            "name": fetched.log.name,
            "file": str(fetched.path),
            "sha256": fetched.checksum,
            "recorded_now": fetched.recorded_now,
            "was_there": fetched.was_there,
            "cores": fetched.log.cores,
        }
        print_document(document("fetch", content, command=command_line(), synthetic=False, notes=fetched.notes))
        return
    for note in fetched.notes:
        for_notes().print(f"Note: {note}")
    for_results().print(str(fetched.path), soft_wrap=True)
