"""The lock of a compilation is given back once, whichever threads give it back."""

from pathlib import Path

from loadmaster.jit.compile_once import CompilationLock


def test_a_thread_that_releases_while_another_does_finds_nothing_to_release(tmp_path, monkeypatch):
    lock, unlink = CompilationLock(), Path.unlink

    def interrupted(path):
        lock.release()  # of another thread, between two lines of the first
        unlink(path)

    monkeypatch.setattr(Path, "unlink", interrupted)
    lock.acquire(tmp_path / "kernel.lock")
    lock.release()
    assert not list(tmp_path.iterdir())
