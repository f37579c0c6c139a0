"""`loadmaster policies`: everything that can be named on the command line."""

from collections.abc import Iterator

from loadmaster.cli import options as o


def policies(as_json: o.AsJson = False) -> None:
    """List every policy and discipline, with its source."""
    from rich import box
    from rich.table import Table

    from loadmaster.report.console import for_results

    rows = list(_rows())
    if as_json:
        from loadmaster.cli.run_options import command_line
        from loadmaster.report.document import document, print_document

        named = [dict(zip(("kind", "name", "summary", "source"), row, strict=True)) for row in rows]
        print_document(document("policies", {"rows": named}, command=command_line()))
        return
    table = Table("kind", "name", "what it does", "source", box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    kind = ""
    for row in rows:
        if kind and row[0] != kind:
            table.add_section()
        table.add_row(row[0] if row[0] != kind else "", *row[1:])
        kind = row[0]
    for_results().print(table)


def _rows() -> Iterator[tuple[str, str, str, str]]:
    from loadmaster.backfilling import BACKFILLINGS
    from loadmaster.order import ORDERS, ORDERS_WITH_MEMORY
    from loadmaster.packing import PACKERS
    from loadmaster.place import POLICIES
    from loadmaster.runs import MAX_JOBS
    from loadmaster.schedule.time_shared import METHODS, MOVERS
    from loadmaster.sharing.vm_choice import VM_CHOICES
    from loadmaster.sizing import SIZERS

    yield from (("placement", p.name, p.summary, p.source) for p in POLICIES.values())
    yield "placement", "file.py:function", "a policy of your own: score(demand, free, capacity), lower is better", ""
    yield "meta-policy", MAX_JOBS, "in every cycle, the member that starts most jobs", "Shai 2014"
    yield from (("packer", p.name, p.summary, p.source) for p in PACKERS.values())
    yield from (("order", order.name, order.summary, order.source) for order in ORDERS.values())
    yield from (("order", name, summary, source) for name, (_, summary, source) in ORDERS_WITH_MEMORY.items())
    yield "order", "file.py:function", "an order of your own: rank(job, now), lower goes first", ""
    yield from (("backfilling", name, summary, source) for name, (_, summary, source) in BACKFILLINGS.items())
    yield "backfilling", "file.py:Class", "a backfilling of your own: a class with serve(self, board)", ""
    yield from (("time-sharing method", m.name, m.summary, m.source) for m in METHODS.values())
    yield "time-sharing method", "fractional", "CPU by yield, repacked by mcb8", "Casanova et al. 2008"
    yield from (("mover", name, summary, source) for name, (_, summary, source) in MOVERS.items())
    yield from (("sizer", name, summary, source) for name, (summary, source) in SIZERS.items())
    yield from (("VM choice", name, summary, "Delgado 2011") for name, (_, summary) in VM_CHOICES.items())
