"""Which controller of Slurm answers, of the two or more that a site may have, and that another one took over."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime

_ASKED = re.compile(r"^Slurmctld\([^)]*\) at (\S+) is (UP|DOWN)\s*$", re.MULTILINE)
"""A line under `scontrol show config`: the controllers, in the order in which they take over."""


@dataclass(frozen=True)
class Controllers:
    """The controllers of one Slurm at one moment.

    Attributes:
        started: when the controller that answered began, as Slurm writes it; "" where nothing is known.
        up: by name, whether each answers; the first that does is in charge.
    """

    started: str = ""
    up: Mapping[str, bool] = field(default_factory=dict)

    @classmethod
    def of(cls, text: str, started: str) -> "Controllers":
        r"""What `scontrol show config` prints.

        Example:
            >>> text = "Slurmctld(primary) at a is DOWN\nSlurmctld(backup) at b is UP"
            >>> Controllers.of(text, "7").in_charge
            'b'
        """
        return cls(started, {name: state == "UP" for name, state in _ASKED.findall(text)})

    @property
    def in_charge(self) -> str:
        """The name of the controller that decides; "" where none is known to answer."""
        return next((name for name, is_up in self.up.items() if is_up), "")

    def since(self, before: "Controllers", now_s: float) -> str:
        """One line on what happened since `before`; "" where the same controller goes on."""
        if not before.started or self.started == before.started:
            return ""
        at = datetime.fromtimestamp(now_s, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        down = ", ".join(name for name, is_up in self.up.items() if not is_up)
        if before.in_charge not in ("", self.in_charge):
            what = f"controller {self.in_charge} of Slurm took over from {before.in_charge}"
        else:
            what = f"Slurm's controller {self.in_charge}".rstrip() + " was restarted"
        what += f" ({down} is down)" if down else ""
        return f"{what}, seen at {at}: Slurm may have lost jobs and requests of the seconds before"
