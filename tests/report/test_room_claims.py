"""What is said of queueing and recorded waits, in words and as a document."""

from loadmaster.measure.recorded_metrics import recorded
from loadmaster.model import Cluster, Workload
from loadmaster.report.room_claims import room_document, room_sentence
from loadmaster.traces import Skipped

QUEUED = Workload.of(submit_s=[0, 0, 0], runtime_s=[10, 10, 10], cores=[1, 1, 1], recorded_wait_s=[0, 10, 20])


def test_the_verdict_says_what_it_stands_on() -> None:
    assert room_sentence(recorded(QUEUED, Cluster.uniform(1, cores=1)), Skipped()) == (
        "Recorded: jobs really waited 10 s on average. Queueing can explain it: cores in use reached 1 times what "
        "there is and were above it for 0.0 % of the time; 0.0 % of the waiting passed while there was room."
    )


def test_much_work_left_out_leaves_no_verdict() -> None:
    found = recorded(QUEUED, Cluster.uniform(1, cores=1))
    lost = Skipped(counts={"no empty host can hold it": 3}, work=0.06)
    assert room_sentence(found, lost) == (
        "Recorded: the 3 jobs that fit really waited 10 s on average. Whether queueing explains it is not known: 3 of "
        "6 jobs with 6.0 % of the work do not fit these machines and are left out."
    )
    document = room_document(found, lost)
    assert document is not None
    assert document["explained_by_queueing"] is False


def test_many_jobs_with_little_work_are_left_out_with_a_verdict() -> None:
    found = recorded(QUEUED, Cluster.uniform(1, cores=1))
    lost = Skipped(counts={"no empty host can hold it": 3}, work=0.05)
    assert "Queueing can explain it" in room_sentence(found, lost)


def test_a_log_without_starts_says_nothing() -> None:
    assert room_sentence(None, Skipped()) == ""
    assert room_document(None, Skipped()) is None
