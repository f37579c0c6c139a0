"""What all tests share: the same examples on every machine, and where real logs are found."""

import os
import sys
from pathlib import Path

import postgres_server
import pytest
from hypothesis import HealthCheck, settings
from hypothesis.internal.conjecture import providers

from loadmaster.cli import main

for name, derandomize in (("seeded", True), ("fresh", False)):
    settings.register_profile(
        name,
        derandomize=derandomize,
        deadline=None,
        max_examples=60,
        suppress_health_check=[HealthCheck.too_slow],
        database=None,
    )
settings.load_profile("seeded")
providers._get_local_constants = lambda: providers._local_constants
"""Hypothesis draws constants of modules too, by the path of their folder: none, so that all trees draw the same."""


def pytest_configure(config):
    """Let a seed that is requested count: a profile with fixed ones goes before it."""
    if config.getoption("--hypothesis-seed") is not None:
        settings.load_profile("fresh")


@pytest.fixture(scope="session")
def real_logs() -> Path:
    """The folder with real logs: LOADMASTER_SHARED, or `shared` beside the repository; skips where there is none."""
    default = Path(__file__).parents[2] / "shared"
    folder = Path(os.environ.get("LOADMASTER_SHARED", default)) / "traces"
    if not folder.is_dir():
        pytest.skip(f"no real logs in {folder}; set LOADMASTER_SHARED to the folder that holds `traces`")
    return folder


@pytest.fixture(scope="session")
def postgres():
    """The URL of a PostgreSQL server for the tests alone; skips where the server or its driver is not installed."""
    reason = postgres_server.why_not()
    if reason:
        pytest.skip(reason)
    pytest.importorskip("psycopg", reason="the driver of PostgreSQL, in the extra `postgres`, is not installed")
    with postgres_server.server() as url:
        yield url


@pytest.fixture
def told(here, monkeypatch, capfd):
    """Run the command line as typed, in the folder `here` of the module; return what stderr says.

    Checks all that holds for any bad input: exit code 2, one line, no traceback, nothing on stdout.
    """

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["loadmaster", *arguments])
        with pytest.raises(SystemExit) as stop:
            main()
        printed = capfd.readouterr()
        assert stop.value.code == 2, printed.err
        assert printed.out == ""
        assert "Traceback" not in printed.err
        assert len(printed.err.splitlines()) == 1, printed.err
        assert printed.err.startswith("loadmaster: ")
        return printed.err

    return run
