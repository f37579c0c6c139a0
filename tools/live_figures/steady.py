"""Twenty minutes of shadow with cycles of a second beside two thousand jobs: memory, and cycles that were missed."""

import json
import statistics
import time
from pathlib import Path

import real_slurm
import site_of_jobs as site

SAMPLE_S = 10.0
WARM_PART = 0.1


def measure(folder: Path, minutes: float, jobs: int, hosts: int, seed: int = 1) -> dict[str, object]:
    """Run it; what came out."""
    span_s = 60.0 * minutes
    work = site.made_jobs(jobs, 0.95 * span_s, seed, 10.0, 0.06 * span_s)
    samples: list[tuple[float, float, float]] = []
    with real_slurm.real_slurm(["CPUs=8 RealMemory=16000"] * hosts, site.PLAIN) as slurm:
        words = ("slurm", "--shadow", "--interval", "1s", "--for", f"{span_s:g}s", "--conf", str(slurm.conf))
        process = site.live(
            *words,
            "--state",
            str(folder / "state"),
            "-o",
            "steady",
            "--json",
            log=folder / "steady.json",
            folder=folder,
        )
        began_s = time.monotonic()
        with site.submitting(slurm, work) as submitted:
            while process.poll() is None:
                samples.append((time.monotonic() - began_s, site.resident_mb(process.pid), site.load()))
                (folder / "samples.json").write_text(json.dumps(samples))
                time.sleep(SAMPLE_S)
        assert process.returncode == 0, (folder / "steady.json").read_text()
    text = (folder / "steady.json").read_text()
    said = json.loads(text[text.index("{") : text.rindex("}") + 1])
    return summary(samples, {"jobs": len(submitted.numbers)} | said)


def summary(samples: list[tuple[float, float, float]], said: dict[str, object]) -> dict[str, object]:
    """Memory after the first tenth of the time: its first and last fifth, and how much it grows in an hour."""
    warm = [(at_s, memory) for at_s, memory, _ in samples if at_s >= WARM_PART * samples[-1][0] and memory == memory]
    fifth = max(1, len(warm) // 5)
    slope, _ = statistics.linear_regression(*zip(*warm, strict=True)) if len(warm) > 1 else (float("nan"), 0.0)
    loads = [load for _, _, load in samples]
    return {
        "jobs": said["jobs"],
        "cycles": said["cycles"],
        "missed": said["missed"],
        "skipped": said["skipped"],
        "memory_first_fifth_mb": round(statistics.fmean(memory for _, memory in warm[:fifth]), 1),
        "memory_last_fifth_mb": round(statistics.fmean(memory for _, memory in warm[-fifth:]), 1),
        "memory_growth_mb_an_hour": round(3600 * slope, 1),
        "load_mean": round(statistics.fmean(loads), 2),
        "load_max": max(loads),
    }
