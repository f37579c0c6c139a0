"""`loadmaster size`: how many machines to rent for a bag of tasks, what that costs and how long it takes."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from loadmaster.cli.options import AsJson
from loadmaster.cli.signature import taking
from loadmaster.verbs.size import SizeOptions

if TYPE_CHECKING:
    from loadmaster.verbs.size import Sized


@taking(SizeOptions)
def size(options: SizeOptions, as_json: AsJson = False) -> None:
    """Find how many machines to rent for a bag of tasks: cost against span, and the point to choose."""
    from loadmaster.cli.command_line import command_line
    from loadmaster.report.console import for_notes
    from loadmaster.report.document import document, print_document
    from loadmaster.verbs.size import size_with

    result = size_with(options, command=command_line())
    for note in result.notes:
        for_notes().print(note)
    fields = document(
        "size",
        result.figures,
        command=command_line(),
        seed=options.seed,
        synthetic=result.drawn.synthetic,
        notes=result.notes,
    )
    if options.out is not None:
        _write(Path(options.out), fields, result)
    if as_json:
        print_document(fields)
    else:
        _show(result)
    if result.interrupted:
        raise typer.Exit(130)
    if result.chosen is None:
        raise typer.Exit(1)


def _show(result: "Sized") -> None:
    from loadmaster.model.units import percent, show_seconds
    from loadmaster.report.console import for_results, new_table
    from loadmaster.report.size_page import worth_showing

    console, curve, chosen = for_results(), result.curve, result.chosen
    sure = f"{percent(result.options.confidence, 0)} sure"
    table = new_table(title=result.headline)
    unit = f", {result.unit}" if result.unit else ""
    table.add_column("machines", overflow="fold", min_width=12)
    table.add_column("type")
    for head in (f"cost{unit}", sure, "span", sure, "speedup"):
        table.add_column(head, justify="right")
    for p in [*worth_showing(curve, chosen), *result.sizers]:
        cells = [p.label, p.type, f"{p.cost:.4g}", f"{p.cost_sure:.4g}", show_seconds(p.span_s)]
        cells += [show_seconds(p.span_sure_s), f"{p.speedup:.3g}"]
        table.add_row(
            *cells, style="bold green" if p is chosen else "" if p.knows else "italic", end_section=p is curve[-1]
        )
    console.print(table)
    if result.sizers:
        names = " and ".join(", ".join(p.label for p in result.sizers).rsplit(", ", 1))
        words = "does" if len(result.sizers) == 1 else "do"
        console.print(f"{names} {words} not know the durations in advance.", highlight=False, soft_wrap=True)
    console.print(result.answer, highlight=False, soft_wrap=True)


def _write(out: Path, fields: dict[str, Any], result: "Sized") -> None:
    from loadmaster.report.console import for_notes
    from loadmaster.report.picture import can_draw, write_picture
    from loadmaster.system.strict_json import to_json
    from loadmaster.system.whole_file import write_whole

    write_whole(out / "size.json", to_json(fields, indent=1) + "\n")
    if can_draw():
        write_picture(out / "size.png", result.plot())
    for_notes().print(f"{out}/{'size.png, ' * can_draw()}report.html, size.json")
