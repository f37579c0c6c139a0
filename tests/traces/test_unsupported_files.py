"""Files that are no table of ours are named as what they are, in one line, by every reader."""

import gzip
import io
import sqlite3
import zipfile

import pytest

from loadmaster.model import InputError
from loadmaster.packing.kubernetes_objects import read_objects
from loadmaster.packing.read import read_tasks
from loadmaster.site.machines import read_machines
from loadmaster.traces import ReadOptions, read_hosts, read_trace
from loadmaster.traces.bag import read_bag
from traces.logs import write


def workbook():
    """The beginning of what Excel saves: a zip archive with these names in it."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
        archive.writestr("xl/workbook.xml", "<workbook/>")
    return packed.getvalue()


def database(folder):
    with sqlite3.connect(folder / "made.sqlite") as made:
        made.execute("create table jobs (submit_s real)")
    return (folder / "made.sqlite").read_bytes()


READERS = {
    "jobs": lambda path: read_trace(path),
    "jobs as csv": lambda path: read_trace(path, ReadOptions(format="csv")),
    "hosts": lambda path: read_hosts(str(path)),
    "tasks": lambda path: read_tasks(path, "1x8c16g"),
    "bag": lambda path: read_bag(path),
}
KINDS = {
    "workbook": (workbook(), "a workbook (Excel, LibreOffice), not a table; save it as CSV or Parquet"),
    "old workbook": (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600), "an old Excel workbook"),
    "zip": (b"PK\x03\x04" + bytes(60), "packed with zip; unpack it"),
    "utf-16": ("submit_s,runtime_s,cores\n0,1,1\n".encode("utf-16"), "UTF-16"),
    "carriage returns": (b"submit_s,runtime_s,cores\r0,1,1\r5,1,1\r", "its lines end in carriage returns alone"),
    "100 kB of commas": (b"," * 100_000, "100,001 columns"),
    "a huge first cell": (b'"' + b"x" * 200_000 + b'",b\n1,2\n', "a cell of more than 131,072 characters"),
    "json": (b'  {"jobs": [{"submit_s": 0, "cores": 1}]}\n', "JSON, not a table"),
    "page": (b"<!DOCTYPE html>\n<html><body>Not found, sorry</body></html>\n", "a page (HTML, XML), not a table"),
}
OTHERWISE = {
    ("jobs", "a huge first cell"): "no known format of a log",
    ("bag", "100 kB of commas"): "which column holds the durations?",
    ("bag", "a huge first cell"): "which column holds the durations?",
}


@pytest.mark.parametrize("packed", [False, True], ids=["plain", "gzip"])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("reader", READERS)
def test_a_file_of_another_kind_is_named_as_what_it_is(tmp_path, reader, kind, packed):
    content, message = KINDS[kind]
    path = tmp_path / "file.csv"
    path.write_bytes(gzip.compress(content) if packed else content)
    with pytest.raises(InputError) as error:
        READERS[reader](path)
    assert (OTHERWISE.get((reader, kind), message) or "") in str(error.value)
    assert len(str(error.value)) < 400
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("reader", READERS)
def test_a_database_is_named_as_one(tmp_path, reader):
    says = "not Azure's trace for packing" if reader == "jobs" else "an SQLite database, not a table"
    with pytest.raises(InputError, match=says):
        READERS[reader](write(tmp_path, "file.csv", database(tmp_path)))


@pytest.mark.parametrize(
    ("reader", "text", "value"),
    [
        ("jobs", "0,60,1,1\n5,60,2,1\n", "'0'"),
        ("hosts", "16,64\n", "'16'"),
        ("tasks", "web-1,4,8GiB\nweb-2,4,8GiB\n", "'4'"),
    ],
)
def test_a_table_without_names_of_columns_is_named_as_one(tmp_path, reader, text, value):
    with pytest.raises(InputError) as error:
        READERS[reader](write(tmp_path, "file.csv", text))
    assert f"{value}: this table has no first line with the names of its columns" in str(error.value)


@pytest.mark.parametrize(("mark", "name"), [("\t", "tabs"), (";", "semicolons")])
def test_a_log_with_other_marks_between_cells_is_told_so(tmp_path, mark, name):
    with pytest.raises(InputError, match=f"a table with {name} between its cells; write it with commas"):
        read_trace(write(tmp_path, "file.csv", f"submit_s{mark}runtime_s{mark}cores\n0{mark}1{mark}1\n"))


LOGS = {
    "sacct.log": "JobID|Submit|Elapsed|ReqCPUS|ReqMem\n1|2024-01-01T00:00:00|00:01:00|4|4Gn\n",
    "jobs.csv": "submit_s,runtime_s,cores\n0,60,4\n",
    "jobs.csv.gz": "submit_s,runtime_s,cores\n0,60,4\n",
    "jobs.swf": "1 0 -1 60 4 -1 -1 4 60 -1 1 1 1 1 1 1 -1 -1\n",
}


@pytest.mark.parametrize("name", LOGS)
def test_a_byte_order_mark_before_a_log_is_passed_over(tmp_path, name):
    work = read_trace(write(tmp_path, name, "\ufeff" + LOGS[name])).workload
    assert (work.jobs, float(work.demand[0, 0] * work.task_count[0])) == (1, 4.0)


def test_a_byte_order_mark_before_hosts_or_tasks_is_passed_over(tmp_path):
    assert read_hosts(str(write(tmp_path, "h.csv", "\ufeffcores,memory_gb\n8,4\n"))).hosts == 1
    assert read_hosts(str(write(tmp_path, "h.yaml", "\ufeff- {cores: 8}\n"))).hosts == 1
    assert read_tasks(write(tmp_path, "t.csv", "\ufeffcpu,memory_gb\n8,4\n"), "1x8c16g").instance.tasks == 1
    assert read_bag(write(tmp_path, "b.txt", "\ufeff60\n30\n")).tasks == 2


def test_a_cell_of_any_length_in_a_row_is_read(tmp_path):
    text = f"user,submit_s,runtime_s,cores\n{'x' * 200_000},0,5,1\n"
    assert read_trace(write(tmp_path, "a.csv", text)).workload.jobs == 1


SINFO = "PARTITION AVAIL  TIMELIMIT  NODES  STATE NODELIST\nmain*        up 2-00:00:00      4   idle n[01-04]\n"
LISTED = (
    "             JOBID PARTITION     NAME     USER ST       TIME  NODES NODELIST(REASON)\n  7 long a eve R 1:00 2 n1\n"
)


SPRIO = (
    "          JOBID PARTITION     USER   PRIORITY       SITE        AGE  FAIRSHARE\n    7 main eve 11000 0 1000 5000\n"
)
EVENT = """{"kind": "Event", "apiVersion": "v1", "reason": "Scheduled", "metadata": {"name": "a", "namespace": "d"}}"""
EVENTS = '{"apiVersion": "v1", "items": [' + EVENT + '], "kind": "List"}'


@pytest.mark.parametrize("read", [read_trace, read_machines])
@pytest.mark.parametrize(
    ("text", "says"),
    [
        (SINFO, "what sinfo prints.*scontrol show node"), (LISTED, "what squeue prints.*squeue --json"),
        (SPRIO, "what sprio prints: priorities, and not what jobs request.*--site-priorities"),
        (EVENTS, "events of Kubernetes, which are no state and|without their pods.*kubectl get events,pods"),
        ('{"partitions": [{"name": "main"}]}', "partitions as JSON.*scontrol show partition"),
    ],
)  # fmt: skip
def test_what_slurm_prints_for_people_is_named_with_the_command_that_serves(tmp_path, read, text, says):
    path = tmp_path / "listing.txt"
    path.write_text(text)
    with pytest.raises(InputError, match=says):
        read(path)


def test_events_are_no_state_of_kubernetes_either(tmp_path):
    path = tmp_path / "events.json"
    path.write_text(EVENTS)
    with pytest.raises(InputError, match="events of Kubernetes, which are no state"):
        read_objects(path)


def test_a_dump_without_header_is_told_the_command_that_gives_one(tmp_path):
    path = tmp_path / "dump.txt"
    path.write_text("1|eve|2024-01-01T00:00:00|x\n")
    with pytest.raises(InputError, match=r"4 fields.*with its header: sacct -aP -o JobID,.*Timelimit"):
        read_trace(path)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('[{"ID": "4a", "Name": "vm1", "Status": "ACTIVE", "Networks": {}, "Image": "", "Flavor": "m1"}]', "OpenStack"),
        ('"ID","Name","Status","Networks","Image","Flavor"\n"4a","vm1","ACTIVE","","","m1"\n', "OpenStack"),
        ("| ID | Name | Status | Networks | Image | Flavor |\n", "OpenStack"),
        (" Id   Name   State\n----------------------\n 1    web    running\n", "libvirt"),
        ('<?xml version="1.0"?>\n<domain type="kvm"><name>web</name></domain>', "libvirt"),
    ],
)
def test_inventories_of_virtual_machines_are_named_with_where_their_sizes_are(tmp_path, text, says):
    path = tmp_path / "servers.json"
    path.write_text(text)
    with pytest.raises(InputError, match=rf"of {says}, not a table of tasks.*name, cores, memory and host"):
        read_tasks(path, "2x4c8g")


def test_resources_of_proxmox_are_named_with_the_command_that_makes_a_table(tmp_path):
    path = tmp_path / "cluster.json"
    path.write_text('[{"id":"qemu/100","vmid":100,"name":"web","node":"pve1","maxcpu":8,"maxmem":1073741824}]')
    with pytest.raises(InputError, match=r"resources of Proxmox.*jq -r .*select\(.vmid\).*--hosts"):
        read_tasks(path)
