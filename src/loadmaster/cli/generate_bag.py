"""`loadmaster generate bag`: durations of a bag of tasks drawn from a law."""

from pathlib import Path
from typing import Annotated

import typer

from loadmaster.cli.options import AsJson
from loadmaster.cli.signature import taking
from loadmaster.verbs.generate import BagOptions


@taking(BagOptions)
def bag(
    options: BagOptions,
    out: Annotated[Path, typer.Option("-o", "--out", metavar="FILE", help="The bag: .txt, .csv or .parquet.")],
    as_json: AsJson = False,
) -> None:
    """A synthetic bag of tasks, one duration in seconds a line."""
    from loadmaster.cli.command_line import command_line
    from loadmaster.report.document import document, print_document
    from loadmaster.traces.bag import write_bag
    from loadmaster.verbs.generate import bag_with

    result = bag_with(options)
    write_bag(result.duration_s, out)
    if as_json:
        content = {"kind": "bag", "bag": str(out), "law": result.source, "tasks": result.tasks}
        print_document(document("generate", content, command=command_line(), seed=options.seed, synthetic=True))
        return
    print(f"{out}: {result.tasks} synthetic durations, {result.source}, seed {options.seed}")
