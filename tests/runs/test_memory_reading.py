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
    assert message.startswith("'a.swf': memory looks wrong: read as KB per processor, the median job asks 4 TiB")
    assert "say --memory-unit B --swf-memory per-processor or --memory-unit B --swf-memory job-total" in message
    assert len(message) < 400


def test_no_reading_that_fits_is_refused_too(tmp_path):
    with pytest.raises(InputError, match="say --memory-unit UNIT"):
        reading(tmp_path, memory=10**15)


def test_what_the_user_says_is_not_doubted(tmp_path):
    assert reading(tmp_path, memory=4 * GIB, memory_unit="KB") == ("KB", "per-processor")


def test_parallel_jobs_larger_than_a_host_are_no_reason_for_doubt_where_tasks_may_go_anywhere(tmp_path):
    assert reading(tmp_path, memory=8 * 2**20, asked=32, spread="any", hosts="40x2c16g") == (None, "per-processor")


def test_hosts_without_memory_leave_it_alone(tmp_path):
    assert reading(tmp_path, memory=4 * GIB, hosts="4x16c") == (None, "per-processor")
