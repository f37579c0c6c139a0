"""Files for systemd: the service, and the watchdog that lets jobs go when the service is dead."""

from pathlib import Path

from loadmaster.model.errors import InputError


def unit_files(
    program: str, where: str, words: str, folder: Path, fail_open_s: float, user: str, alert: str = ""
) -> dict[str, str]:
    """Name and text of each file.

    Args:
        program: the command `loadmaster`, as a shell takes it.
        where: `--state`, and `--conf` if need be: both must look at the same heartbeat of the same cluster.
        words: what else comes after `live slurm` when it runs.
        folder: from which files named there are looked for.
        fail_open_s: after so long without a sign of life the watchdog releases what is held.
        user: that runs them; the hook knows that user.
        alert: the command of `--on-alert`, which then is run as well where a unit has failed for good.

    Raises:
        InputError: a line break in the words.
    """
    service = f"{program} live slurm {where} {words}".rstrip()
    if not (service + str(folder) + alert).isprintable():
        raise InputError(service, "a unit file holds one line", fix="leave line breaks out")
    watchdog = f"{program} live slurm {where} --watchdog --fail-open {fail_open_s:.0f}s"
    on_failure = f"{_ON_FAILURE}\n" if alert else ""
    files = {
        "loadmaster.service": _SERVICE.format(
            command=_escaped(service), folder=str(folder).replace("%", "%%"), user=user, on_failure=on_failure
        ),
        "loadmaster-watchdog.service": _WATCHDOG.format(command=_escaped(watchdog), user=user, on_failure=on_failure),
        "loadmaster-watchdog.timer": _TIMER,
    }
    return files | ({"loadmaster-failed@.service": _FAILED.format(command=_escaped(alert), user=user)} if alert else {})


def _escaped(command: str) -> str:
    """A command for `ExecStart=`: systemd would put other texts for `%` and `$`."""
    return command.replace("%", "%%").replace("$", "$$")


_ON_FAILURE = "OnFailure=loadmaster-failed@%N.service\nStartLimitIntervalSec=600\nStartLimitBurst=20"
"""A service that is restarted has failed only when it has reached this limit."""
_SERVICE = """\
[Unit]
Description=loadmaster places the jobs of this Slurm
After=network-online.target slurmctld.service
Wants=loadmaster-watchdog.timer
{on_failure}
[Service]
User={user}
WorkingDirectory={folder}
ExecStart={command}
Restart=on-failure
RestartSec=15
KillSignal=SIGINT
SuccessExitStatus=130
TimeoutStopSec=60

[Install]
WantedBy=multi-user.target
"""
_WATCHDOG = """\
[Unit]
Description=releases the jobs that loadmaster holds, if its heartbeat stops
{on_failure}
[Service]
Type=oneshot
User={user}
ExecStart={command}
"""
_FAILED = """\
[Unit]
Description=reports that %i has failed

[Service]
Type=oneshot
User={user}
Environment=LOADMASTER_ALERT=failed "LOADMASTER_MESSAGE=%i.service has failed" LOADMASTER_SUPPRESSED=0
ExecStart={command}
"""
_TIMER = """\
[Unit]
Description=checks the heartbeat of loadmaster

[Timer]
OnBootSec=5min
OnUnitActiveSec=1min

[Install]
WantedBy=timers.target
"""
