"""Machines from the short form and from every kind of file."""

import polars as pl
import pytest

from loadmaster.model import Cluster, InputError
from loadmaster.traces import read_hosts
from loadmaster.traces.writer import write_hosts
from traces.logs import write

GB = 2**30


def test_the_short_form_counts_hosts_and_leaves_out_what_no_group_names():
    cluster = read_hosts("2x16c64g,4x64c512g8gpu")
    assert (cluster.hosts, cluster.resources) == (6, ("cores", "memory", "gpus"))
    assert cluster.capacity[0].tolist() == [16.0, 64.0 * GB, 0.0]
    assert read_hosts("8c").capacity.tolist() == [[8.0]]
    assert read_hosts(" 2X4C1.5G ").capacity.tolist() == [[4.0, 1.5 * GB]] * 2
    assert read_hosts("3x4c1gpu").resources == ("cores", "gpus")


CSV = "name,count,cores,memory_gb,gpus,speed,resource_licences\nfat,1,64,512,8,1.5,2\nthin,2,16,64,,,\n"
YAML = """
hosts:
  - {name: fat, cores: 64, memory: 512GiB, gpus: 8, speed: 1.5, resource_licences: 2}
  - {name: thin, count: 2, cores: 16, memory: 64GiB}
"""


@pytest.mark.parametrize("form", ["csv", "csv.gz", "yaml", "yml", "parquet"])
def test_every_kind_of_file_gives_the_same_hosts(tmp_path, form):
    path = tmp_path / f"hosts.{form}"
    if form == "parquet":
        frame = {
            "name": ["fat", "thin"],
            "count": [1, 2],
            "cores": [64, 16],
            "memory_gb": [512, 64],
            "gpus": [8, None],
            "speed": [1.5, None],
            "resource_licences": [2, None],
        }
        pl.DataFrame(frame).write_parquet(path)
    else:
        write(tmp_path, path.name, CSV if "csv" in form else YAML)
    cluster = read_hosts(str(path))
    assert cluster.resources == ("cores", "memory", "gpus", "licences")
    assert cluster.capacity.tolist() == [[64, 512 * GB, 8, 2], [16, 64 * GB, 0, 0], [16, 64 * GB, 0, 0]]
    assert cluster.names == ("fat", "thin-0", "thin-1")
    assert cluster.speed.tolist() == [1.5, 1.0, 1.0]


def test_the_machines_form_counts_memory_in_kilobytes(tmp_path):
    path = write(tmp_path, "log.swf.machines", "0\tbig\t2\t80\t1\t529426432\n\n1 small 3 12 0.5 94035968")
    cluster = read_hosts(str(path))
    assert cluster.capacity[[0, 4]].tolist() == [[80.0, 529426432.0 * 1024], [12.0, 94035968.0 * 1024]]
    assert (cluster.names[0], cluster.names[4]) == ("big-0", "small-2")
    assert cluster.speed.tolist() == [1.0, 1.0, 0.5, 0.5, 0.5]


def test_written_hosts_are_read_back_in_the_same_order(tmp_path):
    named = read_hosts(str(write(tmp_path, "a.csv", CSV)))
    plain = Cluster(("cores", "memory"), [[8.0, 3.0], [8.0, 3.0], [16.0, 5.5], [8.0, 3.0]])
    for cluster in (named, plain):
        write_hosts(cluster, tmp_path / "b.csv")
        again = read_hosts(str(tmp_path / "b.csv"))
        assert (again.resources, again.names) == (cluster.resources, cluster.names)
        assert again.speed.tolist() == cluster.speed.tolist()
    assert (tmp_path / "b.csv").read_text().startswith("count,cores,memory_bytes\n2,8,")
    assert again.capacity.tolist() == [[8.0, 3.0], [8.0, 3.0], [16.0, 5.0], [8.0, 3.0]]  # whole bytes


PRICED = "count,cores,price_per_hour\n2,16,0.8\n1,64,2.25\n"


def test_prices_are_one_hosts_an_hour_in_the_short_form_and_in_files(tmp_path):
    short = read_hosts("2x16c@0.8,64c@2.25")
    assert short.price_per_hour.tolist() == [0.8, 0.8, 2.25]
    assert short.cost_per_hour == 3.85
    assert read_hosts(str(write(tmp_path, "a.csv", PRICED))).price_per_hour.tolist() == [0.8, 0.8, 2.25]
    write_hosts(short, tmp_path / "b.csv")
    assert (tmp_path / "b.csv").read_text().replace(".0", "") == PRICED
    assert read_hosts("2x16c").cost_per_hour is None


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("count,cores,price_per_hour\n2,16,0.8\n1,64,\n", "price_per_hour of a host must be zero or more"),
        ("count,cores,price_per_hour\n2,16,-1\n", "price_per_hour of a host must be zero or more"),
    ],
)
def test_a_price_that_is_missing_or_below_zero_is_refused(tmp_path, text, what):
    with pytest.raises(InputError, match=what):
        read_hosts(str(write(tmp_path, "a.csv", text)))


def test_a_price_for_some_groups_alone_is_refused():
    with pytest.raises(InputError, match="what all cost is not known"):
        read_hosts("2x16c@0.8,64c")


def test_a_file_named_like_the_short_form_does_not_hide_it(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write(tmp_path, "2x8c", "not hosts")
    assert read_hosts("2x8c").hosts == 2


def test_amounts_may_leave_out_the_zero_before_or_behind_their_point():
    short = read_hosts("2x16c.5g@.7,1x8c4.g@2.")
    assert short.price_per_hour.tolist() == [0.7, 0.7, 2.0]
    assert (short.capacity[:, 1] / GB).tolist() == [0.5, 0.5, 4.0]


@pytest.mark.parametrize("text", ["2x4c8g@1.2.3", "2x4c8g@.", "2x4c8.x"])
def test_a_group_that_is_misspelled_is_not_taken_for_a_missing_file(text):
    with pytest.raises(InputError, match="neither a file nor a group of hosts"):
        read_hosts(text)
