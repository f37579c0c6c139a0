"""Breaks the rules of every reproduced paper, one at a time, and counts how many broken rules its claims catch.

A claim is worth its verdict only if a wrong rule changes it. Each paper has a small study (`study`) and some ten broken
rules (`MUTANTS`), put in while the program runs, where the study picks its rule. A broken rule is caught if the
verdict of at least one claim is another than with the right rule, on the same random draws.

    python tools/mutate_papers                  # all papers, some minutes
    python tools/mutate_papers silva2008        # one
"""

import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[2] / "src")]

from flips import try_paper  # noqa: E402

PAPERS = ("amir2000", "casanova2008", "delgado2011", "shai2014", "silva2008")


def main(papers: tuple[str, ...]) -> int:
    """Try all; 0 if every broken rule was caught."""
    totals = [try_paper(paper, lambda line: print(line, flush=True)) for paper in papers]
    caught, tried = (sum(column) for column in zip(*totals, strict=True))
    print(f"caught {caught} / {tried}")
    return 0 if caught == tried else 1


if __name__ == "__main__":
    sys.exit(main(tuple(sys.argv[1:]) or PAPERS))
