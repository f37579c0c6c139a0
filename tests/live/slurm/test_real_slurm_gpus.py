"""GPUs of two types on a real Slurm, one a slice whose name begins with a digit: jobs run where their type is."""

import time
from pathlib import Path

import numpy as np
import pytest
import real_slurm

from loadmaster.live.session.engine import RUNNING
from loadmaster.live.slurm.engine import SlurmEngine
from loadmaster.model.actions import Start
from loadmaster.scheduling.resolved_constraints import resolve_constraints

pytestmark = pytest.mark.skipif(bool(real_slurm.why_not()), reason=real_slurm.why_not() or "there is one")
HOSTS = [
    "CPUs=4 RealMemory=16000",
    "CPUs=4 RealMemory=16000 Gres=gpu:a100:2",
    "CPUs=4 RealMemory=16000 Gres=gpu:1g.10gb:4",
]
SPELLINGS = {
    "--gpus=a100:2": ("n2", 2.0), "--gpus-per-task=a100:1": ("n2", 1.0), "--gres=gpu:1g.10gb:3": ("n3", 3.0),
    "--gpus-per-node=1g.10gb:1": ("n3", 1.0), "--gpus-per-socket=a100:1 --sockets-per-node=1": ("n2", 1.0),
}  # fmt: skip


NEVER = [
    "--gres=gpu:a100:3", "--gres=gpu:5", "--gres=gpu:h100:1", "-n1 --gpus=h100:1", "--gpus=7", "-N1 --gpus=5",
    "-n1 --gpus=a100:3", "-N2 --gpus-per-node=a100:1", "-N1 --gpus-per-node=1g.10gb:5",
    "-N1 -n3 --gpus-per-task=a100:1", "-n1 --gpus-per-task=5", "--mem=17000 --gres=gpu:1",
    "--gres=gpu:a100:1,gpu:1g.10gb:1",
]  # fmt: skip
SPREAD = ["--gpus=6", "--gpus=5"]
MAY = [*SPREAD, "--gpus=a100:2", "--gres=gpu", "--gres=gpu:a100", "-N2 --gpus-per-node=2", "-n4 --gpus-per-task=1"]


def test_gpus_that_no_host_has_are_refused_as_slurm_would_and_those_of_several_are_left_to_it():
    with real_slurm.held_slurm(HOSTS, "GresTypes=gpu\n") as slurm:
        engine = SlurmEngine(Path(slurm.conf), folder=slurm.folder / "lm")
        engine.observe()

        def submit(words):
            return slurm.tried("sbatch", "--parsable", "-o", "/dev/null", *words.split(), "--wrap", "sleep 60")

        taken = {submit(words).stdout.strip(): words for words in MAY}
        assert "" not in taken
        left_out = {taken[name] for name, why in engine.observe().left_out if "more GPUs than any host has" in why}
        assert left_out == set(SPREAD)
        refused = {words: submit(words).stderr for words in NEVER}
        assert [words for words, text in refused.items() if "of the default partition" not in text] == []
        engine.close()
        alone = {words: submit(words).stderr for words in NEVER}
        assert [words for words, text in alone.items() if "configuration is not available" not in text] == []


@pytest.mark.parametrize("tracked", ["", "AccountingStorageTRES=gres/gpu\n"], ids=["untracked", "tracked"])
def test_jobs_ask_for_their_gpus_and_may_only_run_where_their_type_is(tracked):
    with real_slurm.held_slurm(HOSTS, f"GresTypes=gpu\n{tracked}") as slurm:
        engine = SlurmEngine(Path(slurm.conf), folder=slurm.folder / "lm")
        engine.observe()
        sbatch = ("sbatch", "--parsable", "-n1", "--mem=100", "-o", "/dev/null", "--wrap", "sleep 60")
        jobs = {slurm.run(*sbatch, *words.split()).strip().partition(";")[0]: words for words in SPELLINGS}
        seen = engine.observe()
        assert seen.left_out == ()
        binding = resolve_constraints(seen.jobs, seen.cluster)
        for row, name in enumerate(seen.ids):
            host, gpus = SPELLINGS[jobs[name]]
            allowed = np.flatnonzero(binding.entries.allowed[binding.entries.hosts[row]])
            asks = float(seen.jobs.demand[row, 2])
            assert ([seen.cluster.names[h] for h in allowed], asks) == ([host], gpus), jobs[name]
        wanted = next(name for name, words in jobs.items() if words == "--gpus=a100:2")
        assert engine.act(Start(wanted, ("n2",))) is None
        end = time.monotonic() + 60.0
        while seen.tasks.state[seen.ids.index(wanted)] != RUNNING:
            assert time.monotonic() < end
            time.sleep(0.2)
            seen = engine.observe()
        assert seen.tasks.demand[seen.ids.index(wanted), 2] == 2.0
        engine.close()
