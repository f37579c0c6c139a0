"""Which controller of Slurm is in charge, and that another one took over."""

import pytest

from loadmaster.live.slurm.controllers import Controllers

BOTH, FIRST_DOWN = (
    f"BOOT_TIME = 1\nSlurmctld(primary) at ctl1 is {state}\nSlurmctld(backup) at ctl2 is UP\n"
    for state in ("UP", "DOWN")
)


@pytest.mark.parametrize(
    ("before", "now", "says"),
    [
        ((BOTH, "1"), (BOTH, "1"), ""),
        ((BOTH, "1"), (FIRST_DOWN, "2"), "controller ctl2 of Slurm took over from ctl1 (ctl1 is down), seen at 2026-"),
        ((FIRST_DOWN, "2"), (BOTH, "3"), "controller ctl1 of Slurm took over from ctl2, seen at 2026-"),
        ((BOTH, "1"), (BOTH, "3"), "Slurm's controller ctl1 was restarted, seen at 2026-"),
        (("", "1"), ("", "3"), "Slurm's controller was restarted, seen at 2026-"),
    ],
)
def test_a_controller_that_took_over_or_began_anew_is_said_in_one_line(before, now, says):
    note = Controllers.of(*now).since(Controllers.of(*before), 1_795_949_796.0)
    assert note.startswith(says)
    assert bool(note) == bool(says)
    assert "\n" not in note


def test_the_first_look_tells_nothing():
    assert Controllers.of(BOTH, "1").since(Controllers(), 0.0) == ""
