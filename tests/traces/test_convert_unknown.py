"""What a log does not say stays unsaid on the way through every format, and what it says is not lost."""

from pathlib import Path

import numpy as np
import pytest

import loadmaster as lm

STANDS_IN = {8: 5, 10: 7}
"""Fields of SWF from 1, what was requested, that take what was used where they are empty: that is the job's demand."""
MAY_BE_EMPTY = (3, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16)


def log_with_gaps(seed):
    """Twelve jobs of SWF; two in five values are missing, and now and then a whole column."""
    rng, jobs = np.random.default_rng(seed), 12
    never = {field for field in MAY_BE_EMPTY if rng.random() < 0.25}
    submit_s = np.sort(rng.integers(0, 1000, jobs))
    submit_s[0] = 0
    for job in range(jobs):
        used = int(rng.integers(1, 5))
        row = [
            job + 1,
            int(submit_s[job]),
            int(rng.integers(0, 50)),
            int(rng.integers(1, 90)),
            used,
            int(rng.integers(1, 80)),
            1024 * int(rng.integers(1, 9)),
            used,
            int(rng.integers(90, 200)),
            1024 * int(rng.integers(1, 9)),
            int(rng.integers(0, 6)),
            *map(int, rng.integers(1, 5, 5)),
            -1,
            -1,
        ]
        for field in MAY_BE_EMPTY:
            if field in never or rng.random() < 0.4:
                row[field - 1] = -1
        yield row


@pytest.mark.parametrize("between", ["between.csv", "between.csv.gz", "between.parquet", "between.swf"])
@pytest.mark.parametrize("seed", range(6))
def test_unknown_values_stay_unknown_and_known_ones_the_same(seed, between, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    before = list(log_with_gaps(seed))
    Path("log.swf").write_text("".join(" ".join(map(str, row)) + "\n" for row in before))
    lm.convert("log.swf", between)
    lm.convert(between, "back.swf")
    lines = [line for line in Path("back.swf").read_text().splitlines() if line and not line.startswith(";")]
    after = [[float(word) for word in line.split()] for line in lines]
    for row in before:
        for field, used in STANDS_IN.items():
            if row[field - 1] == -1:
                row[field - 1] = row[used - 1]
    assert after == before
