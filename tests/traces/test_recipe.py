"""A made log carries how it was made through every format; what is no recipe is none."""

import pytest

from loadmaster.traces import generate_netbatch, read_trace, write_trace
from loadmaster.traces.recipe import Recipe


@pytest.mark.parametrize("name", ["log.swf", "log.swf.gz", "log.csv", "log.parquet"])
def test_a_written_log_can_be_made_again_from_what_it_says(tmp_path, name):
    made = generate_netbatch("B", jobs=200, hosts=4, load=0.7, seed=5)
    write_trace(made.workload, tmp_path / name, recipe=made.recipe)
    read = read_trace(tmp_path / name)
    assert read.recipe == made.recipe
    again = read.recipe.make(5).workload
    assert (again.submit_s == read.workload.submit_s).all()
    assert (again.runtime_s == read.workload.runtime_s).all()
    whole = read.workload.demand * read.workload.task_count[:, None]  # SWF has a task a processor
    assert again.demand == pytest.approx(whole, rel=1e-5)


def test_a_recorded_log_has_none(tmp_path):
    made = generate_netbatch("B", jobs=20, hosts=4)
    write_trace(made.workload, tmp_path / "log.csv")
    assert read_trace(tmp_path / "log.csv").recipe is None


@pytest.mark.parametrize(
    "text",
    [
        None, "", "netbatch", "netbatch {", "netbatch []", "os.system {}", 'netbatch {"jobs": 5}',
        'netbatch {"jobs": 5, "seed": 1, "evil": 2}', 'netbatch {"jobs": "5", "seed": 1}',
        'netbatch {"jobs": 5, "seed": -1}', 'netbatch {"jobs": 5, "seed": 1, "pool": ["A"]}',
        'netbatch {"jobs": true, "seed": 1}',
    ],
)  # fmt: skip
def test_what_is_no_recipe_is_none(text):
    assert Recipe.of(text) is None
