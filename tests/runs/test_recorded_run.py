"""A recorded run measured on its record."""

import pytest

from loadmaster.model import Cluster, InputError, Workload
from loadmaster.runs import Case, Setting, run_fully, sources_of
from loadmaster.runs.record import Record, read_record, write_record
from loadmaster.runs.recorded_run import recorded_outcome

WORK = Workload.of(submit_s=[0, 5, 6, 40, 300], runtime_s=[100, 20, 30, 10, 5], cores=[2, 3, 1, 4, 1])


@pytest.mark.parametrize("policy", ["first-fit", "max-jobs"])
def test_a_record_comes_to_what_its_run_came_to(tmp_path, policy):
    case, setting = Case(WORK, Cluster.uniform(2, cores=4)), Setting(policy, interval_s=10.0, beta=0.8)
    workload = WORK.scaled(setting.beta)
    _, schedule, outcome = run_fully(case, setting, sources_of(setting))
    write_record(tmp_path, Record(case, setting, workload, schedule, {}), result=outcome.row())
    measured = recorded_outcome(read_record(tmp_path))
    assert measured.row() == outcome.row()
    assert (measured.members, measured.stranded) == (outcome.members, outcome.stranded)
    assert measured.use.used.tolist() == outcome.use.used.tolist()
    assert measured.wait_counts.tolist() == outcome.wait_counts.tolist()


def test_a_record_of_no_job_is_one_clear_error():
    case = Case(Workload.of(submit_s=[], runtime_s=[], cores=[]), Cluster.uniform(1, cores=1))
    with pytest.raises(InputError, match="no job"):
        recorded_outcome(Record(case, Setting("first-fit"), case.workload, None))
