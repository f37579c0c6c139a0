"""The site's own order of waiting jobs decides which starts first."""

import pytest

import loadmaster as lm
from loadmaster.model import InputError
from traces.logs import write

QUEUE = """JOBID|PARTITION|USER|STATE|SUBMIT_TIME|START_TIME|TIME_LIMIT|NODES|CPUS|MIN_MEMORY
1|main|ann|RUNNING|2026-11-27T06:00:00|2026-11-27T06:00:10|3:00:00|1|16|4G
2|main|ben|PENDING|2026-11-27T07:00:00|N/A|2:00:00|1|16|4G
3|main|cleo|PENDING|2026-11-27T08:00:00|N/A|2:00:00|1|16|4G
"""
SPRIO = "  JOBID PARTITION  PRIORITY  AGE\n  2 main 500 9\n  3 main 900 3\n"
CONF = """NodeName=n1 CPUs=16 RealMemory=64000
PartitionName=main Nodes=ALL Default=YES
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
"""


@pytest.fixture
def files(tmp_path):
    return {
        name: str(write(tmp_path, name, text))
        for name, text in (("queue.txt", QUEUE), ("sprio.txt", SPRIO), ("slurm.conf", CONF))
    }


@pytest.mark.parametrize("machines", ["hosts", "site"])
def test_a_job_that_came_later_starts_first_if_sprio_says_so(files, machines):
    at = {"hosts": "1x16c64g"} if machines == "hosts" else {"site": files["slurm.conf"]}
    plain, ordered = at, at | {"site_priorities": files["sprio.txt"]}
    by_rule = [lm.when(files["queue.txt"], 3, **more).rows[0]["median_start"] for more in (plain, ordered)]
    assert by_rule == ["2026-11-27 11:00", "2026-11-27 09:00"]
    ran = lm.simulate(files["queue.txt"], **ordered)
    waiting = ran.record.schedule.start_s[1:]
    assert waiting[1] < waiting[0]
    assert any(note.startswith("The order of 2 waiting jobs is that of sprio") for note in ran.notes)


def test_priorities_without_a_listing_of_the_queue_are_refused(files, tmp_path):
    log = str(write(tmp_path, "log.csv", "submit_s,runtime_s,cores\n0,10,1\n"))
    with pytest.raises(InputError, match="the log is no listing of a queue"):
        lm.simulate(log, hosts="1x16c64g", site_priorities=files["sprio.txt"])
