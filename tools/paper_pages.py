"""Write the claims of reproduced papers into their pages of the reference, from what `reproduce --json` printed.

    loadmaster reproduce silva2008 --quick --json > silva2008.json
    python tools/paper_pages.py silva2008.json [MORE.json ...]

The text of a page around the claims is written by hand and stays as it is. The page of the matrix has a table as well,
from `matrix.csv` beside the page that `reproduce` wrote.
"""

import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any

REFERENCE = Path(__file__).parents[1] / "docs" / "reference"
BEGIN, END = "<!-- claims: begin -->", "<!-- claims: end -->"
TABLE_BEGIN, TABLE_END = "<!-- table: begin -->", "<!-- table: end -->"


def page_of(paper: str) -> Path:
    """The page of a paper in the reference."""
    return REFERENCE / f"papers-{paper}.md"


def claims_text(document: dict[str, Any]) -> str:
    """Verdicts, tables of claims and notes of one document, as Markdown."""
    counts = Counter(row["verdict"] for row in document["rows"])
    options = "".join([" --quick"] * document["quick"] + [" --traces FOLDER"] * ("--traces" in document["command"]))
    commit = f" at commit {document['commit'][:8]}" if document.get("commit") else ""
    lines = [
        f"Measured with `loadmaster reproduce {document['paper']}{options}`, seed {document['seed']}{commit}: "
        + ", ".join(f"{verdict} {count}" for verdict, count in counts.most_common())
        + ". The brackets are 95 % intervals.",
    ]
    for where in dict.fromkeys(row["where"] for row in document["rows"]):
        rows = [row for row in document["rows"] if row["where"] == where]
        lines += [
            "",
            f"**{where[0].upper()}{where[1:]}**",
            "",
            "| claim | published | ours | verdict |",
            "|---|---|---|---|",
        ]
        lines += [
            "| " + " | ".join(_cell(row[name]) for name in ("claim", "published", "ours", "verdict")) + " |"
            for row in rows
        ]
    notes = [note for note in document["notes"] if not note.startswith("Setup(")]
    return "\n".join([*lines, "", "Notes of the run:", "", *(f"- {_cell(note)}" for note in notes)])


def table_text(file: Path) -> str:
    """The rows of `matrix.csv` as a table in Markdown."""
    import polars as pl

    from loadmaster.papers.matrix import table_of

    heads, cells = table_of(pl.read_csv(file))
    rows = [heads, ["---"] * len(heads), *cells]
    return "\n".join("| " + " | ".join(_cell(cell) for cell in row) + " |" for row in rows)


def with_claims(page: str, text: str, begin: str = BEGIN, end: str = END) -> str:
    """The page with `text` between the two marks."""
    before, _, rest = page.partition(begin)
    _, _, after = rest.partition(end)
    return f"{before}{begin}\n{text}\n{end}{after}"


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;").replace("\n", " ")


def main() -> None:
    """Write the page of each document that is named."""
    for name in sys.argv[1:]:
        document = json.loads(Path(name).read_text(encoding="utf-8"))
        path = page_of(document["paper"])
        text = with_claims(path.read_text(encoding="utf-8"), claims_text(document))
        table = Path(document["page"]).parent / "matrix.csv"
        if table.exists():
            text = with_claims(text, table_text(table), TABLE_BEGIN, TABLE_END)
        path.write_text(text, encoding="utf-8")
        print(f"{path}: {len(document['rows'])} claims")


if __name__ == "__main__":
    main()
