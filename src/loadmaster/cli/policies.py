"""`loadmaster policies`: everything that can be named on the command line."""

from loadmaster.cli import options as o
from loadmaster.cli.signature import taking
from loadmaster.verbs.policies import PoliciesOptions


@taking(PoliciesOptions)
def policies(options: PoliciesOptions, as_json: o.AsJson = False) -> None:
    """List all names: rules of every kind, constraints, estimates, formats of logs."""
    from loadmaster.report.console import for_results, new_table
    from loadmaster.verbs.policies import rules_with

    rows = rules_with(options)
    if as_json:
        from loadmaster.cli.command_line import command_line
        from loadmaster.report.document import document, print_document

        content = {"rows": [{"kind": of, **rule._asdict()} for of, rule in rows]}
        print_document(document("policies", content, command=command_line()))
        return
    table = new_table("kind", "name", "what it does", "source")
    before = ""
    for of, rule in rows:
        if before and of != before:
            table.add_section()
        table.add_row(of if of != before else "", *rule)
        before = of
    for_results().print(table)
