"""`loadmaster generate bag`: durations of a bag of tasks drawn from a law."""

from pathlib import Path
from typing import Annotated

import typer

from loadmaster.cli.options import AsJson, Seed


def bag(
    law: Annotated[str, typer.Argument(help="Such as normal(150,30)x256 or bimodal(40,330,0.5)x256.")],
    out: Annotated[Path, typer.Option("-o", "--out", metavar="FILE", help="The bag: .txt, .csv or .parquet.")],
    seed: Seed = 0,
    as_json: AsJson = False,
) -> None:
    """A synthetic bag of tasks, one duration in seconds a line."""
    import numpy as np

    from loadmaster.cli.run_options import command_line
    from loadmaster.model.bag import BagLaw
    from loadmaster.model.errors import InputError
    from loadmaster.report.document import document, print_document
    from loadmaster.traces.bag import parse_bag, write_bag

    source = parse_bag(law)
    if not isinstance(source, BagLaw):
        raise InputError(law, "is a file, not a law", fix="such as normal(150,30)x256")
    durations = source.draw(np.random.default_rng(seed))
    write_bag(durations, out)
    if as_json:
        content = {"kind": "bag", "bag": str(out), "law": source.source, "tasks": source.tasks}
        print_document(document("generate", content, command=command_line(), seed=seed, synthetic=True))
        return
    print(f"{out}: {source.tasks} synthetic durations, {source.source}, seed {seed}")
