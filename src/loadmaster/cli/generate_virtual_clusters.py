"""`loadmaster generate virtual-clusters` and `virtual-jobs`: synthetic packing instances of Casanova et al. 2008."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from loadmaster.cli.options import AsJson
from loadmaster.cli.signature import taking
from loadmaster.verbs.generate import (
    VirtualClustersOptions,
    VirtualJobsOptions,
    virtual_clusters_with,
    virtual_jobs_with,
)

if TYPE_CHECKING:
    from loadmaster.packing.instance import Instance

Out = Annotated[Path, typer.Option("-o", "--out", metavar="FILE", help="The tasks: .csv or .parquet.")]


@taking(VirtualClustersOptions)
def virtual_clusters(options: VirtualClustersOptions, out: Out, as_json: AsJson = False) -> None:
    """Tasks of one VM each, to be packed (Casanova et al. 2008, section 4.1)."""
    _write(out, options, lambda: virtual_clusters_with(options), "virtual-clusters", as_json)


@taking(VirtualJobsOptions)
def virtual_jobs(options: VirtualJobsOptions, out: Out, as_json: AsJson = False) -> None:
    """Parallel jobs with sizes of Lublin and Feitelson 2003, to be packed (Casanova et al. 2008, section 5.2)."""
    _write(out, options, lambda: virtual_jobs_with(options), "virtual-jobs", as_json)


def _write(
    out: Path, options: VirtualClustersOptions, make: Callable[[], "Instance"], kind: str, as_json: bool
) -> None:
    import polars as pl

    from loadmaster.cli.command_line import command_line
    from loadmaster.model.errors import InputError
    from loadmaster.model.units import GB
    from loadmaster.report.document import document, print_document
    from loadmaster.system.whole_file import whole_file

    if out.suffix not in (".csv", ".parquet"):
        raise InputError(out.name, "the file must end in .csv or .parquet", fix="write it like tasks.csv")
    instance = make()
    columns: dict[str, Any] = {"cores": instance.fluid[:, 0], "memory": instance.rigid[:, 0] * GB}
    if kind == "virtual-jobs":
        columns = {"job": instance.job_of, **columns}
    frame = pl.DataFrame(columns)
    with whole_file(out) as part:
        if out.suffix == ".csv":
            frame.write_csv(part)
        else:
            frame.write_parquet(part)
    if as_json:
        content = {
            "kind": kind,
            "tasks_file": str(out),
            "tasks": instance.tasks,
            "jobs": instance.jobs,
            "hosts": f"{options.hosts}x1c1g",
        }
        print_document(document("generate", content, command=command_line(), seed=options.seed, synthetic=True))
        return
    typer.echo(f"{out}: {instance.tasks:,} synthetic tasks of {instance.jobs:,} jobs, seed {options.seed}")
    typer.echo(f"pack them with: loadmaster pack {out} --hosts {options.hosts}x1c1g")
