"""A site's queue as a file: written, read, and refused in one line."""

from pathlib import Path

import pytest

from loadmaster.model import Cluster, InputError
from loadmaster.runs.site_case import site_case
from loadmaster.site.fitted_queue import FittedSite, SiteQueue, fitted_text, groups_of, read_fitted_queue

QUEUE = SiteQueue("sjf+easy", 60.0, 30.0, "exact")


def written(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "site.yaml"
    path.write_text(text)
    return path


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    site = FittedSite(QUEUE, "4x2c8g", spread="any", policy="best-fit-cores", about={"log": "a log"})
    found = read_fitted_queue(written(tmp_path, fitted_text(site)))
    assert (found.queue, found.hosts, found.spread, found.policy) == (QUEUE, "4x2c8g", "any", "best-fit-cores")


def test_hosts_without_a_name_are_written_as_groups(tmp_path: Path) -> None:
    cluster = Cluster.uniform(3, cores=2, memory=2**30)
    at = site_case(written(tmp_path, fitted_text(FittedSite(QUEUE, groups_of(cluster)))))
    assert at.cluster.capacity.tolist() == cluster.capacity.tolist()
    assert at.queue == QUEUE


def test_a_file_of_hosts_is_found_beside_the_site(tmp_path: Path) -> None:
    (tmp_path / "hosts.csv").write_text("cores,count\n4,2\n")
    assert site_case(written(tmp_path, "hosts: hosts.csv\ndiscipline: easy\n")).cluster.total.tolist() == [8.0]


def test_the_own_queue_of_a_slurm_site_gives_way_to_the_fitted_one(tmp_path: Path) -> None:
    (tmp_path / "slurm.conf").write_text("NodeName=n[1-4] CPUs=2\nPartitionName=p Nodes=ALL\n")
    at = site_case(written(tmp_path, "slurm_conf: slurm.conf\ndiscipline: sjf+easy\ninterval_s: 60\n"))
    assert (at.discipline, at.queue.interval_s, at.cluster.hosts) == ("sjf+easy", 60.0, 4)
    assert at.site is not None


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("hosts: 1x1c\n", "a mapping with hosts and a discipline"),
        ("discipline: easy\n", "hosts or slurm_conf"),
        ("hosts: 1x1c\ndiscipline: eazy\n", "did you mean easy"),
        ("hosts: 1x1c\ndisciplin: easy\ndiscipline: easy\n", "no such key of a site"),
        ("hosts: 1x1c\ndiscipline: easy\ninterval_s: -1\n", "a number of seconds from 0 up"),
        ("hosts: 1x1c\ndiscipline: easy\nlaunch_s: soon\n", "a number of seconds from 0 up"),
        ("hosts: 1x1c\ndiscipline: easy\nestimates: never\n", "never"),
        ("hosts: 1x1c\ndiscipline: easy\nspread: wide\n", "no such spread"),
        ("hosts: 1x1c\ndiscipline: easy\npolicy: [a]\n", "is a word"),
        ("hosts: nowhere.csv\ndiscipline: easy\n", "no such file"),
        ("hosts: [1, 2\n", "not YAML"),
    ],
)
def test_a_wrong_value_is_refused_in_one_line(tmp_path: Path, text: str, rule: str) -> None:
    with pytest.raises(InputError) as refusal:
        site_case(written(tmp_path, text))
    assert rule in str(refusal.value)
    assert "\n" not in str(refusal.value)
    assert len(str(refusal.value)) < 300
