"""Tables of tasks and of running states: rows into tasks and jobs, and what is refused."""

import polars as pl
import pytest

from loadmaster.model.errors import InputError
from loadmaster.packing.read import read_tasks

TABLE = (
    "name,cpu,memory_gb,job,tasks,weight,min_yield,host\n"
    "a,4,8,x,2,1,0.5,0\nb,4,8,x,,1,0.5,1\nc,6,4,,1,2,,\n,6,4,y,1,2,0,0\n"
)


def read(folder, text, hosts="2x8c16g"):
    (folder / "t.csv").write_text(text)
    return read_tasks(folder / "t.csv", hosts)


def test_rows_become_tasks_of_jobs_that_have_names(tmp_path):
    found = read(tmp_path, TABLE)
    instance = found.instance
    assert [instance.task_name(t) for t in range(instance.tasks)] == ["a.0", "a.1", "b", "c", "line 5"]
    assert instance.job_of.tolist() == [0, 0, 0, 1, 2]
    assert instance.weight.tolist() == [1.0, 2.0, 2.0]
    assert instance.guarantee.tolist() == [0.5, 0.0, 0.0]
    assert instance.job_names == ("x", "c", "y")
    assert found.host.tolist() == [0, 0, 1, -1, 0]


def test_parquet_gives_the_same_tasks(tmp_path):
    plain = read(tmp_path, TABLE)
    pl.read_csv(tmp_path / "t.csv").write_parquet(tmp_path / "t.parquet")
    other = read_tasks(tmp_path / "t.parquet", "2x8c16g")
    assert other.instance.fluid.tolist() == plain.instance.fluid.tolist()
    assert other.instance.rigid.tolist() == plain.instance.rigid.tolist()
    assert other.host.tolist() == plain.host.tolist()


def test_a_resource_of_the_hosts_that_no_task_names_is_said(tmp_path):
    assert "no column of memory: tasks request none of it" in read(tmp_path, "cpu\n1\n").notes


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("cpu,host\n1,9\n", "t.csv:2: '9': no such host; the hosts are called 0, 1; leave the cell empty"),
        ("cpu,job,weight\n1,x,1\n\n1,x,2\n", "t.csv:4: '2': weight must be the same in all rows of a job: line 2"),
        ("cpu,weight\n1,0\n", "t.csv:2: '0': weight must be more than 0"),
        ("cpu,min_yield\n1,1.5\n", "min_yield must lie in"),
        ("cpu,tasks\n1,9000000\n1,9000000\n", "more than 10,000,000 in all"),
        ("cpu,tasks\n1,-1\n", "tasks must be zero or more"),
        ("cpu,memory_gb\n1,nan\n", "memory_gb is not a number"),
        ("cpu\n1,2\n", "t.csv:2: '1,2': more cells than the header"),
        ("name\na\n", "no column of cores, memory"),
    ],
)
def test_a_value_that_breaks_a_rule_is_told_with_its_line(tmp_path, text, says):
    with pytest.raises(InputError) as error:
        read(tmp_path, text)
    assert says in str(error.value)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[" * 100_000, "nor a cloud balancing file"),
        ("{}", "kubectl get nodes,pods,pdb,pvc,pv -A -o json"),
        ('{"computerList": [], "processList": []}', "at least one host"),
        (
            '{"computerList": [{"id": 1, "cpuPower": 1, "memory": 1, "networkBandwidth": 1}], "processList": '
            '[{"id": 7, "requiredCpuPower": -1, "requiredMemory": 1, "requiredNetworkBandwidth": 1}]}',
            "requiredCpuPower of process 7 must be zero or more",
        ),
    ],
)
def test_a_json_file_that_is_no_cloud_balancing_is_told_so(tmp_path, text, says):
    (tmp_path / "c.json").write_text(text)
    with pytest.raises(InputError) as error:
        read_tasks(tmp_path / "c.json")
    assert says in str(error.value)
