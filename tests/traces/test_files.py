"""Files of one folder are one log."""

import pytest

from loadmaster.model import InputError
from loadmaster.traces import read_trace

HEAD = "JobID|User|Submit|Start|Elapsed|NCPUS"
ROW = "{}|ann|2026-01-01T00:00:00|2026-01-01T00:00:00|00:01:00|1"


def test_dumps_of_one_folder_are_one_log_and_other_columns_are_refused_by_name(tmp_path):
    for k in range(3):
        (tmp_path / f"day{k}.txt").write_text(f"{HEAD}\n{ROW.format(k)}\n")
    assert read_trace(tmp_path).workload.jobs == 3
    (tmp_path / "notes.txt").write_text("Day|Who|Why|What|Where|When\n")
    with pytest.raises(InputError, match=r"notes\.txt.*other columns than those of day0\.txt.*take out the file"):
        read_trace(tmp_path)
