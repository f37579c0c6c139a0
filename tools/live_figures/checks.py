"""Live and simulated: the same decisions given the same events, on a real Slurm of eight hosts with 500 jobs."""

import json
import subprocess
import time
from pathlib import Path

import real_slurm
import site_of_jobs as site

RULES = {
    "mix-fit": ("--policy", "mix-fit", "--discipline", "netbatch"),
    "max-jobs+easy": ("--policy", "max-jobs", "--discipline", "easy"),
    "multifactor+easy": ("--policy", "mix-fit", "--discipline", "multifactor+easy"),
}


def measure(folder: Path, jobs: int, hosts: int, span_s: float = 60.0, seed: int = 1) -> dict[str, object]:
    """For each rule: jobs come, the loop places them, `--check` takes it all again."""
    return {name: _one(folder / name, words, jobs, hosts, span_s, seed) for name, words in RULES.items()}


def _one(folder: Path, rule: tuple[str, ...], jobs: int, hosts: int, span_s: float, seed: int) -> dict[str, object]:
    folder.mkdir(parents=True, exist_ok=True)
    work = site.made_jobs(jobs, span_s, seed, 1.0, 0.15 * span_s)
    with real_slurm.held_slurm(["CPUs=8 RealMemory=16000"] * hosts) as slurm:
        words = ("slurm", *rule, "--interval", "2s", "--conf", str(slurm.conf), "--state", str(slurm.folder / "lm"))
        loop = site.live(*words, "-o", "run", log=folder / "loop.log", folder=folder)
        while not (folder / "run" / "live.jsonl").exists():
            assert loop.poll() is None, (folder / "loop.log").read_text()[-2000:]
            time.sleep(0.2)
        with site.submitting(slurm, work) as submitted:
            while len(submitted.numbers) < jobs or slurm.run("squeue", "-h", "-o", "%i").split():
                assert loop.poll() is None, (folder / "loop.log").read_text()[-2000:]
                time.sleep(2.0)
        loop.send_signal(2)
        loop.wait(timeout=120.0)
    done = subprocess.run(
        [*site.PROGRAM, "live", "--check", "run", "--json"], cwd=folder, capture_output=True, text=True, check=False
    )
    said = json.loads(done.stdout)
    return {name: said[name] for name in ("passes", "same_passes", "starts", "same_starts", "same")} | {
        "submitted": len(submitted.numbers),
        "load": site.load(),
        "notes": said.get("notes", []),
    }
