import pickle

import pytest

from loadmaster.model.errors import MOST, InputError, MissingExtra, cut, one_line

LONG = "x" * 100_000


@pytest.mark.parametrize("part", ["value", "rule", "fix", "where"])
def test_a_refusal_is_never_long_whatever_is_in_it(part):
    parts = {"value": "v", "rule": "must be short", "fix": "cut it", "where": "log.csv:3", part: LONG}
    message = str(InputError(parts.pop("value"), parts.pop("rule"), **parts))
    assert len(message) <= MOST
    if part != "rule":
        assert "must be short" in message


def test_the_end_of_a_long_path_is_kept_since_it_names_the_line():
    assert "a.csv:17: 'v'" in str(InputError("v", "is wrong", where=f"{LONG}/a.csv:17"))


def test_what_steers_a_terminal_is_shown_and_not_done():
    message = str(InputError("v", "is\nwrong", fix="use \x07", where="a\x1b[31m.csv"))
    assert message == "a\\x1b[31m.csv: 'v': is wrong; use \\x07"


def test_what_is_short_enough_is_left_alone():
    assert (cut("abc", 3), cut("abcd", 3), one_line("ab c")) == ("abc", "...", "ab c")


@pytest.mark.parametrize(
    "error",
    [InputError("0", "a host needs a core", fix="remove it", where="a.csv:3"), MissingExtra("--on", "dask")],
)
def test_an_error_comes_home_from_a_worker_of_a_cluster_as_it_was(error):
    home = pickle.loads(pickle.dumps(error))
    assert (type(home), str(home), vars(home)) == (type(error), str(error), vars(error))
