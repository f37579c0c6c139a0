"""Where a user's own state is kept: leases, heartbeats, the key of masks."""

import os
from pathlib import Path


def state_folder() -> Path:
    """The folder, which need not be there yet: below XDG_STATE_HOME, or ~/.local/state."""
    base = os.environ.get("XDG_STATE_HOME")
    return Path(base) / "loadmaster" if base else Path.home() / ".local" / "state" / "loadmaster"
