"""What a real Slurm makes of priorities and shares while jobs wait, asked every few seconds."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from real_slurm import RealSlurm

PRIORITY = "%i|%Y|%A|%F|%J|%P|%Q"
"""Job, priority, and the weighted factors of age, fair share, job size, partition and QOS."""
SHARES = "Account,User,RawUsage,FairShare"


@contextmanager
def watching(slurm: RealSlurm, every_s: float = 5.0) -> Iterator[dict[str, list[str]]]:
    """Two tables that grow until the block ends: `priorities` and `shares`, a line for each change, its time first."""
    tables: dict[str, list[str]] = {
        "priorities": ["time|job|priority|age|fair_share|size|partition|qos"],
        "shares": ["time|account|user|usage|fair_share"],
    }
    last: dict[str, dict[str, str]] = {name: {} for name in tables}
    over = threading.Event()

    def watch() -> None:
        while not over.wait(every_s):
            asked = {
                "priorities": slurm.run("sprio", "-h", "-o", PRIORITY),
                "shares": slurm.run("sshare", "-h", "-a", "-P", f"--format={SHARES}"),
            }
            for name, text in asked.items():
                for line in text.splitlines():
                    words = line.replace(" ", "")
                    key = "|".join(words.split("|")[: 1 if name == "priorities" else 2])
                    if last[name].get(key) != words:
                        last[name][key] = words
                        tables[name].append(f"{time.time():.0f}|{words}")

    thread = threading.Thread(target=watch)
    thread.start()
    try:
        yield tables
    finally:
        over.set()
        thread.join()
