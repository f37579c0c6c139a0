"""The job of a listing that is asked about, and what is said where there is none."""

import pytest
from past_log import past_log
from queue_listing import hosts, job, listing

import loadmaster as lm
from loadmaster.model import InputError
from loadmaster.traces import Trace


@pytest.mark.parametrize(
    ("number", "said"),
    [
        (1, r"'1': this job runs already, since 1 s before the listing"),
        (77, r"'77': no such job runs or waits in this listing.*did you mean 7\?"),
        (8, r"'8': this job never starts here: no empty cluster can hold it.*--hosts"),
        (9, r"'9': no such job runs or waits in this listing: it has ended"),
        ("seven", r"'seven': no such job"),
    ],
)
def test_a_job_that_does_not_wait_is_refused_in_one_line(tmp_path, number, said):
    over = job(9, "COMPLETED", 50, 60, nodes="n1")
    queue = listing(
        tmp_path, job(1, "RUNNING", 0, 600, nodes="n1"), job(7, "PENDING", 100), job(8, "PENDING", 100, cpus=9), over
    )
    with pytest.raises(InputError, match=said):
        lm.when(queue, number, hosts=hosts(tmp_path))


def test_a_log_of_the_past_is_no_listing_of_a_queue(tmp_path):
    with pytest.raises(InputError, match=r"a log of finished jobs.*squeue --json"):
        lm.when(Trace(past_log(weeks=1)), 7, hosts="3x8c")
