"""Files for systemd: the service, and the watchdog that lets jobs go when the service is dead."""

from pathlib import Path

from loadmaster.model.errors import InputError


def unit_files(program: str, where: str, words: str, folder: Path, fail_open_s: float) -> dict[str, str]:
    """Name and text of each file.

    Args:
        program: the command `loadmaster`, as a shell takes it.
        where: `--state`, and `--conf` if need be: both must look at the same heartbeat of the same cluster.
        words: what else comes after `live slurm` when it runs.
        folder: from which files named there are looked for.
        fail_open_s: after so long without a sign of life the watchdog releases what is held.

    Raises:
        InputError: a line break in the words.
    """
    service = f"{program} live slurm {where} {words}".rstrip()
    if not (service + str(folder)).isprintable():
        raise InputError(service, "a unit file holds one line", fix="leave line breaks out")
    service, where = service.replace("%", "%%"), where.replace("%", "%%")
    watchdog = f"{program} live slurm {where} --watchdog --fail-open {fail_open_s:.0f}s"
    return {
        "loadmaster.service": _SERVICE.format(command=service, folder=str(folder).replace("%", "%%")),
        "loadmaster-watchdog.service": _WATCHDOG.format(command=watchdog),
        "loadmaster-watchdog.timer": _TIMER,
    }


_SERVICE = """\
[Unit]
Description=loadmaster places the jobs of this Slurm
After=network-online.target slurmctld.service
Wants=loadmaster-watchdog.timer

[Service]
WorkingDirectory={folder}
ExecStart={command}
Restart=on-failure
RestartSec=5
KillSignal=SIGINT
SuccessExitStatus=130
TimeoutStopSec=60

[Install]
WantedBy=multi-user.target
"""
_WATCHDOG = """\
[Unit]
Description=releases the jobs that loadmaster holds, if it is dead

[Service]
Type=oneshot
ExecStart={command}
"""
_TIMER = """\
[Unit]
Description=looks for a sign of life of loadmaster

[Timer]
OnBootSec=5min
OnUnitActiveSec=1min

[Install]
WantedBy=timers.target
"""
