"""Memory of SWF that cannot be true is read as the only reading that fits the machines, or the run is refused."""

import pytest

from loadmaster.model import InputError
from loadmaster.runs.memory_reading import believable_reading
from loadmaster.traces import ReadOptions, read_trace
from traces.logs import swf_line, write

GIB = 2**30


def reading(folder, memory, asked=1, spread="auto", hosts="4x16c64g", **more):
    lines = "".join(swf_line(job=k, submit=k, run=60, asked=asked, memory=memory) for k in range(20))
    options = ReadOptions(hosts=hosts, **more)
    found = believable_reading(read_trace(write(folder, "a.swf", lines), options), options, None, spread)
    return found.memory_unit, found.swf_memory


def test_memory_that_fits_as_the_standard_reads_it_is_left_alone(tmp_path):
    assert reading(tmp_path, memory=4 * 2**20) == (None, "per-processor")


def test_the_only_reading_that_fits_is_taken(tmp_path):
    assert reading(tmp_path, memory=48 * GIB, asked=8) == ("B", "job-total")


def test_several_readings_that_fit_are_named_and_the_run_is_refused(tmp_path):
    with pytest.raises(InputError) as error:
        reading(tmp_path, memory=4 * GIB, asked=8)
    message = str(error.value)
    assert message.startswith("'a.swf': memory looks wrong: read as KB per processor, the median job requests 4 TiB")
    assert "give --memory-unit B --swf-memory per-processor or --memory-unit B --swf-memory job-total" in message
    assert len(message) < 400


def heavy(folder, asked, memory, hosts="4x16c64g"):
    """Eighteen small jobs of 8 cores and 4 GiB, in bytes, and two that hold 95 % of the work or more."""
    small = [swf_line(job=k, submit=k, run=60, asked=8, memory=4 * GIB) for k in range(18)]
    large = [swf_line(job=k, submit=k, run=6000, asked=asked, memory=memory) for k in (18, 19)]
    options = ReadOptions(hosts=hosts)
    trace = read_trace(write(folder, "a.swf", "".join(small + large)), options)
    found = believable_reading(trace, options, None, "single-host")
    return found.memory_unit, found.swf_memory


def test_a_reading_by_which_few_jobs_with_most_of_the_work_fit_nowhere_is_none(tmp_path):
    """The large jobs request 8 GiB: on each of 16 processors that is more than a host has, in all it is not."""
    assert heavy(tmp_path, asked=16, memory=8 * GIB) == ("B", "job-total")


def test_work_that_fits_no_host_without_memory_either_says_nothing_of_its_reading(tmp_path):
    with pytest.raises(InputError, match="give --memory-unit B --swf-memory per-processor or --memory-unit B"):
        heavy(tmp_path, asked=32, memory=GIB)


def test_no_reading_that_fits_is_refused_too(tmp_path):
    with pytest.raises(InputError, match="give --memory-unit UNIT"):
        reading(tmp_path, memory=10**15)


def test_what_the_user_says_is_not_doubted(tmp_path):
    assert reading(tmp_path, memory=4 * GIB, memory_unit="KB") == ("KB", "per-processor")


def test_parallel_jobs_larger_than_a_host_are_no_reason_for_doubt_where_tasks_may_go_anywhere(tmp_path):
    assert reading(tmp_path, memory=8 * 2**20, asked=32, spread="any", hosts="40x2c16g") == (None, "per-processor")


def test_hosts_without_memory_leave_it_alone(tmp_path):
    assert reading(tmp_path, memory=4 * GIB, hosts="4x16c") == (None, "per-processor")
