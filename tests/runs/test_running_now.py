"""A listing of a queue is the beginning of a run: what runs keeps its hosts, what waits starts after it."""

import pytest
from queue_listing import hosts, job, listing

import loadmaster as lm
from loadmaster.model import InputError


def simulated(path, machines):
    return lm.simulate(path, hosts=machines, policy="first-fit", discipline="easy")


def test_a_running_job_holds_the_hosts_that_the_listing_names(tmp_path):
    jobs = [job(1, "RUNNING", 0, 600, nodes="n3"), job(2, "RUNNING", 0, 900, minutes=30, nodes="n1")]
    path = listing(tmp_path, *jobs, job(3, "PENDING", 100), job(4, "PENDING", 200))
    made = simulated(path, hosts(tmp_path))
    schedule = made.record.schedule
    assert schedule.start_s.tolist() == [600.0, 900.0, 901.0, 2700.0]
    assert schedule.host.tolist() == [2, 0, 1, 0]
    assert any(note.startswith("2 jobs run as the queue was listed") for note in made.notes)


def test_a_running_job_without_hosts_gets_the_first_that_have_room_beside_the_others(tmp_path):
    jobs = [job(1, "RUNNING", 0, 600), job(2, "RUNNING", 0, 900, nodes="n1"), job(3, "RUNNING", 0, 950, nodes="other")]
    made = simulated(listing(tmp_path, *jobs), hosts(tmp_path))
    assert made.record.schedule.host.tolist() == [1, 0, 2]
    assert any("does not show the hosts of 2 of them" in note for note in made.notes)


def test_tasks_of_a_job_lie_on_its_hosts_in_turn(tmp_path):
    running = job(1, "RUNNING", 0, 600, nodes="n[2-3]", count=2, cpus=16)
    made = lm.simulate(
        listing(tmp_path, running, job(2, "PENDING", 10)),
        hosts=hosts(tmp_path),
        policy="first-fit",
        discipline="easy",
        spread="any",
    )
    assert made.record.schedule.host.tolist() == [1, 2, 0]


def test_running_jobs_that_the_hosts_cannot_hold_together_are_refused_by_name(tmp_path):
    jobs = [job(k, "RUNNING", 0, 600, nodes="n1") for k in (7, 8)]
    with pytest.raises(InputError, match=r"job 8.*no room"):
        simulated(listing(tmp_path, *jobs), hosts(tmp_path))


def test_a_converted_listing_says_that_a_run_of_it_does_not_go_on_from_it(tmp_path):
    path = listing(tmp_path, job(1, "RUNNING", 0, 600), job(2, "PENDING", 100))
    assert any("does not go on from the listing" in note for note in lm.convert(path, tmp_path / "log.csv").notes)
    waiting = listing(tmp_path, job(2, "PENDING", 100))
    assert not any("listing" in note for note in lm.convert(waiting, tmp_path / "log.csv").notes)
