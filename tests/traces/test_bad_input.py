"""Bad input of every kind ends in one InputError of one line that names the file."""

import gzip

import numpy as np
import polars as pl
import pytest

from loadmaster.model import InputError, Workload
from loadmaster.traces import ReadOptions, read_hosts, read_trace, write_trace
from traces.logs import swf_line, write

CSV = "submit_s,runtime_s,cores,memory_gb\n0,10,1,2\n5,10,2,4\n"
SACCT = "JobID|Submit|Elapsed|ReqCPUS|ReqMem\n1|2024-01-01T00:00:00|00:01:00|4|4Gn\n"
ALIBABA = "10,20,1,1,5,Terminated,50,0.01\n"
OPENB = (
    "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,deletion_time,scheduled_time\n"
    "openb-pod-0001,6000,12288,1,460,,LS,Running,427061,12902960,427061\n"
)


def one_line(error, *parts):
    message = str(error.value)
    assert "\n" not in message
    for part in parts:
        assert part in message
    return message


@pytest.mark.parametrize("suffix", ["swf", "swf.gz", "csv", "csv.gz", "log", "parquet"])
def test_an_empty_file(tmp_path, suffix):
    with pytest.raises(InputError) as error:
        read_trace(write(tmp_path, f"log.{suffix}", ""))
    one_line(error, f"log.{suffix}", "empty")


@pytest.mark.parametrize("text", [" \n\n", "# only a comment\n", "; only a comment\n"])
@pytest.mark.parametrize("suffix", ["swf", "csv"])
def test_a_file_without_a_job(tmp_path, text, suffix):
    with pytest.raises(InputError) as error:
        read_trace(write(tmp_path, f"log.{suffix}", text))
    one_line(error, f"log.{suffix}")


@pytest.mark.parametrize("part", [0.3, 0.8, 0.99])
@pytest.mark.parametrize(("name", "text"), [("a.swf.gz", swf_line()), ("a.csv.gz", CSV), ("a.log.gz", SACCT)])
def test_a_gzip_file_cut_short(tmp_path, name, text, part):
    data = gzip.compress((text + "".join(text.splitlines(keepends=True)[-1] for _ in range(20_000))).encode())
    path = tmp_path / name
    path.write_bytes(data[: int(len(data) * part)])
    with pytest.raises(InputError) as error:
        read_trace(path)
    one_line(error, name, "cut short", "fetch it again")


