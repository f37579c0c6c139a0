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
    """How many machines to rent for a bag of tasks: cost against span, and the point to choose."""
    from loadmaster.cli.command_line import command_line
    from loadmaster.report.console import for_notes
    from loadmaster.report.document import document, print_document
    from loadmaster.verbs.size import size_with

    found = size_with(options, command=command_line())
    for note in found.notes:
        for_notes().print(note)
    made = document(
        "size", found.figures, command=command_line(), seed=options.seed, synthetic=found.drawn.synthetic,
        notes=found.notes,
    )  # fmt: skip
    if options.out is not None:
        _write(Path(options.out), made, found)
    if as_json:
        print_document(made)
    else:
        _show(found)
    if found.chosen is None:
        raise typer.Exit(1)


def _show(found: "Sized") -> None:
    from loadmaster.model.units import percent, show_seconds
    from loadmaster.report.console import for_results, new_table
    from loadmaster.report.size_page import worth_showing

    console, curve, chosen = for_results(), found.curve, found.chosen
    sure = f"{percent(found.options.confidence, 0)} sure"
    table = new_table(title=found.headline)
    unit = f", {found.unit}" if found.unit else ""
    table.add_column("machines", overflow="fold", min_width=12)
    table.add_column("type")
    for head in (f"cost{unit}", sure, "span", sure, "speedup"):
        table.add_column(head, justify="right")
    for p in [*worth_showing(curve, chosen), *found.sizers]:
        cells = [p.label, p.type, f"{p.cost:.4g}", f"{p.cost_sure:.4g}", show_seconds(p.span_s)]
        cells += [show_seconds(p.span_sure_s), f"{p.speedup:.3g}"]
        table.add_row(
            *cells, style="bold green" if p is chosen else "" if p.knows else "italic", end_section=p is curve[-1]
        )
    console.print(table)
    if found.sizers:
        names = " and ".join(", ".join(p.label for p in found.sizers).rsplit(", ", 1))
        told = "is not told the durations" if len(found.sizers) == 1 else "are not told the durations"
        console.print(f"{names} {told}.", highlight=False, soft_wrap=True)
    console.print(found.answer, highlight=False, soft_wrap=True)


def _write(out: Path, made: dict[str, Any], found: "Sized") -> None:
    from loadmaster.report.console import for_notes
    from loadmaster.report.picture import can_draw, write_picture
    from loadmaster.strict_json import to_json
    from loadmaster.whole_file import write_whole

    write_whole(out / "size.json", to_json(made, indent=1) + "\n")
    if can_draw():
        write_picture(out / "size.png", found.plot())
    for_notes().print(f"{out}/{'size.png, ' * can_draw()}report.html, size.json")
