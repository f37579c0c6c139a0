"""A small site with its log: a copy in a folder, and the JSON document that a command prints."""

import json
import shutil
from pathlib import Path

from typer.testing import CliRunner

from loadmaster.cli.app import app

SITE = ("--site", "slurm.conf", "--site-accounts", "accounts.txt")


def copy_site(folder: Path) -> Path:
    """The folder, with the log and the configuration of the site."""
    recorded = Path(__file__).parents[1] / "site" / "recorded"
    for name in ("slurm.conf", "accounts.txt", "log.sacct"):
        shutil.copy(recorded / name, folder)
    return folder


def document_of(*arguments):
    """What a command prints with --json."""
    done = CliRunner().invoke(app, [*arguments, "--json"], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)
