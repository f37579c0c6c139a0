"""`loadmaster size`: how many machines to rent for a bag of tasks, what that costs and how long it takes."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from loadmaster.cli import dask_options as d
from loadmaster.cli.options import AsJson, Seed

if TYPE_CHECKING:
    from loadmaster.sim.bags.curve import CurvePoint


def size(
    context: typer.Context,
    bag: Annotated[str, typer.Argument(help="File of durations (text, CSV, Parquet) or a law: normal(150,30)x256.")],
    budget: Annotated[float | None, typer.Option(help="Money that may be spent.")] = None,
    deadline: Annotated[str | None, typer.Option(help="When all has to be done, such as 2h.")] = None,
    confidence: Annotated[float, typer.Option(min=0.5, max=0.999, help="With which both are to be kept.")] = 0.9,
    prices: Annotated[Path | None, typer.Option(help="Table of machine types; else one, at price 1 an hour.")] = None,
    billing: Annotated[str | None, typer.Option(help="Charging unit: second, minute, hour or a duration.")] = None,
    column: Annotated[str | None, typer.Option(help="Column of the file that holds the durations.")] = None,
    guess: Annotated[str | None, typer.Option(help="Duration of a task where none is known: 5min.")] = None,
    repetitions: Annotated[int, typer.Option(min=1, help="Simulated runs for every number of machines.")] = 100,
    seed: Seed = 0,
    out: Annotated[Path | None, typer.Option("-o", "--out", help="Folder for chart and table.")] = None,
    on: d.On = None,
    tls_ca: d.TlsCa = None,
    tls_cert: d.TlsCert = None,
    tls_key: d.TlsKey = None,
    as_json: AsJson = False,
) -> None:
    """How many machines to rent for a bag of tasks: cost against span, and the point to choose."""
    import dataclasses

    import numpy as np

    from loadmaster.cli.bag_options import chosen_types, guessed
    from loadmaster.cli.idle import refuse_idle
    from loadmaster.cli.run_options import command_line, make_folder
    from loadmaster.kept.on_dask import pool_on
    from loadmaster.kept.store import Store
    from loadmaster.kept.watch import Advancing
    from loadmaster.model.bag import Bag, BagLaw
    from loadmaster.model.units import parse_seconds
    from loadmaster.report.console import for_notes
    from loadmaster.report.document import document, print_document
    from loadmaster.report.progress import bar
    from loadmaster.sim.bags.curve import curve_runs, fixed_curve, recommended, sizer_points
    from loadmaster.sim.bags.door import draws
    from loadmaster.sizing import Planner, SilvaRule
    from loadmaster.sizing.endless import ending
    from loadmaster.sizing.goal import check_budget
    from loadmaster.traces.bag import parse_bag

    deadline_s = parse_seconds(deadline) if deadline else None
    guess_s = guessed(guess)
    address = d.dask_address(on, tls_ca, tls_cert, tls_key)
    if out is not None:
        make_folder(out)
    check_budget(budget)
    source = parse_bag(bag, column)
    if isinstance(source, BagLaw):
        refuse_idle(context, ["column"], "a law has no columns")
    types = chosen_types(prices, billing)
    unknown = source.tasks - source.known.size if isinstance(source, Bag) else 0
    drawn = source
    if guess_s is not None and unknown == source.tasks:
        drawn = BagLaw("lognormal", (guess_s, float(np.log(3.0)) / 2), source.tasks)
    durations = draws(drawn, repetitions, seed)
    types, notes = ending(types, float(durations.max()))
    for note in notes:
        for_notes().print(note)
    pool, store = pool_on(address), Store.in_folder(out) if out is not None else None
    with bar("numbers of machines", curve_runs(durations, types), "bags") as advance:
        curve = fixed_curve(durations, types, confidence, pool, store, Advancing(advance, advance.describe))
    look_s = float(durations.mean()) / 100  # looks in proportion to the tasks, else a very long one takes millions
    silva = SilvaRule(tick_s=max(60.0, look_s))
    planner = Planner(
        budget=budget if deadline_s is None else None, deadline_s=deadline_s, confidence=max(confidence, 0.501),
        guess_s=guess_s, tick_s=max(10.0, look_s),
    )  # fmt: skip
    some = durations[: min(repetitions, 30)]
    with bar("sizers that learn", 2 * len(some), "bags") as advance:
        sizers = sizer_points(
            some, [silva, planner], types, confidence, pool, store, Advancing(advance, advance.describe)
        )
    if store is not None:
        store.close()
    chosen = recommended(curve, budget, deadline_s)
    result = {
        "bag": source.source, "synthetic": drawn.synthetic, "tasks": source.tasks, "unknown": unknown,
        "work_h": float(durations.sum(axis=1).mean() / 3600), "confidence": confidence,
        "recommended": dataclasses.asdict(chosen) if chosen else None,
        "curve": [dataclasses.asdict(p) for p in curve], "sizers": [dataclasses.asdict(p) for p in sizers],
        "repetitions": repetitions, "seed": seed,
    }  # fmt: skip
    content = {name: value for name, value in result.items() if name not in ("synthetic", "seed")}
    made = document("size", content, command=command_line(), seed=seed, synthetic=drawn.synthetic, notes=notes)
    if out is not None:
        _write(out, made, result, curve, sizers, chosen)
    if as_json:
        print_document(made)
    else:
        _show(result, curve, sizers, chosen)
    if chosen is None:
        raise typer.Exit(1)


def _show(
    result: dict[str, object], curve: "list[CurvePoint]", sizers: "list[CurvePoint]", chosen: "CurvePoint | None"
) -> None:
    from rich.table import Table

    from loadmaster.model.units import show_seconds
    from loadmaster.report.console import for_results

    console = for_results()
    sure = f"{float(str(result['confidence'])):.0%} sure"
    table = Table("machines", "type", "cost", sure, "span", sure, "speedup", title=headline(result))
    for p in [*_worth_showing(curve, chosen), *sizers]:
        cells = [p.label, p.type, f"{p.cost:.4g}", f"{p.cost_sure:.4g}", show_seconds(p.span_s)]
        cells += [show_seconds(p.span_sure_s), f"{p.speedup:.3g}"]
        table.add_row(*cells, style="bold" if p is chosen else "" if p.knows else "italic", end_section=p is curve[-1])
    console.print(table)
    console.print("[italic]silva[/] and [italic]planner[/] learn the durations while the bag runs.", markup=True)
    if chosen is None:
        cheapest, fastest = min(curve, key=lambda p: p.cost_sure), min(curve, key=lambda p: p.span_sure_s)
        console.print(
            f"Infeasible: the cheapest way needs {cheapest.cost_sure:.4g}, "
            f"the fastest {show_seconds(fastest.span_sure_s)} ({sure}).", soft_wrap=True,
        )  # fmt: skip
        return
    console.print(
        f"Rent {chosen.label} x {chosen.type}: {chosen.cost:.4g} on average, done in {show_seconds(chosen.span_s)}; "
        f"{sure} of at most {chosen.cost_sure:.4g} and {show_seconds(chosen.span_sure_s)}.",
        highlight=False, soft_wrap=True,
    )  # fmt: skip


def headline(result: dict[str, object]) -> str:
    """The bag in one line; says so if it is synthetic or partly unknown."""
    words = f"{result['bag']}: {result['tasks']} tasks, {float(str(result['work_h'])):.4g} h of work"
    if result["synthetic"]:
        words += ", synthetic"
    return words + (f", {result['unknown']} of unknown duration" if result["unknown"] else "")


def _worth_showing(curve: "list[CurvePoint]", chosen: "CurvePoint | None") -> "list[CurvePoint]":
    """Points that no other beats in both cost and span, a quarter apart, and the chosen one with its neighbours."""

    def beaten(p: "CurvePoint") -> bool:
        return any(q.type == p.type and q.cost <= p.cost and q.span_s < p.span_s * (1 - 1e-9) for q in curve)

    at = curve.index(chosen) if chosen else -9
    kept: list[CurvePoint] = []
    for place, p in enumerate(curve):
        apart = not kept or kept[-1].type != p.type or p.hosts >= kept[-1].hosts * 1.25
        if abs(place - at) <= 1 or (apart and not beaten(p)):
            kept.append(p)
    return kept


def _write(
    out: Path,
    made: dict[str, object],
    result: dict[str, object],
    curve: "list[CurvePoint]",
    sizers: "list[CurvePoint]",
    chosen: "CurvePoint | None",
) -> None:
    from loadmaster.report.bag_chart import bag_chart
    from loadmaster.report.console import for_notes
    from loadmaster.report.page import Chart, write_page, write_picture
    from loadmaster.strict_json import to_json
    from loadmaster.whole_file import write_whole

    subtitle = f"means of {result['repetitions']} simulated runs; the further down and left, the better"
    chart = bag_chart(curve, sizers, chosen, headline(result), subtitle)
    write_whole(out / "size.json", to_json(made, indent=1) + "\n")
    write_picture(out / "size.png", chart)
    write_page(out / "size.html", "How many machines", [Chart(chart)], subtitle=headline(result))
    for_notes().print(f"{out}/size.png, size.html, size.json")
