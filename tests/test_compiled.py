"""What is told of compiling: only what is kept on disk is a matter of the first time."""

import sys

import pytest
from numba import njit

from loadmaster.compiled import timing_compilation


def test_what_is_compiled_anew_in_every_process_is_not_called_the_first_time():
    begun = []
    with timing_compilation(lambda: begun.append(1)) as found:
        njit(lambda x: x + 1)(1.0)
    assert [each.kept for each in found] == [False]
    assert found[0].seconds > 0
    assert begun == []


def test_nothing_is_found_where_nothing_is_compiled():
    with timing_compilation() as found:
        pass
    assert found == []


@pytest.fixture
def kept_kernel(tmp_path, monkeypatch):
    """A function to load a module with a kernel whose machine code is kept, as a new process would."""
    (tmp_path / "grows_kernel.py").write_text(
        "from numba import njit\n\n@njit(cache=True)\ndef grow(x):\n    return x + 1\n"
    )
    monkeypatch.syspath_prepend(tmp_path)

    def load():
        sys.modules.pop("grows_kernel", None)
        import grows_kernel

        return grows_kernel.grow

    yield load
    sys.modules.pop("grows_kernel", None)


def test_a_kernel_is_compiled_the_first_time_and_found_the_second(kept_kernel):
    begun = []
    with timing_compilation(lambda: begun.append(1)) as first:
        kept_kernel()(1.0)
    with timing_compilation(lambda: begun.append(2)) as second:
        kept_kernel()(1.0)
    assert [each.kept for each in first] == [True]
    assert second == []
    assert begun == [1]
