"""Names files of unsupported kinds: workbooks, JSON, web pages, other encodings, other line ends."""

import re
from pathlib import Path

from loadmaster.model import InputError

_PACKED = {b"\x28\xb5\x2f\xfd": "Zstandard"}
_WORKBOOK = (b"xl/", b"[Content_Types].xml", b"opendocument.spreadsheet")
_BINARY = {
    b"\xd0\xcf\x11\xe0": "an old Excel workbook or another Office file", b"SQLite format 3": "an SQLite database",
    b"ARROW1": "an Arrow (Feather) file", b"ORC": "an ORC file", b"Obj\x01": "an Avro file", b"%PDF": "a PDF",
    b"\x89HDF": "an HDF5 file",
}  # fmt: skip
_AS_CSV = "save it as CSV or Parquet"
_EVENT = re.compile(rb'"kind"\s*:\s*"Event"')
EVENTS = "events of Kubernetes, which are no state and no list of hosts"
"""What `kubectl get events` prints."""
STATE_OF_EVENTS = "give kubectl get nodes,pods -A -o json; a log is kubectl get events,pods -A -o json"
"""What to give in their place."""
_INVENTORIES = (
    (re.compile(rb'"vmid"\s*:'), "resources of Proxmox",
     """jq -r '["name","cores","memory_bytes","host"],(.[]|select(.vmid)|[.name,.maxcpu,.maxmem,.node])|@csv' FILE"""),
    (re.compile(rb'["|]\s*Networks\s*["|].*["|]\s*Flavor', re.DOTALL), "servers of OpenStack",
     "each server has its host and its flavor, and `openstack flavor list` has the cores and the memory of a flavor"),
    (re.compile(rb"\s*(<\?xml[^>]*>\s*)?<dom(ain|status)\s|\s*Id\s+Name\s+State\s*\n\s*--"), "domains of libvirt",
     "`virsh dominfo NAME` has the cores and the memory of a domain"),
)  # fmt: skip
"""What the beginning of an inventory holds, what it is, and how a table of tasks is made of it."""


def refuse_binary(path: Path, start: bytes) -> None:
    """Refuse a file that begins as packed files, workbooks and databases do.

    Raises:
        InputError: it is such a file.
    """
    for magic, name in _PACKED.items():
        if start.startswith(magic):
            raise InputError(path.name, f"packed with {name}", fix="unpack it, or use gzip", where=str(path))
    if start.startswith(b"PK\x03\x04"):
        if any(mark in start for mark in _WORKBOOK):
            raise InputError(path.name, "a workbook (Excel, LibreOffice), not a table", fix=_AS_CSV, where=str(path))
        raise InputError(path.name, "packed with zip", fix="unpack it, or use gzip", where=str(path))
    for magic, name in _BINARY.items():
        if start.startswith(magic):
            raise InputError(path.name, f"{name}, not a table", fix=_AS_CSV, where=str(path))
    if start.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise InputError(path.name, "text in UTF-16, or binary data", fix="save it in UTF-8", where=str(path))


def refuse_document(path: Path, start: bytes) -> None:
    """Refuse text that is a document of another language, not lines of a log or table.

    Raises:
        InputError: it is JSON, HTML or XML.
    """
    text = start.lstrip()
    if text.startswith(b"{") and b'"apiVersion"' in text and _EVENT.search(text):
        raise InputError(path.name, EVENTS, fix=STATE_OF_EVENTS, where=str(path))
    if text.startswith(b"{") and b'"apiVersion"' in text:
        fix = "give it to info, pack or rebalance: loadmaster rebalance STATE"
        raise InputError(path.name, "a state of Kubernetes, not a log", fix=fix, where=str(path))
    if text.startswith(b"{") and b'"sinfo"' in text[:64]:
        rule = "what sinfo prints, which groups hosts"
        raise InputError(path.name, rule, fix="give what this prints: scontrol show node --json", where=str(path))
    if text.startswith(b"{") and b'"partitions"' in text[:64]:
        rule, fix = "partitions as JSON", "give text to --hosts: (scontrol show node; scontrol show partition) > FILE"
        raise InputError(path.name, rule, fix=fix, where=str(path))
    if text.startswith((b"{", b"[")):
        raise InputError(path.name, "JSON, not a table", fix=_AS_CSV, where=str(path))
    if text[:1] == b"<":
        raise InputError(path.name, "a page (HTML, XML), not a table", fix="fetch the file itself", where=str(path))


def refuse_inventory(path: Path, start: bytes) -> None:
    """Refuse a list of virtual machines that another program prints.

    Raises:
        InputError: it is one of Proxmox, OpenStack or libvirt.
    """
    for pattern, name, how in _INVENTORIES:
        if pattern.match(start) if name.endswith("libvirt") else pattern.search(start):
            fix = f"make it a table with name, cores, memory and host: {how}; give the nodes with --hosts"
            raise InputError(path.name, f"{name}, not a table of tasks", fix=fix)


def refuse_listing(path: Path, first: str) -> None:
    """Refuse what a command of Slurm prints for people, by its first line: it lacks what is needed here.

    Raises:
        InputError: it is such a listing.
    """
    names = set(first.upper().replace("|", " ").split())
    if names >= {"PARTITION", "AVAIL"} or names >= {"NODELIST", "STATE"}:
        rule = "what sinfo prints, which is no list of hosts with their cores and memory"
        raise InputError(path.name, rule, fix="give what this prints: scontrol show node", where=str(path))
    if names >= {"JOBID", "PRIORITY", "AGE"} and not names & {"SUBMIT", "SUBMIT_TIME"}:
        rule = "what sprio prints: priorities, and not what jobs request"
        raise InputError(
            path.name,
            rule,
            fix="give the queue (squeue --json) as the log, and this file with --site-priorities",
            where=str(path),
        )
    if names >= {"JOBID", "ST"} and not names & {"SUBMIT", "SUBMIT_TIME"}:
        rule = "what squeue prints by itself, without the times of submission"
        raise InputError(path.name, rule, fix="give what this prints: squeue --json", where=str(path))


def refuse_carriage_returns(path: Path, start: bytes) -> None:
    """Refuse text whose lines end in carriage returns alone.

    Raises:
        InputError: no line but the last ends in a line feed.
    """
    lines = start.rstrip(b"\r\n")
    if b"\r" in lines and b"\n" not in lines:
        fix = "write it with line feeds, such as: tr '\\r' '\\n'"
        raise InputError(path.name, "its lines end in carriage returns alone", fix=fix, where=str(path))
