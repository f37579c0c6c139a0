"""`loadmaster live cgroup`: commands on this computer, each with a share of the CPU that changes over time."""

from collections.abc import Sequence
from typing import Any

from loadmaster.cli import options as o
from loadmaster.cli.signature import taking
from loadmaster.verbs.live_cgroup import CgroupOptions

MOST_ROWS = 40


@taking(CgroupOptions)
def cgroup(options: CgroupOptions, as_json: o.AsJson = False) -> None:
    """Run commands here under CPU shares, in control groups; the same command given again continues the run."""
    from loadmaster.cli.command_line import command_line
    from loadmaster.cli.live_end import end, print_json
    from loadmaster.cli.live_findings import show
    from loadmaster.report.console import for_notes, for_results
    from loadmaster.verbs.live_cgroup import cgroup_with
    from loadmaster.verbs.live_result import Looked

    result = cgroup_with(options, command_line())
    if isinstance(result, Looked):
        show(result, as_json)
        return
    done, commands = result.figures["done"], result.figures["commands"]
    if as_json:
        print_json(result)
    else:
        for_results().print(_table(result.rows))
        for_results().print(f"{done:,} of {commands:,} commands ended well; their output: {result.folder}/commands")
        for note in result.notes:
            for_notes().print(note)
    end(result, "not ended", failed=done < commands and result.ended != "stopped")


def _table(rows: Sequence[dict[str, Any]]) -> Any:
    from loadmaster.report.console import new_table

    table = new_table("command", "machine", "how", "time", "CPU time")
    for row in rows[:MOST_ROWS]:
        how = "ok" if row["status"] == "ok" else row["status"]
        how += f" ({row['exit_code']})" if row["status"] == "failed" else ""
        times = ("" if row[key] is None else f"{row[key]:.2f} s" for key in ("seconds", "cpu_s"))
        table.add_row(row["name"], row["machine"] or "", how, *times)
    if len(rows) > MOST_ROWS:
        table.add_row(f"and {len(rows) - MOST_ROWS:,} more", "", "", "", "")
    return table
