"""What all tests share: the same examples on every machine, and where real logs are found."""

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "seeded", derandomize=True, deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("seeded")


@pytest.fixture(scope="session")
def real_logs() -> Path:
    """The folder with real logs: LOADMASTER_SHARED, or `shared` beside the repository; skips where there is none."""
    default = Path(__file__).parents[2] / "shared"
    folder = Path(os.environ.get("LOADMASTER_SHARED", default)) / "traces"
    if not folder.is_dir():
        pytest.skip(f"no real logs in {folder}; set LOADMASTER_SHARED to the folder that holds `traces`")
    return folder
