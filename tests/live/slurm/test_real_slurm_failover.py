"""A real Slurm with two controllers: the first one dies, the second takes over, the first one comes back."""

import subprocess
import time

import pytest
import real_slurm
from real_slurm_site import HOSTS, Site

from loadmaster.live.session.engine import HELD, RUNNING, EngineDown
from loadmaster.model.actions import Start

pytestmark = [
    pytest.mark.skipif(bool(real_slurm.why_not()), reason=real_slurm.why_not() or "there is one"),
    pytest.mark.skipif(
        not real_slurm.why_not()
        and subprocess.run(["unshare", "--uts", "--mount", "true"], capture_output=True, check=False).returncode != 0,
        reason="no namespace for a second controller can be made here",
    ),
]
TWO = f"SlurmctldHost={real_slurm.BACKUP}(127.0.0.2)\nSlurmctldTimeout=10\n"


def until(ready, patience_s=90.0):
    """What `ready` gives as soon as that is something."""
    end = time.monotonic() + patience_s
    while True:
        try:
            if found := ready():
                return found
        except EngineDown:
            pass
        assert time.monotonic() < end
        time.sleep(0.5)


def test_no_job_is_lost_or_started_twice_where_a_second_controller_takes_over_and_the_first_comes_back():
    with real_slurm.held_slurm(HOSTS, TWO) as slurm:
        slurm.start(real_slurm.BACKUP)
        until(lambda: "DOWN" not in slurm.run("scontrol", "ping"))
        site = Site(slurm)
        first, second = (site.submit("-n", "1", "--mem=100") for _ in range(2))
        site.engine.observe()
        assert site.engine.act(Start(first, ("n1",))) is None
        site.until(first, RUNNING)
        running_s = time.time()
        until(lambda: (slurm.folder / "state" / "job_state").stat().st_mtime > running_s)

        slurm.kill("slurmctld")
        note = until(lambda: site.engine.observe().notes)[0]
        assert f"controller {real_slurm.BACKUP} of Slurm took over from " in note
        assert site.state_of(first) == (RUNNING, "n1", "")
        assert site.state_of(second) == (HELD, "", "")
        assert site.engine.act(Start(second, ("n2",))) is None
        site.until(second, RUNNING)

        slurm.start("slurmctld")
        assert f" took over from {real_slurm.BACKUP}" in until(lambda: site.engine.observe().notes)[0]
        assert (site.until(first, RUNNING)[1], site.until(second, RUNNING)[1]) == ("n1", "n2")
        site.engine.close()
