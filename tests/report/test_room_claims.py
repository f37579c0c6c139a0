"""What is said of queueing and recorded waits, in words and as a document."""

from loadmaster.measure.recorded import recorded
from loadmaster.model import Cluster, Workload
from loadmaster.report.room_claims import room_document, room_sentence

QUEUED = Workload.of(submit_s=[0, 0, 0], runtime_s=[10, 10, 10], cores=[1, 1, 1], recorded_wait_s=[0, 10, 20])


def test_the_verdict_says_what_it_stands_on() -> None:
    assert room_sentence(recorded(QUEUED, Cluster.uniform(1, cores=1))) == (
        "Recorded: jobs really waited 10 s on average. Queueing can explain it: cores in use reached 1 times what "
        "there is and were above it for 0.0 % of the time; 0.0 % of the waiting passed while there was room."
    )


def test_many_jobs_left_out_leave_no_verdict() -> None:
    found = recorded(QUEUED, Cluster.uniform(1, cores=1))
    assert room_sentence(found, left_out=3) == (
        "Recorded: the 3 jobs that fit really waited 10 s on average. Whether queueing explains it is not known: 3 of "
        "6 jobs do not fit these machines and are left out."
    )
    document = room_document(found, left_out=3)
    assert document is not None
    assert document["explained_by_queueing"] is False


def test_a_log_without_starts_says_nothing() -> None:
    assert room_sentence(None) == ""
    assert room_document(None) is None
