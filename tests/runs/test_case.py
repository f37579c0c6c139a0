"""What is brought together for a run, and when so much is left out that its queue says nothing about the log."""

from dataclasses import replace

from loadmaster.model import Cluster, Workload
from loadmaster.runs import case_of
from loadmaster.traces import Skipped, Trace


def case(cores, spread="single-host", tasks=None, malformed=0, **more):
    jobs = len(cores)
    workload = Workload.of(submit_s=range(jobs), runtime_s=[9] * jobs, cores=cores, tasks=tasks, **more)
    skipped = Skipped()
    skipped.add("a field is not a number", range(malformed), bad=True)
    skipped.add("runtime is zero or unknown, so the job never ran", range(500))
    return case_of(Trace(workload, skipped=skipped), Cluster.uniform(4, cores=2), spread)


def test_a_twentieth_of_the_work_left_out_leaves_a_verdict_and_more_does_not():
    few = case([2] * 38 + [4])
    assert (few.without_verdict, few.rejected.work) == ("", 0.05)
    assert few.left_out_first == "Left out: 1 of 39 jobs (2.6 %) with 5.0 % of the work. "
    one = case([1] * 98 + [96] * 2)
    assert one.without_verdict == (
        "No verdict: 2 of 100 jobs (2.0 %) with 66 % of the work are left out; give larger machines (--hosts), or the "
        "right unit of memory (--memory-unit), or judge the rest (--allow-left-out)."
    )
    assert replace(one, allowed=True).without_verdict == ""
    assert case([1] * 9).left_out_first == ""


def test_of_jobs_with_gpus_it_counts_whichever_work_they_hold_more_of():
    made = case([1] * 99 + [8], gpus=[0.0] * 99 + [8.0])
    assert made.rejected.work == 1.0


def test_jobs_that_never_ran_are_not_missed_but_malformed_lines_are():
    assert case([1] * 19, malformed=1).without_verdict == ""
    assert "2 of 11 jobs (18 %) are left out; say what the log holds" in case([1] * 9, malformed=2).without_verdict


def test_the_advice_goes_by_what_most_jobs_lack():
    assert "(--spread any)" in case([1] * 4, tasks=[1, 4, 4, 4]).without_verdict
    assert case([1] * 4, "any", tasks=[1, 4, 4, 4]).without_verdict == ""
    gpus = case([1] * 4, gpus=[0, 1, 1, 1]).without_verdict
    assert "give machines that have gpus (--hosts)" in gpus


def test_one_job_is_left_out_and_two_are():
    assert "1 of 5 jobs (20 %) with 67 % of the work is left out; " in case([1] * 4 + [8]).without_verdict


def test_machines_of_the_header_let_tasks_go_anywhere_unless_others_are_given():
    workload = Workload.of(submit_s=[0, 1], runtime_s=[9, 9], cores=[1, 1], tasks=[2, 2])
    trace = Trace(workload, Cluster.uniform(4, cores=1), machines="log")
    assert case_of(trace, None, "auto").spread == "any"
    other = case_of(trace, Cluster.uniform(4, cores=2), "auto")
    assert other.spread == "single-host"
    assert any("All tasks of a job go to one host" in note for note in other.notes)
