"""A metric is written once: an entry of the registry brings it wherever metrics are shown."""

import json
import subprocess
import sys

import pytest

ENTRY = """
        Metric(
            "mean_core_wait_s", "the mean of cores times wait", "s", _mean(lambda jobs: jobs.wait_s * jobs.cores),
            shown="usual", needs="starts",
        ),
"""
"""What an engineer adds to `measure/metric.py`, and nothing else."""
REGISTER = """
import importlib.util, json, sys
from dataclasses import replace
from pathlib import Path

spec = importlib.util.find_spec("loadmaster.measure.metric")
module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
head, opening, rest = Path(spec.origin).read_text(encoding="utf-8").partition("    for metric in (\\n")
exec(compile(head + opening + sys.argv[1] + rest, spec.origin, "exec"), module.__dict__)
"""
SHOW = """
import loadmaster as lm
from loadmaster.cli.simulate import _chosen_metrics, _lines
from loadmaster.report.columns import columns_for
from loadmaster.report.compare_document import comparison_document
from loadmaster.report.frame_files import latex
from loadmaster.report.page import Table
from loadmaster.report.schemas import SCHEMAS
from loadmaster.tuning.figures import TARGETS

log = lm.generate.netbatch(jobs=300, hosts=4, load=1.1, seed=2)
with_record = replace(log.workload, recorded_wait_s=log.workload.submit_s * 0 + 7.0)
made = lm.compare(
    replace(log, workload=with_record), policies=["first-fit"], disciplines=["fcfs", "easy"], samples=6
)
blocks = made.page().blocks
tables = [head for block in blocks if isinstance(block, Table) for head in block.columns]
document = comparison_document(made.comparison)
run, defs = lm.simulate(log, policy="first-fit"), SCHEMAS["head"]["$defs"]
print(json.dumps({
    "terminal": [column.title for column in columns_for(made.comparison)],
    "page": tables,
    "rows": document["rows"],
    "frame": made.frame.columns,
    "csv": made.frame.write_csv().splitlines()[0].split(","),
    "latex": latex(made.frame),
    "schemas": {kind: defs[kind] for kind in ("run", "recorded", "best_found", "bound")},
    "simulate": _lines(_chosen_metrics(run.figures, ())),
    "targets": TARGETS,
}, default=str))
"""


@pytest.fixture(scope="module")
def shown():
    words = [sys.executable, "-c", REGISTER + SHOW, ENTRY]
    done = subprocess.run(words, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


NAME = "mean_core_wait_s"


def test_a_new_metric_is_a_column_of_tables_frames_and_files(shown):
    assert any(title.startswith("mean core wait ") for title in shown["terminal"])
    assert sum(head.startswith("mean core wait") for head in shown["page"]) == 2  # the runs, and the intervals
    assert NAME in shown["frame"]
    assert NAME in shown["csv"]
    assert NAME.replace("_", r"\_") in shown["latex"]
    assert any(line.startswith("mean core wait ") for line in shown["simulate"])


def test_a_new_metric_is_a_key_of_rows_of_runs_and_of_the_record_and_of_their_schemas(shown):
    for row in shown["rows"]:
        assert row[NAME] == row["metrics"][NAME] > 0
    assert [row["kind"] for row in shown["rows"]] == ["recorded", "candidate", "candidate"]
    for schema in shown["schemas"].values():
        assert NAME in schema["properties"]
        assert NAME in schema["required"]
        assert NAME in schema["properties"]["metrics"]["properties"]


def test_a_new_metric_has_intervals_over_samples_and_may_be_what_tune_makes_low(shown):
    assert NAME in shown["rows"][-1]["differences"]
    assert NAME in shown["targets"]
