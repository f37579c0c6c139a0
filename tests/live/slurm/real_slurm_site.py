"""A site with real daemons of Slurm, three hosts and the hook of loadmaster."""

import time
from contextlib import contextmanager
from pathlib import Path

import real_slurm

from loadmaster.live.slurm.engine import SlurmEngine

HOSTS = ["CPUs=8 RealMemory=16000 Feature=big", "CPUs=8 RealMemory=16000", "CPUs=4 RealMemory=32000"]


class Site:
    """A Slurm, the adapter on it, and its folder of state."""

    def __init__(self, slurm):
        self.slurm = slurm
        self.state = slurm.folder / "lm"
        self.engine = SlurmEngine(Path(slurm.conf), folder=self.state)
        self.engine.observe()

    def submit(self, *words, run="sleep 60"):
        text = self.slurm.run("sbatch", "--parsable", "-o", "/dev/null", *words, "--wrap", run)
        return text.strip().partition(";")[0]

    def state_of(self, job):
        """Of its first task: (state, host, pin); None if it is not there."""
        seen = self.engine.observe()
        if job not in seen.ids:
            return None
        task = int((seen.tasks.job == seen.ids.index(job)).argmax())
        names = (*seen.cluster.names, "")
        return (
            int(seen.tasks.state[task]),
            names[int(seen.tasks.host[task])],
            names[int(seen.tasks.pin[task])],
        )

    def until(self, job, state, patience_s=60.0):
        end = time.monotonic() + patience_s
        while (found := self.state_of(job)) is None or found[0] != state:
            assert time.monotonic() < end, f"job {job} is {found}"
            time.sleep(0.2)
        return found


@contextmanager
def a_site():
    more = "PartitionName=small Nodes=n1,n2 PriorityTier=2 MaxTime=60\nLicenses=matlab:2\n"
    with real_slurm.held_slurm(HOSTS, more, fail_open_s=60.0) as slurm:
        yield Site(slurm)


class PlainUser:
    """Somebody without any right, and what Slurm says to him."""

    def __init__(self, site):
        self.site = site

    def may(self, *words):
        done = self.site.slurm.tried(*words, user="nobody")
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    def is_told(self, *words):
        done = self.site.slurm.tried(*words, user="nobody")
        assert done.returncode != 0
        return done.stderr.strip()

    def submit(self, *words):
        more = ("-n", "1", "--mem=100", "--wrap", "sleep 60")
        return self.may("sbatch", "--parsable", "-o", "/dev/null", *words, *more)

    def hold_of(self, job):
        seen = self.site.engine.observe()
        return int(seen.jobs.constraints.hold[seen.ids.index(job)])
