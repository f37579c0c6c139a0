"""`loadmaster generate virtual-clusters` and `lublin`: synthetic packing instances of Casanova et al. 2008."""

from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from loadmaster.cli.options import AsJson, Seed

Out = Annotated[Path, typer.Option("-o", "--out", metavar="FILE", help="The tasks: .csv or .parquet.")]
Hosts = Annotated[int, typer.Option(min=1, help="Equal hosts, of one core and one GiB each.")]
Tasks = Annotated[int, typer.Option(min=1, help="Tasks in all.")]
Slack = Annotated[float, typer.Option(help="Part of all memory left when every task is placed.")]
CvMemory = Annotated[float, typer.Option(help="Coefficient of variation of the memory demands.")]
CvCpu = Annotated[float, typer.Option(help="Coefficient of variation of the CPU demands.")]
MemoryRuleOption = Annotated[
    Literal["rescale_noclip", "rescale_clip", "direct_reject", "direct_clamp"],
    typer.Option("--memory-rule", help="How memory demands are drawn; see the reference."),
]
LublinBug = Annotated[
    bool, typer.Option("--lublin-bug", help="Draw job sizes with the slip of the authors' later generator.")
]


def virtual_clusters(
    out: Out, hosts: Hosts = 64, tasks: Tasks = 250, slack: Slack = 0.3, cv_memory: CvMemory = 0.25,
    cv_cpu: CvCpu = 0.25, memory_rule: MemoryRuleOption = "rescale_noclip", seed: Seed = 0, as_json: AsJson = False,
) -> None:  # fmt: skip
    """Tasks of one VM each, to be packed (Casanova et al. 2008, section 4.1)."""
    _write(out, (hosts, tasks, slack, cv_memory, cv_cpu, False, memory_rule), seed, as_json)


def lublin(
    out: Out, hosts: Hosts = 64, tasks: Tasks = 250, slack: Slack = 0.3, cv_memory: CvMemory = 0.25,
    cv_cpu: CvCpu = 0.25, memory_rule: MemoryRuleOption = "rescale_noclip", lublin_bug: LublinBug = False,
    seed: Seed = 0, as_json: AsJson = False,
) -> None:  # fmt: skip
    """Parallel jobs with sizes of Lublin and Feitelson 2003, to be packed (Casanova et al. 2008, section 5.2)."""
    _write(out, (hosts, tasks, slack, cv_memory, cv_cpu, True, memory_rule), seed, as_json, lublin_bug)


def _write(out: Path, spec: tuple[Any, ...], seed: int, as_json: bool, lublin_bug: bool = False) -> None:
    import polars as pl

    from loadmaster.cli.run_options import command_line
    from loadmaster.model.errors import InputError
    from loadmaster.model.units import GB
    from loadmaster.packing.generate import Spec, virtual_clusters
    from loadmaster.report.document import document, print_document
    from loadmaster.whole_file import whole_file

    if out.suffix not in (".csv", ".parquet"):
        raise InputError(out.name, "the file must end in .csv or .parquet", fix="write it like tasks.csv")
    wanted = Spec(*spec)
    instance = virtual_clusters(wanted, seed, lublin_bug=lublin_bug)
    columns: dict[str, Any] = {"cores": instance.fluid[:, 0], "memory": instance.rigid[:, 0] * GB}
    if wanted.parallel:
        columns = {"job": instance.job_of, **columns}
    frame = pl.DataFrame(columns)
    with whole_file(out) as part:
        if out.suffix == ".csv":
            frame.write_csv(part)
        else:
            frame.write_parquet(part)
    if as_json:
        content = {
            "kind": "lublin" if wanted.parallel else "virtual-clusters", "tasks_file": str(out),
            "tasks": instance.tasks, "jobs": instance.jobs, "hosts": f"{wanted.hosts}x1c1g",
        }  # fmt: skip
        print_document(document("generate", content, command=command_line(), seed=seed, synthetic=True))
        return
    typer.echo(f"{out}: {instance.tasks:,} synthetic tasks of {instance.jobs:,} jobs, seed {seed}")
    typer.echo(f"pack them with: loadmaster pack {out} --hosts {wanted.hosts}x1c1g")
