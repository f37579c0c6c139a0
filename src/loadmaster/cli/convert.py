"""`loadmaster convert`: a log from one format to another."""

from pathlib import Path
from typing import Annotated

import typer

from loadmaster.cli.options import (
    AsJson,
    Columns,
    Format,
    Ignore,
    Limit,
    MemoryUnit,
    Strict,
    SwfFeedbackOption,
    SwfMemoryOption,
    SwfPartitionOption,
    TracePath,
)


def convert(
    trace: TracePath,
    out: Annotated[Path, typer.Argument(metavar="OUT", help="The file to write: .swf, .csv (also .gz) or .parquet.")],
    trace_format: Format = "auto",
    swf_memory: SwfMemoryOption = "per-processor",
    swf_partition: SwfPartitionOption = "16",
    swf_feedback: SwfFeedbackOption = "ignore",
    ignore: Ignore = None,
    memory_unit: MemoryUnit = None,
    columns: Columns = None,
    limit: Limit = None,
    strict: Strict = False,
    anonymise: Annotated[
        bool,
        typer.Option("--anonymise", help="Mask users, accounts, names of jobs and reservations; nobody can undo it."),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Write a job log in another format, in the order of arrival, the first arrival at 0."""
    import secrets
    from dataclasses import replace

    from loadmaster.cli.options import read_log, read_options
    from loadmaster.cli.run_options import command_line
    from loadmaster.model.errors import InputError
    from loadmaster.report.console import for_notes, for_results
    from loadmaster.report.document import document, left_out, print_document
    from loadmaster.traces import write_trace
    from loadmaster.traces.masking import masked

    if out.exists() and trace.exists() and out.samefile(trace):
        raise InputError(out.name, "the log would be overwritten while it is read", fix="choose another name")
    options = read_options(
        trace_format, swf_memory, memory_unit, columns, limit, strict,
        swf_partition=swf_partition, swf_feedback=swf_feedback, ignore=ignore,
    )  # fmt: skip
    read = read_log(trace, replace(options, all_fields=True, find_hosts=False))
    if anonymise:
        read = masked(read, secrets.token_bytes(32))
    write_trace(read.workload, out, read.extra)
    if as_json:
        content = {"out": str(out), "jobs": read.workload.jobs}
        made = document(
            "convert", content, command=command_line(), synthetic=read.workload.synthetic, notes=read.notes,
            left_out=left_out(read.skipped),
        )  # fmt: skip
        print_document(made)
        return
    console = for_notes()
    for sentence in (*read.skipped.sentences(), *(f"Note: {note}" for note in read.notes)):
        console.print(sentence)
    for_results().print(f"{out}: {read.workload.jobs:,} jobs")