def test_a_damaged_gzip_file(tmp_path):
    data = bytearray(gzip.compress("".join(swf_line(job=k, submit=k * k) for k in range(5000)).encode()))
    data[len(data) // 2] ^= 0xFF
    (tmp_path / "a.swf.gz").write_bytes(bytes(data))
    with pytest.raises(InputError) as error:
        read_trace(tmp_path / "a.swf.gz", ReadOptions(strict=True))
    one_line(error, "a.swf.gz")


@pytest.mark.parametrize("name", ["a.swf", "a.csv", "a.log", "a"])
def test_binary_junk(tmp_path, name):
    path = write(tmp_path, name, np.random.default_rng(1).bytes(5000))
    with pytest.raises(InputError) as error:
        read_trace(path)
    one_line(error, name)


@pytest.mark.parametrize("magic", [b"\x28\xb5\x2f\xfd", b"PK\x03\x04"])
def test_other_packings_are_named(tmp_path, magic):
    with pytest.raises(InputError) as error:
        read_trace(write(tmp_path, "a.swf", magic + b"x" * 50))
    one_line(error, "packed with", "unpack it")


def test_a_line_that_never_ends(tmp_path):
    with pytest.raises(InputError) as error:
        read_trace(write(tmp_path, "a.swf", b"1 " * (10 << 20)))
    one_line(error, "line of more than 16 MB")


def test_a_folder_and_a_missing_file(tmp_path):
    with pytest.raises(InputError) as error:
        read_trace(tmp_path)
    one_line(error, "a folder without files")
    with pytest.raises(InputError) as error:
        read_trace(tmp_path / "nowhere.swf")
    one_line(error, "no such file", "check the path")


def test_an_unknown_format(tmp_path):
    with pytest.raises(InputError) as error:
        read_trace(write(tmp_path, "a.txt", "hello world\n"))
    one_line(error, "no known format", "--format pbs|")
    with pytest.raises(InputError) as error:
        read_trace(write(tmp_path, "a.swf", swf_line()), ReadOptions(format="papyrus"))
    one_line(error, "no such format", "known: auto, pbs")


def test_an_unknown_unit_of_memory(tmp_path):
    with pytest.raises(InputError) as error:
        read_trace(write(tmp_path, "a.swf", swf_line()), ReadOptions(memory_unit="pounds"))
    one_line(error, "not a unit of memory")


@pytest.mark.parametrize(
    ("column", "value", "rule"),
    [
        ("submit_s", "-5", "submit time is negative"),
        ("submit_s", "soon", "neither a number nor a date"),
        ("submit_s", "", "submit time is missing"),
        ("submit_s", "NaN", "neither a number nor a date"),
        ("runtime_s", "-60", "runtime is negative"),
        ("runtime_s", "nan", "not a number of seconds"),
        ("runtime_s", "inf", "not a number of seconds"),
        ("cores", "two", "cores is not an amount"),
        ("cores", "-1", "cores is not an amount"),
        ("cores", "NaN", "cores is not an amount"),
        ("memory_gb", "-4", "memory_gb is not an amount"),
        ("memory_gb", "4 apples", "memory_gb is not an amount"),
    ],
)
def test_a_bad_cell_of_a_job_table(tmp_path, column, value, rule):
    row = {"submit_s": "3", "runtime_s": "60", "cores": "1", "memory_gb": "1"} | {column: value}
    path = write(tmp_path, "a.csv", CSV + ",".join(row.values()) + "\n")
    trace = read_trace(path)
    assert trace.workload.jobs == 2
    assert trace.skipped.malformed == 1
    assert list(trace.skipped.lines.values()) == [[4]]
    with pytest.raises(InputError) as error:
        read_trace(path, ReadOptions(strict=True))
    one_line(error, "a.csv:4", rule)


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        (CSV.replace("memory_gb", "memroy_gb"), ("memroy_gb", "not a column of a job table", "did you mean memory")),
        (CSV.replace("cores", "coers"), ("coers", "not a column", "did you mean cores")),
        ("submit_s,cores\n1,2\n", ("runtime_s", "missing", "--columns runtime_s=NAME")),
        (CSV.replace("memory_gb", "cores"), ("cores", "two columns")),
        ("submit_s,runtime_s,cores,memory_gb,memory_mb\n0,1,1,1,1\n", ("more than one column of memory",)),
        (CSV + '7,"8,9,9\n', ("quote",)),
        ("submit_s,runtime_s,cores\n", ("no job",)),
    ],
)
def test_a_bad_job_table(tmp_path, text, parts):
    with pytest.raises(InputError) as error:
        read_trace(write(tmp_path, "a.csv", text))
    one_line(error, "a.csv", *parts)


def test_a_row_with_too_many_cells_is_bad_and_one_with_too_few_lacks_values(tmp_path):
    trace = read_trace(write(tmp_path, "a.csv", CSV + "9,9,1,1,77\n9,9\n"))
    assert trace.skipped.lines == {"more cells than the header has columns": [4], "requests no cores": [5]}


def test_a_damaged_parquet_file(tmp_path):
    path = tmp_path / "a.parquet"
    pl.DataFrame({"submit_s": [1], "runtime_s": [1], "cores": [1]}).write_parquet(path)
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(InputError) as error:
        read_trace(path)
    one_line(error, "a.parquet", "damaged")


def test_dumps_of_slurm_that_lack_fields(tmp_path):
    with pytest.raises(InputError) as error:
        read_trace(write(tmp_path, "a.log", SACCT.replace("ReqCPUS", "ReqGRES")))
    one_line(error, "reqcpus", "not in the dump", "sacct --parsable2")
    with pytest.raises(InputError) as error:
        read_trace(write(tmp_path, "a.log", "1|2|3|4|5\n"))
    one_line(error, "5 fields", "without header")


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        (SACCT + "2|yesterday|00:01:00|4|4Gn\n", "neither a number nor a date"),
        (SACCT + "2|2024-01-01T00:00:00|1 minute|4|4Gn\n", "not a number of seconds"),
        (SACCT + "2|2024-01-01T00:00:00|00:01:00|4|lots\n", "ReqMem"),
    ],
)
def test_bad_lines_of_slurm(tmp_path, text, rule):
    path = write(tmp_path, "a.log", text)
    assert read_trace(path).skipped.malformed == 1
    with pytest.raises(InputError) as error:
        read_trace(path, ReadOptions(strict=True))
    one_line(error, "a.log:3", rule)


