"""Whether a running Slurm was reconfigured since a run began: the run goes on with what it read then."""

import re
from collections.abc import Mapping

from loadmaster.site.scontrol_reservations import shown_records

CONFIG = re.compile(r"^(\w+(?:\[0\])?)\s+= (.*)$", re.MULTILINE)
"""A line of `scontrol show config`."""
_ALWAYS_NEW = ("BOOT_TIME", "NEXT_JOB_ID", "HASH_VAL")
_OF_PARTITIONS = (
    "AllowAccounts", "AllowGroups", "AllowQos", "DefaultTime", "DenyAccounts", "DenyQos", "ExclusiveUser", "MaxNodes",
    "MaxTime", "MinNodes", "Nodes", "OverSubscribe", "PreemptMode", "PriorityJobFactor", "PriorityTier", "QoS",
)  # fmt: skip
MOST_NAMED = 3


def definitions(text: str) -> dict[str, str]:
    """What `scontrol -o show config` and `show partition` print of a configuration, without what moves by itself."""
    config = {name: value.strip() for name, value in CONFIG.findall(text) if name not in _ALWAYS_NEW}
    partitions = {
        f"{pairs['PartitionName']} {name}": pairs[name]
        for pairs in shown_records(text, "PartitionName")
        for name in ("PartitionName", *_OF_PARTITIONS)
        if name in pairs
    }
    return config | partitions


def reconfigured(before: Mapping[str, str], now: Mapping[str, str]) -> str:
    """That the configuration has changed, and where; empty where it is the same.

    Example:
        >>> reconfigured({"PriorityWeightAge": "1000"}, {"PriorityWeightAge": "2000"})[:61]
        'Slurm was reconfigured (PriorityWeightAge from 1000 to 2000):'
    """
    names = [name for name in {**before, **now} if before.get(name) != now.get(name)]
    if not names:
        return ""
    those = [f"{name} from {before.get(name, 'nothing')} to {now.get(name, 'nothing')}" for name in names[:MOST_NAMED]]
    more = f", and {len(names) - MOST_NAMED:,} more" if len(names) > MOST_NAMED else ""
    return (
        f"Slurm was reconfigured ({', '.join(those)}{more}): this run goes on by the configuration that it read as it "
        "began; start it again to take the new one"
    )
