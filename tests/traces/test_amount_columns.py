"""Amounts have the same columns and the same units in tables of jobs, tasks and hosts."""

import pytest

from loadmaster.model import InputError, Workload
from loadmaster.packing.read import read_tasks
from loadmaster.runs import case_of
from loadmaster.traces import read_hosts, read_trace
from loadmaster.traces.amount_columns import amounts, notes_on_shared_gpus, resource_columns, resource_of
from traces.logs import write

GB = 2**30


def jobs(folder, header, cells):
    work = read_trace(write(folder, "jobs.csv", f"submit_s,runtime_s,{header}\n0,1,{cells}\n")).workload
    return dict(zip(work.resources, work.demand[0].tolist(), strict=True))


def hosts(folder, header, cells):
    cluster = read_hosts(str(write(folder, "hosts.csv", f"{header}\n{cells}\n")))
    return dict(zip(cluster.resources, cluster.capacity[0].tolist(), strict=True))


def tasks(folder, header, cells):
    instance = read_tasks(write(folder, "tasks.csv", f"{header}\n{cells}\n"), str(folder / "hosts.csv")).instance
    names = instance.fluid_names + instance.rigid_names
    return dict(zip(names, [*instance.fluid[0].tolist(), *instance.rigid[0].tolist()], strict=True))


@pytest.mark.parametrize(
    ("header", "cells", "amounts_"),
    [
        ("cores,memory_gb,gpus,resource_licences", "4,2,1,3", {"cores": 4, "memory": 2 * GB, "gpus": 1, "licences": 3}),
        ("cpu,mem,gpu", "4,2GiB,1", {"cores": 4, "memory": 2 * GB, "gpus": 1}),
        ("memory_mib,cpus", "2048,4", {"cores": 4, "memory": 2 * GB}),
        ("core,memory", "0.1,512M", {"cores": 0.1, "memory": GB / 2}),
        ("cores,memory", "1,4096", {"cores": 1, "memory": 4096}),
        ("cores,memory_tb", "1,1", {"cores": 1, "memory": 1024 * GB}),
    ],
)
def test_a_column_of_an_amount_means_the_same_in_every_table(tmp_path, header, cells, amounts_):
    wanted = pytest.approx(amounts_, abs=2**-24)
    assert hosts(tmp_path, header, cells) == wanted
    assert jobs(tmp_path, header, cells) == wanted
    assert tasks(tmp_path, header, cells) == wanted


@pytest.mark.parametrize("table", [jobs, hosts, tasks])
@pytest.mark.parametrize(
    ("header", "cells", "rule"),
    [
        ("cores,color", "1,2", "'color': not a column of "),
        ("cores,memroy_gb", "1,2", "did you mean memory_gb?"),
        ("cores,bandwidth", "1,2", "call it resource_bandwidth if it is an amount of a resource"),
        ("cores,cpu", "1,2", "'cores, cpu': more than one column of cores; keep one"),
        ("cores,memory_gb,mem", "1,2,3", "more than one column of memory"),
        ("cores,cores", "1,2", "two columns have this name"),
        ("cores,resource_", "1,2", "not a column of "),
    ],
)
def test_a_column_that_nobody_knows_or_that_comes_twice_is_refused_in_every_table(tmp_path, table, header, cells, rule):
    hosts(tmp_path, "cores", "8")
    with pytest.raises(InputError) as error:
        table(tmp_path, header, cells)
    assert rule in str(error.value)


def test_memory_in_gigabytes_keeps_tasks_off_a_host_that_is_too_small_for_them(tmp_path):
    path = write(tmp_path, "t.csv", "name,cpu,memory_gb\na,1,60\nb,1,60\n")
    instance = read_tasks(path, "1x16c64g").instance
    assert instance.rigid[:, 0].tolist() == [60 * GB] * 2


def test_tasks_that_ask_for_what_no_host_has_are_refused(tmp_path):
    path = write(tmp_path, "t.csv", "cpu,gpus\n1,2\n")
    with pytest.raises(InputError, match="'gpus': tasks request a resource that the hosts do not have"):
        read_tasks(path, "1x16c64g")
    assert read_tasks(write(tmp_path, "t.csv", "cpu,gpus\n1,0\n"), "1x16c64g").instance.tasks == 1


DOUBT = "Memory looks wrong: plain numbers are read as bytes, and the largest of the {} is {}."


def test_plain_memory_that_is_implausibly_small_is_said_of_tasks_jobs_and_hosts(tmp_path):
    path = write(tmp_path, "t.csv", "cpu,memory\n1,60\n1,16\n")
    assert any(DOUBT.format("tasks", "60 B") in note for note in read_tasks(path, "1x16c64g").notes)
    assert not any(
        "wrong" in note for note in read_tasks(write(tmp_path, "t.csv", "cpu,memory\n1,1G\n"), "1x16c64g").notes
    )
    path = write(tmp_path, "j.csv", "submit_s,runtime_s,cores,memory\n0,1,1,60\n")
    trace = read_trace(path)
    assert any(DOUBT.format("tasks", "60 B") in note for note in trace.notes)
    small = read_hosts(str(write(tmp_path, "h.csv", "cores,memory\n16,64\n")))
    assert any(DOUBT.format("hosts", "64 B") in note for note in case_of(trace, small).notes)
    assert not any("hosts" in note for note in case_of(trace, read_hosts("1x16c64g")).notes)


def test_amounts_of_other_columns_are_plain_numbers():
    import polars as pl

    assert resource_of("memory_pounds") is None
    assert amounts(pl.Series(["1.5", "x"]), "cores").bad.tolist() == [False, True]
    assert list(resource_columns(["gpus", "resource_x", "name", "mem", "cpu"], "")) == ["cores", "memory", "gpus", "x"]


@pytest.mark.parametrize(("gpus", "told"), [([0.6, 0.6, 2.0], "2 jobs request a part"), ([1.0, 2.0, 0.0], "")])
def test_jobs_that_share_a_gpu_are_counted(gpus, told):
    workload = Workload.of(submit_s=[0] * 3, runtime_s=[1] * 3, cores=[1] * 3, gpus=gpus)
    assert "".join(notes_on_shared_gpus(workload)).startswith(told)
    assert bool(notes_on_shared_gpus(workload)) == bool(told)
