import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_runs import runs
from timeline_reference import sweep_plainly

from loadmaster.measure.stranding import stranding
from loadmaster.measure.timeline import task_events, typical_demand
from loadmaster.measure.timeline_kernel import empty_sums


@given(runs() | runs(on_cards=True), st.integers(1, 7))
def test_all_hosts_together_strand_what_the_plain_sweep_over_events_says(run, spans):
    workload, cluster, schedule = run
    edges, parts = stranding(workload, cluster, schedule, typical_demand(workload), 1, spans)
    sums = empty_sums(spans, 2)
    sweep_plainly(task_events(workload, cluster, schedule), float(edges[0]), float(edges[1] - edges[0]), sums)
    assert pytest.approx(sums.stranded / cluster.total, abs=1e-9) == parts[:, 0].T


@given(runs(), st.integers(1, 4))
def test_rows_of_hosts_make_up_the_whole(run, spans):
    workload, cluster, schedule = run
    typical = typical_demand(workload)
    whole = stranding(workload, cluster, schedule, typical, 1, spans)[1][:, 0]
    each = stranding(workload, cluster, schedule, typical, cluster.hosts, spans)[1]
    amounts = (each * cluster.capacity.T[:, :, None]).sum(axis=1)
    assert amounts == pytest.approx(whole * cluster.total[:, None], abs=1e-9)
