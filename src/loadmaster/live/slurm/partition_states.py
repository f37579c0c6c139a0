"""The states of partitions as they are now: `scontrol show partition`, one line each."""

from loadmaster.site.scontrol_reservations import shown_records


def parse_states(text: str) -> dict[str, str]:
    """The state of every partition that `scontrol -o show partition` prints, in lower case."""
    return {pairs["PartitionName"]: pairs.get("State", "UP").lower() for pairs in shown_records(text, "PartitionName")}
