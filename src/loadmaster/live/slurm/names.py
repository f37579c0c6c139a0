"""Names that are never used twice, though Slurm's are: after a crash it may give numbers a second time."""

from dataclasses import replace

from loadmaster.live.slurm.listing import ListedJob


class SlurmNames:
    """Remembers the job of each number. A number that came back after a restart for another job gets a mark."""

    def __init__(self) -> None:
        self._first: dict[str, tuple[str, str]] = {}
        self._again: dict[str, str] = {}

    def told_apart(self, rows: list[ListedJob], token: str) -> list[ListedJob]:
        """The rows, those of a second job of one number under a name of its own, such as `12@1700000000`.

        A job that was sent back to the queue is the same, though its time of submission is new: it is not held. A job
        that comes in after a restart is.
        """
        there = {row.id for row in rows}
        self._again = {name: mark for name, mark in self._again.items() if name in there}
        return [self._named(row, token) for row in rows]

    def _named(self, row: ListedJob, token: str) -> ListedJob:
        submit, first = row["SubmitTime"], self._first.get(row.id)
        if first is None:
            self._first[row.id] = (submit, token)
        elif first[0] != submit and first[1] != token and row["PriorityLong"] == "0" and not row["ReqNodes"]:
            self._first[row.id] = (submit, token)
            self._again[row.id] = submit
        return replace(row, id=f"{row.id}@{self._again[row.id]}") if row.id in self._again else row


def number_of(name: str) -> str:
    """What Slurm calls the job of that name."""
    return name.partition("@")[0]
