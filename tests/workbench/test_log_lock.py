import fcntl
import os
import time

from loadmaster.workbench.state import is_locked


def test_a_log_is_held_while_its_writer_has_it_locked(tmp_path):
    path = tmp_path / "log.jsonl"
    with path.open("w") as file:
        assert not is_locked(path)
        fcntl.flock(file, fcntl.LOCK_EX)
        assert is_locked(path)
    assert not is_locked(path)


def test_where_the_system_lists_no_locks_it_goes_by_the_time_of_the_last_line(tmp_path):
    path = tmp_path / "log.jsonl"
    path.touch()
    assert is_locked(path, tmp_path / "none")
    os.utime(path, (time.time() - 1000,) * 2)
    assert not is_locked(path, tmp_path / "none")
    assert not is_locked(tmp_path / "nothing", tmp_path / "none")
