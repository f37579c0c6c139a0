"""`sacctmgr show assoc --json` and `sacctmgr show qos --json`, as the rows that `-P` would print (rule L7)."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from loadmaster.model import InputError
from loadmaster.site.account_table import AssociationRow
from loadmaster.site.lines import Pair

_FIX = "write it by: sacctmgr show assoc --json; sacctmgr show qos --json, one after the other"
_OF_ASSOCIATIONS = {
    "Account": "account", "User": "user", "Partition": "partition", "Share": "shares_raw", "QOS": "qos",
    "Def QOS": "default/qos", "Priority": "priority", "GrpJobs": "max/jobs/per/count",
    "GrpSubmit": "max/jobs/per/submitted", "GrpTRES": "max/tres/total", "GrpTRESMins": "max/tres/group/minutes",
    "GrpTRESRunMins": "max/tres/group/active", "MaxTRESRunMins": "max/tres/minutes/total",
    "GrpWall": "max/per/account/wall_clock", "MaxJobs": "max/jobs/active", "GrpJobsAccrue": "max/jobs/per/accruing",
    "MaxJobsAccrue": "max/jobs/accruing", "MaxSubmit": "max/jobs/total", "MaxTRESMins": "max/tres/minutes/per/job",
    "MaxTRES": "max/tres/per/job", "MaxTRESPerNode": "max/tres/per/node", "MaxWall": "max/jobs/per/wall_clock",
    "MinPrioThresh": "min/priority_threshold",
}  # fmt: skip
_OF_QOS = {
    "Name": "name", "Priority": "priority", "Preempt": "preempt/list", "UsageFactor": "usage_factor",
    "GrpJobs": "limits/max/active_jobs/count", "GrpSubmit": "limits/max/jobs/count",
    "GrpTRES": "limits/max/tres/total", "GrpTRESMins": "limits/max/tres/minutes/total",
    "GrpTRESRunMins": "limits/max/tres/minutes/per/qos", "GrpWall": "limits/max/wall_clock/per/qos",
    "MaxJobsPA": "limits/max/jobs/active_jobs/per/account", "MaxJobsPU": "limits/max/jobs/active_jobs/per/user",
    "MaxSubmitPA": "limits/max/jobs/per/account", "MaxSubmitPU": "limits/max/jobs/per/user",
    "GrpJobsAccrue": "limits/max/active_jobs/accruing", "MaxJobsAccruePA": "limits/max/accruing/per/account",
    "MaxJobsAccruePU": "limits/max/accruing/per/user", "MaxTRESMins": "limits/max/tres/minutes/per/job",
    "MaxTRES": "limits/max/tres/per/job", "MaxTRESPA": "limits/max/tres/per/account",
    "MaxTRESPU": "limits/max/tres/per/user", "MaxTRESPerNode": "limits/max/tres/per/node",
    "MaxTRESRunMinsPA": "limits/max/tres/minutes/per/account",
    "MaxTRESRunMinsPU": "limits/max/tres/minutes/per/user", "MaxWall": "limits/max/wall_clock/per/job",
    "MinTRES": "limits/min/tres/per/job", "LimitFactor": "limits/factor", "UsageThres": "usage_threshold",
    "MinPrioThresh": "limits/min/priority_threshold",
}  # fmt: skip
"""Names of the columns, and where the JSON of 23.02 to 26.05 has their values; walls are minutes."""
_UNSET = 2**32 - 2
"""From here on a number says that nothing is set, or no limit."""
_FLAGS = {
    "DENY_LIMIT": "DenyOnLimit", "NO_RESERVE": "NoReserve", "NO_DECAY": "NoDecay",
    "OVERRIDE_PARTITION_QOS": "OverPartQOS", "ENFORCE_USAGE_THRESHOLD": "EnforceUsageThreshold",
    "PARTITION_MINIMUM_NODE": "PartitionMinNodes", "PARTITION_MAXIMUM_NODE": "PartitionMaxNodes",
    "PARTITION_TIME_LIMIT": "PartitionTimeLimit", "REQUIRED_RESERVATION": "RequiresReservation",
    "USAGE_FACTOR_SAFE": "UsageFactorSafe",
}  # fmt: skip


def json_rows(text: str, where: str) -> tuple[list[AssociationRow], list[AssociationRow]]:
    """The associations and the QOS of one or more documents, one after the other.

    Raises:
        InputError: it is no JSON, or has neither.
    """
    associations: list[AssociationRow] = []
    qos: list[AssociationRow] = []
    try:
        for document in _documents(text):
            associations += [_association(row, where) for row in document.get("associations", ())]
            qos += [_qos(row, where) for row in document.get("qos", ())]
    except (ValueError, TypeError, AttributeError, KeyError, RecursionError):
        raise InputError("JSON", "no associations and no QOS of sacctmgr", fix=_FIX, where=where) from None
    return associations, qos


def _documents(text: str) -> Iterator[dict[str, Any]]:
    decoder, at = json.JSONDecoder(), 0
    while rest := text[at:].lstrip():
        document, length = decoder.raw_decode(rest)
        at = len(text) - len(rest) + length
        yield document


def _association(row: Mapping[str, Any], where: str) -> AssociationRow:
    place = f"{where}: {row['account']}"
    account, parent = (str(row.get(key) or "").strip().lower() for key in ("account", "parent_account"))
    above = "" if account == "root" or row.get("user") else parent or "root"
    return AssociationRow(
        _pairs(row, _OF_ASSOCIATIONS, place), place, str(row.get("cluster") or "").lower(), account, above
    )


def _qos(row: Mapping[str, Any], where: str) -> AssociationRow:
    place = f"{where}: {row['name']}"
    flags = [word for word in _words(row.get("flags")) if word != "NOT_SET"]
    modes = [word for word in _words(_at(row, "preempt/mode")) if word != "DISABLED"]
    said = {
        "Flags": ",".join(_FLAGS.get(word, word) for word in flags),
        "PreemptMode": ",".join(modes) or "cluster",
        "GraceTime": _minutes(_at(row, "limits/grace_time")),
        "PreemptExemptTime": _minutes(_at(row, "preempt/exempt_time")),
    }
    pairs = {key.lower(): Pair(key, value, place) for key, value in said.items()}
    return AssociationRow(_pairs(row, _OF_QOS, place) | pairs, place)


def _pairs(row: Mapping[str, Any], columns: Mapping[str, str], where: str) -> dict[str, Pair]:
    return {name.lower(): Pair(name, _cell(_at(row, path)), where) for name, path in columns.items()}


def _at(row: Any, path: str) -> Any:
    for key in path.split("/"):
        row = row.get(key) if isinstance(row, Mapping) else None
    return row


def _cell(value: Any) -> str:
    """A value as a table has it: a number, names joined by commas, amounts by resource; "" where nothing is set."""
    if isinstance(value, Mapping):
        value = value.get("number") if value.get("set") and not value.get("infinite") else None
    if isinstance(value, list):
        return ",".join(_amount(each) if isinstance(each, Mapping) else str(each) for each in value)
    unset = value is None or (isinstance(value, int | float) and value >= _UNSET)
    return "" if unset else str(value)


def _amount(tres: Mapping[str, Any]) -> str:
    return f"{tres['type']}{'/' + tres['name'] if tres.get('name') else ''}={tres['count']}"


def _words(value: Any) -> list[str]:
    return [str(word) for word in value] if isinstance(value, list) else str(value or "").split(",") if value else []


def _minutes(seconds: Any) -> str:
    """Seconds as minutes and seconds; nothing where they are not set."""
    text = _cell(seconds)
    return f"{int(text) // 60}:{int(text) % 60:02d}" if text and int(text) else ""
