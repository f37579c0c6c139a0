"""Hosts over time: what was stranded is drawn, and where nothing was, that is said."""

from loadmaster.model import Cluster, Workload
from loadmaster.place import POLICIES
from loadmaster.report.hosts_charts import stranded_block
from loadmaster.report.page import Chart, Text
from loadmaster.scheduling import discipline_named
from loadmaster.sim.queue import simulate


def block(cores, memory):
    """Of two jobs of half a host's memory, and of so many cores each."""
    workload = Workload.of(submit_s=[0, 0], runtime_s=[100, 100], cores=[cores] * 2, memory=[memory] * 2)
    cluster = Cluster.uniform(1, cores=8, memory=8)
    return stranded_block(
        workload, cluster, simulate(workload, cluster, POLICIES["first-fit"], discipline_named("easy"))
    )


def test_what_another_resource_is_too_short_for_is_drawn():
    assert type(block(1.0, 4.0)) is Chart


def test_that_nothing_was_stranded_is_a_sentence_and_no_empty_picture():
    assert block(4.0, 4.0) == Text("Nothing to speak of: under 0.5 % of each host at all times.")
