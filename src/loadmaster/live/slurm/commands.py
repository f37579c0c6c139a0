"""Slurm's own commands, run in an environment without the user's settings."""

import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from loadmaster.live.session.engine import EngineDown
from loadmaster.model.errors import InputError, cut

PATIENCE_S = 30.0
"""So long an answer may take; Slurm's own commands give up after some ten seconds."""
_NEVER_INHERITED = ("SQUEUE_", "SINFO_", "SCONTROL_", "SBATCH_", "SACCT_", "SLURM_")
"""Variables that change what commands print or choose; `SLURM_CONF` alone is kept."""
_DOWN = (
    "unable to contact slurm controller", "connection refused", "connect failure", "socket timed out",
    "zero bytes were transmitted", "slurm backup controller in standby mode", "message receive failure",
    "slurmctld is in the process", "unexpected message received", "connection reset", "connection timed out",
    "broken pipe", "no route to host", "network is unreachable", "unable to connect", "protocol authentication error",
)  # fmt: skip


@dataclass(frozen=True)
class CommandOutput:
    """What a command said; `errors` are the lines on stderr."""

    code: int
    text: str
    errors: tuple[str, ...]


class Commands:
    """The commands of one Slurm.

    Args:
        conf: its configuration; None asks the machine's own, as `SLURM_CONF` or the default place says.

    Raises:
        InputError: the configuration is not there.
    """

    def __init__(self, conf: Path | None = None) -> None:
        if conf is not None and not conf.is_file():
            raise InputError(conf, "no such file", fix="give the slurm.conf of the cluster, or leave --conf out")
        environment = {name: text for name, text in os.environ.items() if not name.startswith(_NEVER_INHERITED)}
        self.conf = given = str(conf.absolute()) if conf else os.environ.get("SLURM_CONF")
        """The configuration that they are told to take; None is the machine's own."""
        self._environment = {
            **environment,
            **({"SLURM_CONF": given} if given else {}),
            "SLURM_TIME_FORMAT": "%s",
            "LC_ALL": "C",
            "TZ": "UTC",
        }

    def run(self, *words: str, text: str | None = None) -> CommandOutput:
        """Run a command; times are printed as seconds since the epoch.

        Raises:
            EngineDown: the controller does not answer.
            InputError: the command is not installed.
        """
        program = shutil.which(words[0], path=f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/local/bin")
        if program is None:
            raise InputError(words[0], "this command of Slurm is not here", fix="run loadmaster where squeue works")
        try:
            done = subprocess.run(
                [program, *words[1:]],
                input="" if text is None else text,
                env=self._environment,
                capture_output=True,
                encoding="latin-1",
                timeout=PATIENCE_S,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise EngineDown(f"{words[0]} has not answered for {PATIENCE_S:g} s") from None
        errors = tuple(line.strip() for line in done.stderr.splitlines() if line.strip())
        if done.returncode and (down := next((line for line in errors if _is_down(line)), "")):
            raise EngineDown(cut(f"{words[0]}: {down}", 200))
        return CommandOutput(done.returncode, done.stdout, errors)

    def read(self, *words: str) -> str:
        """What a command that only looks prints.

        Raises:
            EngineDown: the controller does not answer.
            InputError: it refuses, or is not installed.
        """
        answer = self.run(*words)
        if answer.code:
            raise InputError(" ".join(words), f"Slurm refuses: {cut(' '.join(answer.errors), 150)}")
        return answer.text


def _is_down(line: str) -> bool:
    return any(words in line.lower() for words in _DOWN)