def test_bad_lines_of_alibabas_logs(tmp_path):
    path = write(tmp_path, "batch_task.csv", ALIBABA + "10,5,1,2,5,Failed,50,0.01\n10,20,1,3,0.5,Terminated,50,0.01\n")
    assert read_trace(path).skipped.malformed == 2
    with pytest.raises(InputError) as error:
        read_trace(path, ReadOptions(strict=True))
    one_line(error, "batch_task.csv:2", "runtime is negative")
    path = write(tmp_path, "pods.csv", OPENB + OPENB.splitlines()[1].replace("6000", "x") + "\n")
    assert read_trace(path).skipped.malformed == 1
    with pytest.raises(InputError) as error:
        read_trace(write(tmp_path, "pods.csv", OPENB.replace("num_gpu", "gpus")))
    one_line(error, "num_gpu", "missing")


HOSTS_OF_A_BAD_KIND = {
    "0x16c64g": "at least one host",
    "4x0c64g": "more than 0 cores",
    "4x16q": "neither a file nor a group",
    "": "neither a file nor a group",
    "4x16c64g,": "not a group of hosts",
    "99999999x1c": "more than",
    "machines.csv": "no such file",
}


@pytest.mark.parametrize(("spec", "rule"), HOSTS_OF_A_BAD_KIND.items())
def test_hosts_that_cannot_be(spec, rule):
    with pytest.raises(InputError) as error:
        read_hosts(spec)
    one_line(error, rule)


@pytest.mark.parametrize(
    ("name", "text", "parts"),
    [
        ("h.csv", "count,cores\n4,0\n", ("h.csv:2", "more than 0 cores")),
        ("h.csv", "count,cores\n4,8\n2,-8\n", ("h.csv:3",)),
        ("h.csv", "count,cores\n1.5,8\n", ("h.csv:2", "whole number")),
        ("h.csv", "cores,memory_gb\n8,nan\n", ("h.csv:2", "memory_gb")),
        ("h.csv", "cores,color\n8,red\n", ("color", "not a column of a host table")),
        ("h.csv", "count\n8\n", ("cores", "missing")),
        ("h.csv", "cores\n", ("no host",)),
        ("h.csv", "cores\n8,9\n", ("h.csv:2", "more cells")),
        ("h.csv", "", ("empty",)),
        ("h.yaml", "{", ("h.yaml", "not YAML")),
        ("h.yaml", "cores: 8\n", ("list of groups",)),
        ("h.yaml", "- {cores: none}\n", ("cores",)),
        ("h.machines", "0 a 2 80 1\n", ("h.machines:1", "6 fields")),
        ("h.machines", "0 a 2 eighty 1 5\n", ("h.machines:1", "cores")),
        ("h.parquet", b"PAR1junkPAR1", ("damaged",)),
        ("server_event.csv", "0,1,add,,0,0.5,1\n", ("server_event.csv", "more than 0 cores")),
        ("server_event.csv", "0,1,softerror,,0,0.5,1\n", ("no machine",)),
    ],
)
def test_host_files_that_break_a_rule(tmp_path, name, text, parts):
    with pytest.raises(InputError) as error:
        read_hosts(str(write(tmp_path, name, text)))
    one_line(error, *parts)


JOB = Workload.of(submit_s=[0], runtime_s=[1], cores=[1.5], memory=[0], gpus=[0])


@pytest.mark.parametrize(
    ("work", "name", "rule"),
    [
        (JOB, "a.xlsx", "no known ending"),
        (JOB, "a.swf", "whole processors"),
        (JOB, "nowhere/a.csv", "make the folder first"),
    ],
)
def test_logs_that_cannot_be_written(tmp_path, work, name, rule):
    with pytest.raises(InputError) as error:
        write_trace(work, tmp_path / name)
    one_line(error, rule)
    assert not any(tmp_path.iterdir())
