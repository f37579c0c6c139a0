"""One test job, held, pinned and run: whether this user may do what a live run does."""

import re
import time

from loadmaster.live.session.finding import Finding
from loadmaster.live.slurm.actions import lines_of, refusal_of
from loadmaster.live.slurm.commands import Commands
from loadmaster.live.slurm.listing import COMMAND, ListedJob, parse_listing
from loadmaster.live.slurm.work import is_over
from loadmaster.model.actions import Start

PATIENCE_S = 60.0
NAME = "loadmaster-probe"


def probe(commands: Commands, host: str, partition: str = "", patience_s: float = PATIENCE_S) -> list[Finding]:
    """Submit a job of one core that ends at once, held; pin it to `host`, release it, see that it ran there; cancel it.

    Raises:
        EngineDown: Slurm stopped answering.
    """
    where = ["-p", partition] if partition else []
    words = ["sbatch", "-H", "-n", "1", "--mem=1", "-t", "1", "-J", NAME, "-o", "/dev/null", *where, "--wrap", "true"]
    answer = commands.run(*words)
    match = re.search(r"job (\d+)", answer.text)
    if match is None:
        return [Finding("bad", f"no job can be submitted: {' '.join(answer.errors)[:200]}")]
    job = match[1]
    try:
        action = Start(job, (host,))
        begun = time.monotonic()
        refusal = refusal_of(action, commands.run("scontrol", text=lines_of(action)))
        took_s = time.monotonic() - begun
        if refusal is not None:
            return [Finding("bad", f"the test job cannot be pinned and released: {refusal.text}")]
        return [
            Finding("ok", f"pinned and released a job in {1000 * took_s:.0f} ms"),
            _outcome(commands, job, host, patience_s),
        ]
    finally:
        commands.run("scancel", job)


def _outcome(commands: Commands, job: str, host: str, patience_s: float) -> Finding:
    until, row = time.monotonic() + patience_s, None
    while time.monotonic() < until:
        row = _row(commands, job)
        if row is not None and row["NodeList"] == host and (is_over(row) or row["State"] != "PENDING"):
            return Finding("ok", f"it ran on {host}, as asked")
        if row is not None and row["NodeList"]:
            return Finding("bad", f"it ran on {row['NodeList']} instead of {host}")
        if row is None or is_over(row):
            return Finding("bad", "the test job disappeared before it ran")
        time.sleep(0.2)
    why = f": Slurm says {row['Reason']}" if row is not None and row["Reason"] else ""
    return Finding("bad", f"it did not start on {host} within {patience_s:g} s{why}")


def _row(commands: Commands, job: str) -> ListedJob | None:
    rows, _ = parse_listing(commands.read(*COMMAND))
    return next((row for row in rows if row.id == job), None)
