"""What a folder holds: the verb that wrote it, its result and its rule. A new kind is a row of `KINDS`."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from loadmaster.model.units import show_seconds
from loadmaster.workbench.json_lines import first_line, last_lines, object_in


@dataclass(frozen=True)
class ResultSummary:
    """What a record says of itself.

    Attributes:
        answer: one sentence; empty where only the page has one.
        policy: the rule or rules.
        subtitle: of what.
    """

    answer: str = ""
    policy: str = ""
    subtitle: str = ""


@dataclass(frozen=True)
class ResultKind:
    """A verb and what it leaves.

    Attributes:
        verb: its name.
        file: by which its folder is known.
        said: reads what it says of itself; may raise whatever a damaged file makes it raise.
        grows: its page is old once its file is newer than it.
        locked: the file is locked while it is written.
    """

    verb: str
    file: str
    said: Callable[[Path], ResultSummary]
    grows: bool = False
    locked: bool = False


def kind_in(names: Iterable[str]) -> ResultKind | None:
    """The kind of a folder with these files; the first that fits of `KINDS`."""
    there = set(names)
    return next((kind for kind in KINDS if kind.file in there), None)


def summary_in(kind: ResultKind, folder: Path) -> ResultSummary:
    """What the record in `folder` says; of a damaged one, that it is."""
    import polars as pl

    try:
        return kind.said(folder)
    except (OSError, KeyError, TypeError, ValueError, IndexError, AttributeError, pl.exceptions.PolarsError) as error:
        return ResultSummary(f"This record is damaged: {type(error).__name__}.")


def verb_of_result(folder: Path) -> str:
    """Whose result is kept in `folder`; empty where that cannot be told."""
    try:
        with (folder / "result.json").open("rb") as file:
            match = re.search(rb'"kind": "([a-z-]{1,20})"', file.read(400))
    except OSError:
        return ""
    return match[1].decode() if match else ""


def _live(folder: Path) -> ResultSummary:
    begin, lines = first_line(folder / "live.jsonl"), last_lines(folder / "live.jsonl")
    setting = begin["setting"]
    ended = next((str(line["end"]) for line in reversed(lines) if "end" in line), "")
    cycle: dict[str, Any] = next((line for line in reversed(lines) if "cycle" in line), {})
    waiting = next((each["queued"] for each in reversed(cycle.get("passes") or []) if "queued" in each), None)
    words = f"A live run on {begin['engine']}" + (f", ended: {ended}" if ended and lines[-1].get("end") else "")
    words += f"; {waiting:,} jobs wait" if isinstance(waiting, int) and not ended else ""
    return ResultSummary(f"{words}.", _rule(setting), f"{begin['engine']}, {begin['conduct']['mode']}")


def _simulated(folder: Path) -> ResultSummary:
    about = object_in(folder / "run.json")
    setting, result = about["setting"], about["result"]
    wait = show_seconds(float(result["mean_wait_s"]))
    load = f", load {float(result['load']):.3g}" if result.get("load") is not None else ""
    answer = f"Under {setting['policy']} a job waits {wait} on average."
    return ResultSummary(answer, _rule(setting), f"{about['source']}, {int(result['jobs']):,} jobs{load}")


def _bag(folder: Path) -> ResultSummary:
    first = first_line(folder / "log.jsonl")
    tasks = len(first["commands"])
    ends = [line for line in last_lines(folder / "log.jsonl") if line.get("event") == "finished"]
    failed = sum(line.get("exit") != 0 for line in ends)
    bad = f", {failed:,} of the last ones failed" if failed else ""
    return ResultSummary(
        f"A bag of {tasks:,} commands{bad}.", str(first["sizer"].get("name", "")), "machines rented for a bag"
    )


def _compared(folder: Path) -> ResultSummary:
    import polars as pl

    path = folder / "summary.parquet"
    if path.stat().st_size > 1 << 26:
        return ResultSummary()
    rows = pl.scan_parquet(path).select("policy", "discipline").head(5000).collect()
    return ResultSummary("", _some(rows["policy"].to_list()), _some(rows["discipline"].to_list()))


def _shared(folder: Path) -> ResultSummary:
    rows = object_in(folder / "sharing.json")["rows"]
    return ResultSummary("", _some([row["method"] for row in rows]))


def _nothing(_folder: Path) -> ResultSummary:
    return ResultSummary()


def _some(names: list[Any]) -> str:
    each = list(dict.fromkeys(str(name) for name in names))
    return ", ".join(each[:3]) + (f" and {len(each) - 3} more" if len(each) > 3 else "")


def _rule(setting: dict[str, Any]) -> str:
    return f"{setting['policy']}, {setting['discipline']}"


RESULT = "result.json"
REPORTED = frozenset({"live.jsonl", "run.json", RESULT})
"""Of a folder with one of these `loadmaster report` makes the page."""
KINDS = (
    ResultKind("live", "live.jsonl", _live, grows=True, locked=True),
    ResultKind("simulate", "run.json", _simulated, grows=True),
    ResultKind("run", "log.jsonl", _bag, locked=True),
    ResultKind("share", "sharing.json", _shared),
    ResultKind("size", "size.json", _nothing),
    ResultKind("compare", "summary.parquet", _compared),
    ResultKind("pack", "placement.parquet", _nothing),
    ResultKind("rebalance", "moves.csv", _nothing),
    ResultKind("", RESULT, _nothing),
    ResultKind("", "results.sqlite", _nothing),
)
