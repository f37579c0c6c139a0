"""Placement by cost on public models: `LOADMASTER_MODELS=FOLDER python benchmarks/reassign.py [--seconds 300]`.

The folder holds archives with models of the ROADEF/EURO challenge 2012 (`roadef2012-machine-reassignment.tar.gz`, with
`model_X.txt` and `assignment_X.sol` in it) and cloud balancing files of OptaPlanner
(`optaplanner-cloudbalancing.tar.gz`). An archive that is not there is left out. One core, one seed a row.

A row has the cost of the file's own assignment, the best cost found, the bound, and beside them the best published
cost of the challenge, or for OptaPlanner's files the cost of `mcb8`, which looks at no prices.
"""

import argparse
import os
import tarfile
import tempfile
from collections.abc import Iterator
from pathlib import Path

import loadmaster as lm

ARCHIVES = ("roadef2012-machine-reassignment.tar.gz", "optaplanner-cloudbalancing.tar.gz")
PUBLISHED = {
    "model_a1_1": 44_306_501, "model_a1_3": 583_005_717, "model_a2_1": 198, "model_a2_3": 1_306_868_761,
    "model_b_3": 156_835_787,
}  # fmt: skip
"""The best costs of the challenge's participants."""


WIDTHS = (15, 15, 15, 9, 15, 9, 8)


def files(folder: Path) -> Iterator[Path]:
    """The models in the archives, unpacked into `folder`."""
    for name in ARCHIVES:
        archive = Path(os.environ.get("LOADMASTER_MODELS", ".")) / name
        if archive.exists():
            with tarfile.open(archive) as packed:
                packed.extractall(folder, filter="data")
    yield from sorted(folder.glob("**/model_*.txt"))
    yield from sorted(folder.glob("**/*computers-*processes.json"), key=lambda path: path.stat().st_size)


def by_mcb8(path: Path) -> int | None:
    """The price of the computers that `mcb8` uses; None where it finds no placement."""
    import json

    price = {str(each["id"]): each["cost"] for each in json.loads(path.read_text())["computerList"]}
    made = lm.pack(path)
    return sum(price[name] for name in set(made.frame["host"].to_list())) if made.placed else None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=300.0, help="for each model (300)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", default="", metavar="WORDS", help="models whose name has one of these, by commas")
    options = parser.parse_args()
    heads = ("before", "found", "peer", "to peer", "bound", "gap", "M steps")
    print(f"{'model':30}" + "".join(f" {head:>{width}}" for head, width in zip(heads, WIDTHS, strict=True)))
    with tempfile.TemporaryDirectory() as folder:
        for path in files(Path(folder)):
            if not any(word in path.stem for word in options.only.split(",")):
                continue
            peer = PUBLISHED.get(path.stem) if path.suffix == ".txt" else by_mcb8(path)
            row(path.stem, lm.rebalance(path, time_limit=options.seconds, seed=options.seed), peer)


def row(name: str, made: object, peer: int | None) -> None:
    cells = (
        "-" if made.cost_before is None else f"{made.cost_before:,}",
        f"{made.cost:,}",
        "-" if peer is None else f"{peer:,}",
        "-" if not peer else f"{made.cost / peer - 1:+.4%}",
        f"{made.bound:,}",
        "-" if made.gap is None else f"{made.gap:.4%}",
        f"{made.steps / 1e6:.1f}",
    )
    print(f"{name:30}" + "".join(f" {cell:>{width}}" for cell, width in zip(cells, WIDTHS, strict=True)), flush=True)


if __name__ == "__main__":
    main()
