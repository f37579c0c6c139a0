"""Locks on files: one holder, until the file is closed."""

from loadmaster.system.file_lock import has_writer, lock


def test_one_has_it_until_it_closes_the_file(tmp_path):
    path = tmp_path / "file"
    with path.open("a") as first, path.open("a") as second:
        assert lock(first)
        assert not lock(second)
        assert has_writer(path)
    assert not has_writer(path)
    assert not has_writer(tmp_path / "none")
