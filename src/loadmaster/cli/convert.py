"""`loadmaster convert`: a log from one format to another."""

from loadmaster.cli.options import AsJson
from loadmaster.cli.signature import taking
from loadmaster.system.counted import counted
from loadmaster.verbs.convert import ConvertOptions


@taking(ConvertOptions)
def convert(options: ConvertOptions, as_json: AsJson = False) -> None:
    """Write a job log in another format, in the order of arrival, the first arrival at 0."""
    from loadmaster.cli.command_line import command_line
    from loadmaster.report.console import for_notes, for_results
    from loadmaster.report.document import document, left_out, print_document
    from loadmaster.verbs.convert import convert_with

    read = convert_with(options)
    if as_json:
        content = {"out": str(options.out), "jobs": read.workload.jobs}
        print_document(
            document(
                "convert",
                content,
                command=command_line(),
                synthetic=read.workload.synthetic,
                notes=read.notes,
                left_out=left_out(read.skipped),
            )
        )
        return
    console = for_notes()
    for sentence in (*read.skipped.sentences(), *(f"Note: {note}" for note in read.notes)):
        console.print(sentence)
    for_results().print(f"{options.out}: {counted(read.workload.jobs, 'job')}")
